//! Tags as text (SAM specification, section 1.5), as comments of reads may have them: `BC:Z:ACGT`, a tab, `RX:Z:TTA`.

use std::fmt::Display;
use std::io::Write;
use std::str::from_utf8;

use rust_htslib::bam::record::Aux;

/// Tags that the program itself writes, which a comment may not have, since a record has each tag once.
const OWN: [&[u8]; 13] =
    [b"NM", b"MD", b"AS", b"XS", b"NH", b"HI", b"SA", b"XA", b"MC", b"MQ", b"RG", b"XR", b"CG"];

/// Whether the program itself writes tags of this name.
pub fn is_own(name: &[u8]) -> bool {
    OWN.contains(&name)
}

/// Appends the text of a tag of a record.
pub fn append(name: &[u8], value: &Aux<'_>, text: &mut Vec<u8>) {
    text.extend_from_slice(name);
    // Writing to memory cannot fail.
    let _ = match value {
        Aux::Char(letter) => write!(text, ":A:{}", char::from(*letter)),
        Aux::I8(number) => write!(text, ":i:{number}"),
        Aux::U8(number) => write!(text, ":i:{number}"),
        Aux::I16(number) => write!(text, ":i:{number}"),
        Aux::U16(number) => write!(text, ":i:{number}"),
        Aux::I32(number) => write!(text, ":i:{number}"),
        Aux::U32(number) => write!(text, ":i:{number}"),
        Aux::Float(number) => write!(text, ":f:{number}"),
        Aux::Double(number) => write!(text, ":f:{number}"),
        Aux::String(value) => write!(text, ":Z:{value}"),
        Aux::HexByteArray(value) => write!(text, ":H:{value}"),
        Aux::ArrayI8(array) => append_array(b'c', array.iter(), text),
        Aux::ArrayU8(array) => append_array(b'C', array.iter(), text),
        Aux::ArrayI16(array) => append_array(b's', array.iter(), text),
        Aux::ArrayU16(array) => append_array(b'S', array.iter(), text),
        Aux::ArrayI32(array) => append_array(b'i', array.iter(), text),
        Aux::ArrayU32(array) => append_array(b'I', array.iter(), text),
        Aux::ArrayFloat(array) => append_array(b'f', array.iter(), text),
    };
}

/// Appends the type, the kind and the numbers of an array.
fn append_array<T: Display>(
    kind: u8,
    numbers: impl Iterator<Item = T>,
    text: &mut Vec<u8>,
) -> std::io::Result<()> {
    write!(text, ":B:{}", char::from(kind))?;
    numbers.into_iter().try_for_each(|number| write!(text, ",{number}"))
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
