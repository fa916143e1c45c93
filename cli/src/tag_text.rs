//! Tags as text (SAM specification, section 1.5), as comments of reads may have them: `BC:Z:ACGT`, a tab, `RX:Z:TTA`.

use std::fmt::Display;
use std::io::Write;
use std::ops::Range;
use std::str::from_utf8;

use memchr::memchr;

/// Tags that the program itself writes, which a comment may not have, since a record has each tag once.
const OWN: [&[u8]; 13] =
    [b"NM", b"MD", b"AS", b"XS", b"NH", b"HI", b"SA", b"XA", b"MC", b"MQ", b"RG", b"XR", b"CG"];

/// Whether the program itself writes tags of this name.
pub fn is_own(name: &[u8]) -> bool {
    OWN.contains(&name)
}

/// Appends the text of tags in BAM's encoding (section 4.2.4), each behind a tab, as far as their names are wanted; `None` if
/// they are damaged.
pub fn append_decoded(
    mut tags: &[u8],
    is_wanted: impl Fn(&[u8]) -> bool,
    text: &mut Vec<u8>,
) -> Option<()> {
    while !tags.is_empty() {
        let begin = text.len();
        let (head, value) = tags.split_at_checked(3)?;
        let (name, kind) = (&head[..2], head[2]);
        text.push(b'\t');
        text.extend_from_slice(name);
        let shown = if b"cCsSiI".contains(&kind) {
            b'i'
        } else if kind == b'd' {
            b'f'
        } else {
            kind
        };
        text.extend([b':', shown, b':']);
        let length = append_decoded_value(kind, value, text)?;
        tags = &value[length..];
        if !is_wanted(name) {
            text.truncate(begin);
        }
    }
    Some(())
}

/// Appends the text of the value that some bytes begin with, and returns its length; `None` if there is none.
fn append_decoded_value(kind: u8, value: &[u8], text: &mut Vec<u8>) -> Option<usize> {
    match kind {
        b'A' => {
            text.push(*value.first()?);
            Some(1)
        }
        b'Z' | b'H' => {
            let length = memchr(0, value)?;
            text.extend_from_slice(&value[..length]);
            Some(length + 1)
        }
        b'B' => {
            let (&kind, array) = value.split_first()?;
            let (count, numbers) = array.split_first_chunk()?;
            text.push(kind);
            let mut length = 0;
            for _ in 0..u32::from_le_bytes(*count) {
                text.push(b',');
                length += append_decoded_number(kind, numbers.get(length..)?, text)?;
            }
            Some(1 + 4 + length)
        }
        kind => append_decoded_number(kind, value, text),
    }
}

/// Appends the number that some bytes begin with, and returns its length; `None` if there is none.
fn append_decoded_number(kind: u8, bytes: &[u8], text: &mut Vec<u8>) -> Option<usize> {
    // Writing to memory cannot fail.
    let mut put = |number: &dyn Display, length| {
        let _ = write!(text, "{number}");
        Some(length)
    };
    match kind {
        b'c' => put(&i8::from_le_bytes(*bytes.first_chunk()?), 1),
        b'C' => put(&u8::from_le_bytes(*bytes.first_chunk()?), 1),
        b's' => put(&i16::from_le_bytes(*bytes.first_chunk()?), 2),
        b'S' => put(&u16::from_le_bytes(*bytes.first_chunk()?), 2),
        b'i' => put(&i32::from_le_bytes(*bytes.first_chunk()?), 4),
        b'I' => put(&u32::from_le_bytes(*bytes.first_chunk()?), 4),
        b'f' => put(&f32::from_le_bytes(*bytes.first_chunk()?), 4),
        b'd' => put(&f64::from_le_bytes(*bytes.first_chunk()?), 8),
        _ => None,
    }
}

