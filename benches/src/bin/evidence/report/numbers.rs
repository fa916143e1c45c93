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

/// Seconds, with as many digits as times of processes are worth.
pub fn seconds(value: f64) -> String {
    match value {
        value if value < 1.0 => format!("{value:.3}"),
        value if value < 100.0 => format!("{value:.2}"),
        value => commas(&format!("{value:.0}")),
    }
}

/// How a finding is shown, which its name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    Count,
    Share,
    /// A small share is shown as so many of a million.
    OfMillion,
    /// F1 of variants, 0 to 1.
    Score,
}

impl Measure {
    /// The measure of a finding with this name.
    pub fn of(name: &str) -> Self {
        let is = |begin: &str| name.starts_with(begin);
        if is("error rate") || is("elsewhere") {
            Self::OfMillion
        } else if is("F1") {
            Self::Score
        } else if is("mapped") || is("correct") || is("properly paired") {
            Self::Share
        } else {
            Self::Count
        }
    }

    /// The name of a finding with its unit, for the head of a column.
    pub fn heading(self, name: &str) -> String {
        if self == Self::OfMillion { format!("{name}, a million") } else { name.to_owned() }
    }

    /// The value in the unit of the heading.
    pub fn scaled(self, value: f64) -> f64 {
        match self {
            Self::Count | Self::Score => value,
            Self::Share => 100.0 * value,
            Self::OfMillion => 1e6 * value,
        }
    }

    /// The value as text.
    pub fn show(self, value: f64) -> String {
        let scaled = self.scaled(value);
        match self {
            Self::Count => number(value),
            Self::Share => format!("{scaled:.3}%"),
            Self::OfMillion if value == 0.0 => "0".to_owned(),
            Self::OfMillion if scaled < 10.0 => format!("{scaled:.1}"),
            Self::OfMillion => commas(&format!("{scaled:.0}")),
            Self::Score => format!("{value:.4}"),
        }
    }
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
        assert_eq!([0.0123, 1.234, 1234.5].map(seconds), ["0.012", "1.23", "1,234"]);
        assert_eq!(["-123", "-1234.5678", "999"].map(commas), ["-123", "-1,234.5678", "999"]);
    }
}
