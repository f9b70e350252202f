//! The literals and comments of a language: `holdfast.syntax.literals`.

use pcre2::bytes::Regex;

use crate::tables::Language;
use crate::text::{is_space, is_word, skip};
use crate::tree::Failure;

/// Parts of a regular expression literal, and characters in one of its classes, that are read at most.
const MAX_REGEX_PARTS: usize = 500;
const MAX_REGEX_CLASS: usize = 200;

/// What starts a comment that ends with its line.
#[derive(Clone, Copy)]
pub enum Comments {
    Slashes,
    Hash,
    /// A hash after white space.
    Shell,
    /// Two slashes, or a hash that does not open an attribute.
    All,
}

impl Comments {
    pub fn new(style: &str) -> Result<Self, Failure> {
        Ok(match style {
            "slashes" => Self::Slashes,
            "hash" => Self::Hash,
            "shell" => Self::Shell,
            "all" => Self::All,
            other => return Err(Failure::Failed(format!("There is no comment style '{other}'"))),
        })
    }

    /// Returns whether `/*` starts a comment.
    pub fn have_blocks(self) -> bool {
        matches!(self, Self::Slashes | Self::All)
    }

    /// Returns the end of the comment at a position, which is that of its line, if there is one.
    pub fn line_end(self, text: &[u8], at: usize) -> Option<usize> {
        let following = text.get(at + 1);
        let starts = match (text.get(at)?, self) {
            (b'/', Self::Slashes | Self::All) => following == Some(&b'/'),
            (b'#', Self::Hash) => true,
            (b'#', Self::Shell) => at == 0 || is_space(text[at - 1]),
            (b'#', Self::All) => following != Some(&b'['),
            _ => false,
        };
        starts.then(|| skip(text, at, |byte| byte != b'\n'))
    }
}

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

/// Returns the end of the number at a position, which may have a fraction and an exponent with a sign.
pub fn number_end(text: &[u8], at: usize) -> usize {
    let is_digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let mut end = skip(text, at, is_word);
    if text.get(end) == Some(&b'.') && is_digit(end + 1) {
        end = skip(text, end + 1, is_word);
    }
    if matches!(text[end - 1], b'e' | b'E') && matches!(text.get(end), Some(b'+' | b'-')) && is_digit(end + 1)
    {
        end = skip(text, end + 1, |byte| byte.is_ascii_digit());
    }
    end
}

#[cfg(test)]
mod tests {
    use super::{Comments, number_end, regex_end};

    #[test]
    fn numbers_may_have_a_fraction_and_an_exponent() {
        let ends =
            [b"0x1F;".as_slice(), b"1.5e-3x", b"1.e5", b"1..2", b"1e+"].map(|text| number_end(text, 0));
        assert_eq!(ends, [4, 6, 1, 1, 2]);
    }

    #[test]
    fn a_slash_after_an_operand_is_a_division() {
        let ends = [b"=/a[/]b/g;".as_slice(), b"a/b/c", b"return /x/", b"=/a", b"=//"];
        let at = |text: &[u8]| text.iter().position(|&byte| byte == b'/').map(|at| regex_end(text, at));
        assert_eq!(ends.map(at), [Some(Some(9)), Some(None), Some(Some(10)), Some(None), Some(None)]);
    }

    #[test]
    fn comments_end_with_their_line() {
        assert_eq!(Comments::All.line_end(b"#a\nb", 0), Some(2));
        assert_eq!(Comments::All.line_end(b"#[a]", 0), None);
        assert_eq!(Comments::Shell.line_end(b"a#b", 1), None);
        assert_eq!(Comments::Slashes.line_end(b"//a", 0), Some(3));
    }
}
