//! Decimal scores and costs, which engines compute with as multiples of a common unit.
//!
//! Engines add whole numbers. Decimals are multiplied by the smallest factor that makes all of them whole, their *scale*
//! (gap costs of 10 and 0.5 have the scale 2), and so are all other scores; sums are divided by it again when they are
//! printed, which loses nothing.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Thousandths of 1.
const UNIT: i64 = 1_000;

/// A number with at most three digits behind the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal {
    thousandths: i64,
}

/// Error: a text is no [`Decimal`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a number with at most three digits behind the point")]
pub struct NotADecimal;

impl Decimal {
    /// This number times a factor, if that is whole; the nearest 32-bit number if it is greater.
    pub fn times(self, factor: i32) -> Option<i32> {
        let product = self.thousandths.saturating_mul(factor.into());
        let clamped = (product / UNIT).clamp(i32::MIN.into(), i32::MAX.into());
        (product % UNIT == 0).then_some(clamped as i32)
    }
}

/// The smallest factor, a divisor of 1,000, that makes all numbers whole.
pub fn scale(numbers: &[Decimal]) -> i32 {
    let divisors = (1..=UNIT as i32).filter(|factor| UNIT % i64::from(*factor) == 0);
    let is_scale = |factor: &i32| numbers.iter().all(|number| number.times(*factor).is_some());
    divisors.into_iter().find(is_scale).unwrap_or(UNIT as i32)
}

/// The decimal that is `number / scale`, for a scale that divides 1,000.
pub fn divided(number: i32, scale: i32) -> Decimal {
    Decimal { thousandths: i64::from(number) * (UNIT / i64::from(scale)) }
}

impl From<i32> for Decimal {
    fn from(number: i32) -> Self {
        divided(number, 1)
    }
}

impl FromStr for Decimal {
    type Err = NotADecimal;

    fn from_str(text: &str) -> Result<Self, NotADecimal> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, text.strip_prefix('+').unwrap_or(text)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let fraction = fraction.trim_end_matches('0');
        let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if digits.is_empty()
            || digits == "."
            || fraction.len() > 3
            || !are_digits(whole)
            || !are_digits(fraction)
        {
            return Err(NotADecimal);
        }
        let thousandths: i64 = format!("{whole}{fraction:0<3}").parse().map_err(|_| NotADecimal)?;
        Ok(Self { thousandths: sign * thousandths })
    }
}

impl fmt::Display for Decimal {
    /// Writes no more digits behind the point than are needed, but as many as the formatter's precision at least.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.thousandths < 0 { "-" } else { "" };
        let (whole, fraction) =
            (self.thousandths.unsigned_abs() / 1_000, self.thousandths.unsigned_abs() % 1_000);
        let digits = format!("{fraction:03}");
        let needed = digits.trim_end_matches('0').len().max(f.precision().unwrap_or(0)).min(3);
        if needed == 0 {
            write!(f, "{sign}{whole}")
        } else {
            write!(f, "{sign}{whole}.{}", &digits[..needed])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().expect(text)
    }

    #[test]
    fn texts_are_read_and_written_without_loss() {
        for (text, written) in [
            ("10", "10"),
            ("0.5", "0.5"),
            ("-.25", "-0.25"),
            ("+3.", "3"),
            ("-0.050", "-0.05"),
            ("1.2340000", "1.234"),
            ("0", "0"),
        ] {
            assert_eq!(decimal(text).to_string(), written, "{text}");
        }
        assert_eq!(format!("{:.1} {:.1}", decimal("10"), decimal("-0.25")), "10.0 -0.25");
        for text in ["", ".", "-", "1.2345", "1e3", "nan", "1,5", " 1", "--1", "99999999999999999"]
        {
            assert_eq!(text.parse::<Decimal>(), Err(NotADecimal), "{text}");
        }
    }

    #[test]
    fn the_scale_is_the_smallest_that_makes_all_whole() {
        for (numbers, expected) in [
            (&["10", "1"][..], 1),
            (&["10", "0.5"], 2),
            (&["10", "0.25", "0.5"], 4),
            (&["0.2", "0.5"], 10),
            (&["0.125"], 8),
            (&["0.001"], 1_000),
            (&[], 1),
        ] {
            let numbers: Vec<Decimal> = numbers.iter().map(|text| decimal(text)).collect();
            assert_eq!(scale(&numbers), expected, "{numbers:?}");
            for number in numbers {
                let product = number.times(expected).expect("it is whole");
                assert_eq!(divided(product, expected), number);
            }
        }
        assert_eq!(decimal("0.5").times(1), None);
        assert_eq!(decimal("-9999999999").times(10), Some(i32::MIN));
    }
}
