//! Elements of ASN.1 in the Basic Encoding Rules (ITU-T X.690), as far as NCBI's databases use them: tags of one byte, and
//! definite or indefinite lengths.

/// Tags of the universal types that occur.
pub(super) mod tag {
    pub(in super::super) const INTEGER: u8 = 0x02;
    pub(in super::super) const SEQUENCE: u8 = 0x30;
    pub(in super::super) const UTF8_STRING: u8 = 0x0c;
    pub(in super::super) const VISIBLE_STRING: u8 = 0x1a;

    /// The tag of field or choice `number` of a type.
    pub(in super::super) const fn field(number: u8) -> u8 {
        0xa0 | number
    }
}

/// The bit of a tag that says that the content is elements itself.
const CONSTRUCTED: u8 = 0x20;
/// The bits of a tag that are all set if its number takes more bytes.
const LONG_TAG: u8 = 0x1f;
/// The length that says that the content ends with two zero bytes.
const INDEFINITE: u8 = 0x80;

/// Greatest number of elements around an element; NCBI's types nest about ten.
const MAX_DEPTH: u32 = 32;

/// An element: a tag, and the bytes of its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Element<'a> {
    pub(super) tag: u8,
    pub(super) content: &'a [u8],
}

impl<'a> Element<'a> {
    /// The elements that are the content.
    pub(super) fn elements(self) -> Elements<'a> {
        Elements(self.content)
    }

    /// The first element of the content.
    pub(super) fn inner(self) -> Option<Element<'a>> {
        self.elements().next()?
    }

    /// The number in an element of type INTEGER, up to 64 bits.
    pub(super) fn integer(self) -> Option<i64> {
        let (&first, rest) = self.content.split_first()?;
        if self.tag != tag::INTEGER || rest.len() > 7 {
            return None;
        }
        let sign = i64::from(first as i8);
        Some(rest.iter().fold(sign, |value, &byte| value << 8 | i64::from(byte)))
    }

    /// The text in an element of a string type.
    pub(super) fn text(self) -> Option<String> {
        let is_text = matches!(self.tag, tag::VISIBLE_STRING | tag::UTF8_STRING);
        is_text.then(|| String::from_utf8_lossy(self.content).into_owned())
    }
}

/// Elements one behind the other. An item is `None` where the bytes are no element, and it is the last.
#[derive(Debug, Clone)]
pub(super) struct Elements<'a>(pub(super) &'a [u8]);

impl<'a> Iterator for Elements<'a> {
    type Item = Option<Element<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let split = split(self.0, 0);
        self.0 = split.map_or(&[], |(_, rest)| rest);
        Some(split.map(|(element, _)| element))
    }
}

/// An element of definite length.
pub(super) fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u32).to_be_bytes();
    let mut bytes = vec![tag];
    if content.len() < usize::from(INDEFINITE) {
        bytes.push(length[3]);
    } else {
        let zeros = length.iter().take_while(|&&byte| byte == 0).count();
        bytes.push(INDEFINITE | (length.len() - zeros) as u8);
        bytes.extend(&length[zeros..]);
    }
    bytes.extend(content);
    bytes
}

/// An element of type INTEGER.
pub(super) fn integer(value: i64) -> Vec<u8> {
    let bytes = value.to_be_bytes();
    // Bytes that repeat the sign are left out.
    let is_sign = |two: &[u8]| {
        let sign = if two[1] < 0x80 { 0 } else { 0xff };
        two[0] == sign
    };
    let first = bytes.windows(2).take_while(|two| is_sign(two)).count();
    element(tag::INTEGER, &bytes[first..])
}

/// An element of a string type.
pub(super) fn text(text: &str) -> Vec<u8> {
    let tag = if text.is_ascii() { tag::VISIBLE_STRING } else { tag::UTF8_STRING };
    element(tag, text.as_bytes())
}

/// The first element of some bytes, and the bytes behind it; `depth` elements are around it.
fn split(bytes: &[u8], depth: u32) -> Option<(Element<'_>, &[u8])> {
    let &[tag, length, ref rest @ ..] = bytes else { return None };
    if tag & LONG_TAG == LONG_TAG || depth > MAX_DEPTH {
        return None;
    }
    if length == INDEFINITE {
        if tag & CONSTRUCTED == 0 {
            return None;
        }
        let mut inner = rest;
        while !inner.starts_with(&[0, 0]) {
            inner = split(inner, depth + 1)?.1;
        }
        let content = &rest[..rest.len() - inner.len()];
        return Some((Element { tag, content }, &inner[2..]));
    }
    let (length, rest) = if length < INDEFINITE {
        (usize::from(length), rest)
    } else {
        let (number, rest) = rest.split_at_checked(usize::from(length & !INDEFINITE))?;
        if number.len() > 4 {
            return None;
        }
        (number.iter().fold(0, |value, &byte| value << 8 | usize::from(byte)), rest)
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((Element { tag, content }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definite_and_indefinite_lengths() {
        let text = [&[tag::VISIBLE_STRING, 0x81, 3][..], b"abc"].concat();
        let whole = [&[tag::SEQUENCE, 0x80, 0xa0, 0x80], &text[..], &[0, 0, 0, 0, 9, 0]].concat();
        let elements: Vec<Element<'_>> = Elements(&whole).map_while(|element| element).collect();
        assert_eq!((elements.len(), elements[1].tag), (2, 9));
        let field = elements[0].inner().expect("a field");
        assert_eq!(field.tag, tag::field(0));
        assert_eq!(field.inner().and_then(Element::text).as_deref(), Some("abc"));
        assert_eq!(field.inner().and_then(Element::integer), None);
    }

    #[test]
    fn integers_have_signs() {
        let integer = |content: &[u8]| Element { tag: tag::INTEGER, content }.integer();
        assert_eq!(integer(&[5]), Some(5));
        assert_eq!(integer(&[0, 200]), Some(200));
        for value in [0, 1, 127, 128, 255, 256, -1, -128, -129, i64::MAX, i64::MIN] {
            let encoded = super::integer(value);
            let element = Elements(&encoded).next().flatten().expect("an element");
            assert_eq!(element.integer(), Some(value));
        }
        assert_eq!(integer(&[0xff]), Some(-1));
        assert_eq!([integer(&[]), integer(&[0; 9])], [None; 2]);
    }

    #[test]
    fn bytes_that_are_no_element_are_refused() {
        let deep = [[0x30, 0x80]; 40].concat();
        let cases: [&[u8]; 7] = [
            &[0x30],
            &[0x1f, 0x00],
            &[0x02, 0x80, 0, 0],
            &[0x30, 0x80],
            &[0x1a, 5, b'a'],
            &[0x1a, 0x85, 1, 1, 1, 1, 1],
            &deep,
        ];
        for bytes in cases {
            assert_eq!(Elements(bytes).collect::<Vec<_>>(), [None], "{bytes:?}");
        }
    }
}
