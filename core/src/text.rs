//! Bytes of ASCII text, classified as in Python, where a vertical tab is white space too.

use crate::unicode;

pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Returns whether a regular expression of bytes matches a byte with `\w`.
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

pub fn trim_start(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|&byte| !is_space(byte)).unwrap_or(text.len());
    &text[start..]
}

pub fn trim_end(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|&byte| !is_space(byte)).map_or(0, |last| last + 1);
    &text[..end]
}

/// Returns the word at the start of a text, perhaps with a `#` before it; empty if there is none.
pub fn first_word(text: &str) -> &str {
    let word = text.strip_prefix('#').unwrap_or(text);
    let length = word.find(|character| !unicode::is_word(character)).unwrap_or(word.len());
    if length == 0 { "" } else { &text[..text.len() - word.len() + length] }
}

/// Returns the first position, from one on, of a byte that is not skipped.
pub fn skip(text: &[u8], at: usize, is_skipped: impl Fn(u8) -> bool) -> usize {
    text[at..].iter().position(|&byte| !is_skipped(byte)).map_or(text.len(), |length| at + length)
}

#[cfg(test)]
mod tests {
    use super::first_word;

    #[test]
    fn the_first_word_may_follow_a_hash() {
        assert_eq!(["#size = 1", "get()", "# a", "=> x"].map(first_word), ["#size", "get", "", ""]);
    }
}
