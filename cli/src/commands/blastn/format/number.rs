//! Numbers as NCBI's programs print them.

/// As C's `%.{digits}e`.
fn scientific(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{exponent:0>2}")
}

/// An E-value.
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

/// An E-value in a table: small ones have more digits there.
pub fn e_value_in_table(value: f64) -> String {
    if (1.0e-180..0.0009).contains(&value) { scientific(value, 2) } else { e_value(value) }
}

/// A score in bits.
pub fn bits(value: f64) -> String {
    if value > 99_999.0 {
        scientific(value, 3)
    } else if value > 99.9 {
        format!("{}", value as i64)
    } else {
        format!("{value:.1}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            (3.14, "3.1"),
            (9.99, "10.0"),
            (12.6, "13"),
        ];
        for (value, text) in e_values {
            assert_eq!(e_value(value), text);
        }
        assert_eq!(e_value_in_table(5.621e-10), "5.62e-10");
        assert_eq!(e_value_in_table(0.0412), "0.041");
        for (value, text) in [(30.14, "30.1"), (99.95, "99"), (1043.9, "1043"), (123_456.0, "1.235e+05")] {
            assert_eq!(bits(value), text);
        }
    }
}
