//! Text in markup: characters that HTML or XML reserves become entities.

/// Text for HTML, as NCBI's programs write it: apostrophes stay.
pub fn for_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            letter => out.push(letter),
        }
    }
    out
}

/// Text for XML.
pub fn for_xml(text: &str) -> String {
    for_html(text).replace('\'', "&apos;")
}
