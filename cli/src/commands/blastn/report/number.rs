//! Numbers in the notation of NCBI's programs.

/// A number as C's `%.6g` prints it: six significant digits, without zeros at the end.
pub fn significant(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let text = scientific(value, 5);
    let exponent: i32 = text.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let trim = |text: &str| {
        let text = if text.contains('.') { text.trim_end_matches('0') } else { text };
        text.trim_end_matches('.').to_owned()
    };
    if (-4..6).contains(&exponent) {
        trim(&format!("{value:.*}", (5 - exponent) as usize))
    } else {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        format!("{}e{exponent}", trim(mantissa))
    }
}

/// A number with three significant digits, including zeros at the end.
pub fn three_digits(value: f64) -> String {
    let digits = (2 - value.log10().floor() as i32).max(0) as usize;
    format!("{value:.digits$}")
}

/// A date from a time in seconds since 1970 (UTC), such as "Nov 21, 2026  9:01 PM".
pub fn date(seconds: u64) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March in this computation, so that leap days are at their ends (Howard Hinnant's
    // `civil_from_days`).
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = (month + 2) % 12;
    let year = era * 400 + year + u64::from(month < 2);
    let (hour, minute) = (second / 3_600, second % 3_600 / 60);
    let half = if hour < 12 { "AM" } else { "PM" };
    let hour = (hour + 11) % 12 + 1;
    format!("{} {day}, {year}  {hour}:{minute:02} {half}", MONTHS[month as usize])
}

/// A number as C's `%.{digits}e` prints it.
fn scientific(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{exponent:0>2}")
}

/// An E-value in pairwise reports.
pub fn e_value(value: f64) -> String {
    if value < 1.0e-180 {
        "0.0".to_owned()
    } else if value < 0.0009 {
        scientific(value, 0)
    } else if value < 0.1 {
        format!("{value:.3}")
    } else if value < 1.0 {
        format!("{value:.2}")
    } else if value < 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

/// An E-value in tables, where small ones have more digits.
pub fn e_value_in_table(value: f64) -> String {
    if (1.0e-180..0.0009).contains(&value) { scientific(value, 2) } else { e_value(value) }
}

/// A bit score, with fewer digits for greater scores and at least four characters, so that " 9.4" begins with a space.
pub fn bits(value: f64) -> String {
    if value > 99_999.0 {
        scientific(value, 3)
    } else if value > 99.9 {
        format!("{}", value as i64)
    } else {
        format!("{value:4.1}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn significant_digits_and_dates() {
        let numbers = [
            (1375.031, "1375.03"),
            (30.1402, "30.1402"),
            (1.08769, "1.08769"),
            (10.0, "10"),
            (0.46, "0.46"),
            (8.15e-5, "8.15e-05"),
            (1e-30, "1e-30"),
            (1_234_567.0, "1.23457e+06"),
        ];
        for (value, text) in numbers {
            assert_eq!(significant(value), text);
        }
        assert_eq!(
            [0.634, 1.28, 0.41, 0.0307].map(three_digits),
            ["0.634", "1.28", "0.410", "0.0307"]
        );
        let dates = [
            (0, "Jan 1, 1970  12:00 AM"),
            (951_782_400, "Feb 29, 2000  12:00 AM"),
            (1_795_294_882, "Nov 21, 2026  9:01 PM"),
            (1_798_761_599, "Dec 31, 2026  11:59 PM"),
        ];
        for (seconds, text) in dates {
            assert_eq!(date(seconds), text);
        }
    }

    #[test]
    fn numbers_have_ncbi_digits() {
        let e_values = [
            (0.0, "0.0"),
            (1.0e-181, "0.0"),
            (3.4e-120, "3e-120"),
            (9.6e-5, "1e-04"),
            (0.00091, "0.001"),
            (0.0412, "0.041"),
            (0.9, "0.90"),
            (3.12, "3.1"),
            (9.99, "10.0"),
            (12.6, "13"),
        ];
        for (value, text) in e_values {
            assert_eq!(e_value(value), text);
        }
        assert_eq!(e_value_in_table(5.621e-10), "5.62e-10");
        assert_eq!(e_value_in_table(0.0412), "0.041");
        for (value, text) in [
            (8.52, " 8.5"),
            (30.14, "30.1"),
            (99.95, "99"),
            (1043.9, "1043"),
            (123_456.0, "1.235e+05"),
        ] {
            assert_eq!(bits(value), text);
        }
    }
}