/// Checks that a text is empty or consists of tags, with tabs between them.
///
/// # Errors
/// Why it is not.
pub fn check(text: &[u8]) -> Result<(), String> {
    let mut names: Vec<&[u8]> = Vec::new();
    for field in fields(text) {
        let shown = || field.escape_ascii().to_string();
        let parsed = Tag::parse(field).filter(|tag| tag.append(&mut Vec::new()).is_some());
        let Some(Tag { name, .. }) = parsed else {
            return Err(format!(
                "the comment cannot be appended: '{}' is not a tag as SAM has them, NAME:TYPE:VALUE",
                shown()
            ));
        };
        if OWN.contains(&name) || names.contains(&name) {
            return Err(format!(
                "the comment cannot be appended: the record would have two tags like '{}'",
                shown()
            ));
        }
        names.push(name);
    }
    Ok(())
}

/// Appends the tags of a checked text in BAM's encoding (section 4.2.4).
pub fn append_encoded(text: &[u8], bytes: &mut Vec<u8>) {
    for tag in fields(text).filter_map(Tag::parse) {
        // A checked tag has an encoding.
        let _ = tag.append(bytes);
    }
}

/// Where the first tag of this name lies in a text, which need not be checked.
pub fn find(text: &[u8], name: [u8; 2]) -> Option<Range<usize>> {
    let mut begin = 0;
    for field in text.split(|&byte| byte == b'\t') {
        let end = begin + field.len();
        if field.starts_with(&name) && field.get(2) == Some(&b':') {
            return Some(begin..end);
        }
        begin = end + 1;
    }
    None
}

fn fields(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b'\t').filter(move |_| !text.is_empty())
}

/// A tag of a text.
struct Tag<'t> {
    name: &'t [u8],
    kind: u8,
    value: &'t [u8],
}

impl<'t> Tag<'t> {
    /// The parts of `NAME:TYPE:VALUE`.
    fn parse(field: &'t [u8]) -> Option<Self> {
        let &[first, second, b':', kind, b':', ref value @ ..] = field else { return None };
        let is_name = first.is_ascii_alphabetic() && second.is_ascii_alphanumeric();
        is_name.then_some(Self { name: &field[..2], kind, value })
    }

    /// Appends the encoded tag; `None` if its type has no such value.
    fn append(&self, bytes: &mut Vec<u8>) -> Option<()> {
        let Self { name, kind, value } = *self;
        bytes.extend_from_slice(name);
        let is_graphic = |byte: &u8| (b'!'..=b'~').contains(byte);
        match (kind, value) {
            (b'A', &[letter]) if is_graphic(&letter) => bytes.extend([b'A', letter]),
            (b'Z', text) if text.iter().all(|byte| is_graphic(byte) || *byte == b' ') => {
                bytes.push(b'Z');
                bytes.extend_from_slice(text);
                bytes.push(0);
            }
            (b'H', text) if text.len() % 2 == 0 && text.iter().all(u8::is_ascii_hexdigit) => {
                bytes.push(b'H');
                bytes.extend_from_slice(text);
                bytes.push(0);
            }
            (b'i', text) => {
                let number: i64 = from_utf8(text).ok()?.parse().ok()?;
                let kind = if number < 0 { b'i' } else { b'I' };
                bytes.push(kind);
                append_number(kind, text, bytes)?;
            }
            (b'f', text) => {
                bytes.push(b'f');
                append_number(b'f', text, bytes)?;
            }
            (b'B', &[kind, ref list @ ..]) => {
                bytes.extend([b'B', kind]);
                let items: Vec<&[u8]> = list.split(|&byte| byte == b',').collect();
                let [[], items @ ..] = items.as_slice() else { return None };
                bytes.extend(u32::try_from(items.len()).ok()?.to_le_bytes());
                items.iter().try_for_each(|item| append_number(kind, item, bytes))?;
            }
            _ => return None,
        }
        Some(())
    }
}

