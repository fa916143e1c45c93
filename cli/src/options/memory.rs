//! Sizes of memory.

/// Parses a size in bytes, with k, M or G for 2^10, 2^20 or 2^30 of them; at least 1M.
///
/// # Errors
/// Says what a size looks like, if `value` is none.
pub fn parse_memory(value: &str) -> Result<usize, String> {
    let (number, shift) = match value.char_indices().next_back() {
        Some((at, 'k' | 'K')) => (&value[..at], 10),
        Some((at, 'M')) => (&value[..at], 20),
        Some((at, 'G')) => (&value[..at], 30),
        _ => (value, 0),
    };
    let size = number.parse().ok().and_then(|number: usize| number.checked_mul(1 << shift));
    match size {
        None => Err("not a size such as 768M or 4G".to_owned()),
        Some(size) if size < 1 << 20 => Err("less than the minimum, 1M".to_owned()),
        Some(size) => Ok(size),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_memory;

    #[test]
    fn memory_has_units() {
        assert_eq!(
            ["1M", "2048k", "3G", "1048577"].map(parse_memory).map(Result::unwrap_or_default),
            [1 << 20, 2 << 20, 3 << 30, (1 << 20) + 1]
        );
        let bad = ["", "M", "1.5G", "-1M", "1023k", "99999999999999999999", "20000000000000G"];
        assert!(bad.iter().all(|value| parse_memory(value).is_err()));
    }
}
