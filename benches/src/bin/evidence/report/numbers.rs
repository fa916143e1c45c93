//! Numbers with thousands separators, as tables have them.

/// A number with commas; fractions below 100 have two digits after the point.
pub fn number(value: f64) -> String {
    if value < 100.0 && value.fract() != 0.0 {
        return format!("{value:.2}");
    }
    commas(&format!("{value:.0}"))
}

/// A decimal number with commas.
pub fn commas(number: &str) -> String {
    let whole = number.split('.').next().unwrap_or_default().trim_start_matches('-').len();
    let sign = usize::from(number.starts_with('-'));
    let group = |(index, digit): (usize, char)| {
        let comma =
            index > sign && index < sign + whole && (sign + whole - index).is_multiple_of(3);
        comma.then_some(',').into_iter().chain([digit])
    };
    number.chars().enumerate().flat_map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas() {
        assert_eq!(
            [0.5, 99.0, 99.25, 100.4, 12_345.0, 1_234_567.0].map(number),
            ["0.50", "99", "99.25", "100", "12,345", "1,234,567"]
        );
        assert_eq!(["-123", "-1234.5678", "999"].map(commas), ["-123", "-1,234.5678", "999"]);
    }
}
