//! The classes of characters, as Python's `str` and `re` define them.
//!
//! Contract: they are those of the running Python, whose version of Unicode may differ from that of Rust; it is asked
//! about each character outside ASCII once.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use pyo3::prelude::*;

const KNOWN: u8 = 1;
const WORD: u8 = 2;
const DIGIT: u8 = 4;
const DECIMAL: u8 = 8;
const START: u8 = 16;
const CONTINUE: u8 = 32;

static CLASSES: [AtomicU8; 0x11_0000] = [const { AtomicU8::new(0) }; 0x11_0000];

/// Returns whether a character is one of a word, as `\w` matches it.
pub fn is_word(character: char) -> bool {
    is_in(character, WORD, |byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns whether a character is a digit for `str.isdigit`.
pub fn is_digit(character: char) -> bool {
    is_in(character, DIGIT, |byte| byte.is_ascii_digit())
}

/// Returns whether a character is a decimal digit, as `\d` matches it.
pub fn is_decimal(character: char) -> bool {
    is_in(character, DECIMAL, |byte| byte.is_ascii_digit())
}

/// Returns whether a text is an identifier for `str.isidentifier`.
pub fn is_identifier(mut characters: impl Iterator<Item = char>) -> bool {
    let starts = |first| is_in(first, START, |byte| byte.is_ascii_alphabetic() || byte == b'_');
    let continues = |next| is_in(next, CONTINUE, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    characters.next().is_some_and(starts) && characters.all(continues)
}

/// Returns whether a character is white space for `str.isspace`.
pub fn is_space(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\x1c'..='\x1f')
}

fn is_in(character: char, class: u8, has_ascii: impl Fn(u8) -> bool) -> bool {
    match u8::try_from(character) {
        Ok(byte) if byte.is_ascii() => has_ascii(byte),
        _ => classes(character) & class != 0,
    }
}

fn classes(character: char) -> u8 {
    let entry = &CLASSES[character as usize];
    let mut known = entry.load(Relaxed);
    if known == 0 {
        known = Python::attach(|py| ask(py, character)).expect("methods of str are always there");
        entry.store(known, Relaxed);
    }
    known
}

fn ask(py: Python<'_>, character: char) -> PyResult<u8> {
    let mut known = KNOWN;
    let questions = [(WORD, "isalnum"), (DIGIT, "isdigit"), (DECIMAL, "isdecimal"), (START, "isidentifier")];
    let text = character.to_string().into_pyobject(py)?;
    for (class, method) in questions {
        known |= if text.call_method0(method)?.extract()? { class } else { 0 };
    }
    let continued = format!("a{character}").into_pyobject(py)?;
    Ok(known | if continued.call_method0("isidentifier")?.extract()? { CONTINUE } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_letters_digits_and_underscores() {
        assert!("a_9".chars().all(is_word));
        assert!(!"-. $".chars().any(is_word));
    }

    #[test]
    fn separators_of_ascii_are_white_space_of_text_only() {
        assert!(is_space('\x1c') && !crate::text::is_space(0x1c));
    }

    #[test]
    fn identifiers_start_with_no_digit() {
        assert!(is_identifier("a1".chars()));
        assert!(!is_identifier("1a".chars()) && !is_identifier("".chars()));
    }
}
