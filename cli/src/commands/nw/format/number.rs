//! Numbers in the output of `gpualign nw`.

use std::io::Write;

use nw_batch::scoring::decimal;

/// Appends a number in decimal digits.
pub fn push_number(number: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Appends a score that is in units of `1 / scale`: with as many digits behind the point as units of that size need, so
/// that all scores of a run have the same.
pub fn push_score(score: i32, scale: i32, out: &mut Vec<u8>) {
    if scale == 1 {
        push_number(score, out);
    } else {
        let digits = decimals(scale);
        // Writing to memory does not fail.
        let _ = write!(out, "{:.digits$}", decimal::divided(score, scale));
    }
}

/// Digits behind the point that multiples of `1 / scale` need.
pub fn decimals(scale: i32) -> usize {
    [1, 10, 100].iter().position(|power| power % scale == 0).unwrap_or(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_a_scale_have_the_same_digits() {
        for (score, scale, expected) in [
            (-41, 1, "-41"),
            (81, 2, "40.5"),
            (80, 2, "40.0"),
            (-1, 4, "-0.25"),
            (7, 10, "0.7"),
            (1_001, 8, "125.125"),
        ] {
            let mut out = Vec::new();
            push_score(score, scale, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), expected);
        }
    }
}
