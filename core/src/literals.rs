//! The literals of a language: `holdfast.syntax.literals`.

use pcre2::bytes::Regex;

use crate::tables::Language;
use crate::text::{is_word, skip};
use crate::tree::Failure;

/// Parts of a regular expression literal, and characters in one of its classes, that are read at most.
const MAX_REGEX_PARTS: usize = 500;
const MAX_REGEX_CLASS: usize = 200;

pub struct Literals<'a> {
    /// A literal at a position, or the empty text.
    pattern: &'a Regex,
    has_regexes: bool,
}

impl<'a> Literals<'a> {
    pub fn new(language: &'a Language) -> Result<Self, Failure> {
        let has_regexes = language.flow.string_styles.iter().any(|style| style == "regex");
        Ok(Self { pattern: language.pattern("lexer.literals")?, has_regexes })
    }

    /// Returns the end of the literal at a position, if there is one.
    pub fn end(&self, text: &[u8], at: usize) -> Result<Option<usize>, Failure> {
        let starts_literal = match text[at] {
            b'"' | b'\'' | b'`' | b'@' | b'$' => true,
            b'<' => text.get(at + 1) == Some(&b'<'), // a heredoc
            b'/' if self.has_regexes => return Ok(regex_end(text, at)),
            first => first.is_ascii_alphabetic(),
        };
        if !starts_literal {
            return Ok(None);
        }
        let found = self.pattern.find_at(text, at)?;
        Ok(found.map(|found| found.end()).filter(|end| *end > at))
    }
}

/// Returns the end of a regular expression literal, by the pattern `regex` of the Python module.
///
/// Scanned here, because PCRE2 copies a repeated group as often as it may repeat, and these are too many.
fn regex_end(text: &[u8], at: usize) -> Option<usize> {
    let before = &text[..at];
    let operand = before.strip_suffix(b" ");
    let follows = |before: &[u8], signs: &[u8]| before.last().is_some_and(|byte| signs.contains(byte));
    let can_start = follows(before, b"=(,:;!&|?{}[\n")
        || operand.is_some_and(|before| follows(before, b"=(,:;!&|?{}[") || before.ends_with(b"return"));
    if !can_start || matches!(text.get(at + 1), Some(b'/' | b'*')) {
        return None;
    }
    let mut end = at + 1;
    let mut parts = 0;
    while let Some(part_end) = regex_part_end(text, end).filter(|_| parts < MAX_REGEX_PARTS) {
        end = part_end;
        parts += 1;
    }
    (parts > 0 && text.get(end) == Some(&b'/')).then(|| skip(text, end + 1, is_word))
}

fn regex_part_end(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at)? {
        b'/' | b'\n' => None,
        b'\\' => escape_end(text, at),
        b'[' => {
            let mut end = at + 1;
            for _ in 0..MAX_REGEX_CLASS {
                match text.get(end)? {
                    b']' | b'\n' => break,
                    b'\\' => match escape_end(text, end) {
                        Some(escape) => end = escape,
                        None => break,
                    },
                    _ => end += 1,
                }
            }
            (text.get(end) == Some(&b']')).then_some(end + 1)
        }
        _ => Some(at + 1),
    }
}

fn escape_end(text: &[u8], at: usize) -> Option<usize> {
    text.get(at + 1).is_some_and(|&byte| byte != b'\n').then_some(at + 2)
}
