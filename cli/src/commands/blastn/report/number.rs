//! Numbers in the notation of NCBI's programs.

/// A number as C's `%.6g` prints it: six significant digits, without zeros at the end.
pub fn significant(value: f64) -> String {
    general(value, 6)
}

/// A number as C's `%.15g` prints it: 15 significant digits, without zeros at the end.
pub fn exact(value: f64) -> String {
    general(value, 15)
}

/// A number as C's `%.{digits}g` prints it.
fn general(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let text = scientific(value, digits - 1);
    let exponent: i32 = text.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let trim = |text: &str| {
        let text = if text.contains('.') { text.trim_end_matches('0') } else { text };
        text.trim_end_matches('.').to_owned()
    };
    if (-4..digits as i32).contains(&exponent) {
        trim(&format!("{value:.*}", (digits as i32 - 1 - exponent) as usize))
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
    fn significant_digits() {
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
        for (value, text) in [
            (0.710_602_795_216_363_2, "0.710602795216363"),
            (0.46, "0.46"),
            (1e-5, "1e-05"),
            (1e6, "1000000"),
        ] {
            assert_eq!(exact(value), text);
        }
        assert_eq!(
            [0.634, 1.28, 0.41, 0.0307].map(three_digits),
            ["0.634", "1.28", "0.410", "0.0307"]
        );
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