/// Appends a number of a type of BAM; `None` if the text is no such number.
fn append_number(kind: u8, text: &[u8], bytes: &mut Vec<u8>) -> Option<()> {
    let text = from_utf8(text).ok()?;
    match kind {
        b'c' => bytes.extend(text.parse::<i8>().ok()?.to_le_bytes()),
        b'C' => bytes.extend(text.parse::<u8>().ok()?.to_le_bytes()),
        b's' => bytes.extend(text.parse::<i16>().ok()?.to_le_bytes()),
        b'S' => bytes.extend(text.parse::<u16>().ok()?.to_le_bytes()),
        b'i' => bytes.extend(text.parse::<i32>().ok()?.to_le_bytes()),
        b'I' => bytes.extend(text.parse::<u32>().ok()?.to_le_bytes()),
        b'f' => {
            let is_number = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
            let value = text.bytes().all(is_number).then(|| text.parse::<f32>().ok())??;
            bytes.extend(value.to_le_bytes());
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_encoded() {
        let encoded = |text: &[u8]| {
            check(text)?;
            let mut bytes = Vec::new();
            append_encoded(text, &mut bytes);
            Ok::<_, String>(bytes)
        };
        assert_eq!(encoded(b""), Ok(vec![]));
        assert_eq!(encoded(b"BC:Z:AC GT\tXY:A:x"), Ok(b"BCZAC GT\0XYAx".to_vec()));
        assert_eq!(encoded(b"X0:i:-2\tX1:i:7"), Ok(b"X0i\xfe\xff\xff\xffX1I\x07\0\0\0".to_vec()));
        assert_eq!(encoded(b"X0:B:c,-1,2"), Ok(b"X0Bc\x02\0\0\0\xff\x02".to_vec()));
        assert_eq!(encoded(b"X0:f:1.5\tX1:H:0aFF"), Ok(b"X0f\0\0\xc0\x3fX1H0aFF\0".to_vec()));
    }

    #[test]
    fn tags_are_decoded() {
        let text =
            b"\tBC:Z:AC GT\tXY:A:x\tX0:i:-2\tX1:B:c,-1,2\tX2:f:1.5\tX3:H:0aFF\tX4:B:f,0.25\tX5:B:S";
        let mut bytes = Vec::new();
        append_encoded(&text[1..], &mut bytes);
        let decoded = |bytes: &[u8], leaves_out: &[u8]| {
            let mut text = Vec::new();
            append_decoded(bytes, |name| name != leaves_out, &mut text)?;
            Some(String::from_utf8_lossy(&text).into_owned())
        };
        let all = String::from_utf8_lossy(text);
        assert_eq!(decoded(&bytes, b"").as_deref(), Some(&*all));
        assert_eq!(decoded(&bytes, b"X1"), Some(all.replace("\tX1:B:c,-1,2", "")));
        assert_eq!(decoded(b"X0c\xff", b""), Some("\tX0:i:-1".to_owned()));
        for cut in 1..b"X1Bs\x02\0\0\0\x01\0\x02\0".len() {
            assert_eq!(decoded(&b"X1Bs\x02\0\0\0\x01\0\x02\0"[..cut], b""), None, "{cut}");
        }
    }

    #[test]
    fn tags_are_found() {
        let find = |text: &[u8]| find(text, *b"RX");
        assert_eq!(find(b"RX:Z:A"), Some(0..6));
        assert_eq!(find(b"1:N:0:A RX:Z:B\tBC:Z:RX:\tRX:Z:AC\tRX:Z:A"), Some(24..31));
        assert_eq!(find(b"RXA:Z:A\tRX"), None);
        assert_eq!(find(b""), None);
    }

    #[test]
    fn other_comments_are_refused() {
        for text in [
            "1:N:0:ACGT",
            "BC:Z:A\t",
            "BC:Z:A\u{1}",
            "1C:Z:A",
            "BC:i:x",
            "BC:i:4294967296",
            "BC:f:inf",
            "BC:B:c1",
            "BC:B:x,1",
            "BC:H:a",
            "NM:i:1",
            "BC:Z:A\tBC:Z:B",
            "length=100",
        ] {
            assert!(check(text.as_bytes()).is_err(), "{text}");
        }
    }
}
