//! Escapes in header lines of the command line, as bwa has them.

/// A text with tabs, line ends and backslashes in place of `\\t`, `\\n`, `\\r` and `\\\\`, as bwa has them.
pub fn unescape(text: &str) -> String {
    let (mut plain, mut letters) = (String::with_capacity(text.len()), text.chars());
    while let Some(letter) = letters.next() {
        let meant = match letter {
            '\\' => match letters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('\\') | None => '\\',
                Some(other) => {
                    plain.push('\\');
                    other
                }
            },
            other => other,
        };
        plain.push(meant);
    }
    plain
}
