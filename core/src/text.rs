//! Bytes of ASCII text, classified as in Python, where a vertical tab is white space too.

use std::sync::LazyLock;

use pcre2::bytes::{Regex, RegexBuilder};

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

/// Returns the word at the start of a text, perhaps with a `#` before it.
pub fn first_word(text: &[u8]) -> Option<&str> {
    static WORD: LazyLock<Regex> = LazyLock::new(|| {
        let word = RegexBuilder::new().utf(true).build(r"\A#?[\p{L}\p{N}_]+");
        word.expect("the pattern is correct")
    });
    let found = WORD.find(text).ok()??;
    std::str::from_utf8(found.as_bytes()).ok()
}

/// Returns the first position, from one on, of a byte that is not skipped.
pub fn skip(text: &[u8], at: usize, is_skipped: impl Fn(u8) -> bool) -> usize {
    text[at..].iter().position(|&byte| !is_skipped(byte)).map_or(text.len(), |length| at + length)
}
