//! Halstead's operators and operands: `holdfast.syntax.halstead`.
//!
//! Tokens are scanned here in the order of the alternatives of the Python pattern; only literals use expressions.

use std::collections::{HashMap, HashSet};

use memchr::memmem;

use crate::literals::{Comments, Literals, number_end};
use crate::tables::Language;
use crate::text::{is_word, skip};
use crate::tree::Failure;

const SYMBOLS: &[u8] = b"-+*/%&|^~<>=!?:.@,;([{";
/// Longer ones come before their beginnings.
const LONG_SYMBOLS: [&str; 42] = [
    ">>>=", "<=>", "===", "!==", ">>>", "<<=", ">>=", "**=", "&&=", "||=", "??=", "//=", "...", "..=", "..<",
    "**", "&&", "||", "??", "?.", "->", "=>", "::", ":=", "++", "--", "//", "..", "-=", "+=", "*=", "/=",
    "%=", "&=", "|=", "^=", "<=", ">=", "==", "!=", "<<", ">>",
];

/// The four counts of Halstead's metrics.
#[derive(Clone, Copy, Default)]
pub struct Halstead {
    pub distinct_operators: usize,
    pub distinct_operands: usize,
    pub operators: usize,
    pub operands: usize,
}

/// A token that occurs in a file.
struct KnownToken {
    is_operator: bool,
    /// The last text that has it.
    last_text: usize,
}

/// The distinct tokens of the functions of a file, which are numbered.
pub struct Vocabulary<'a> {
    lexer: Lexer<'a>,
    keywords: &'a HashSet<String>,
    numbers: HashMap<&'a [u8], usize>,
    tokens: Vec<KnownToken>,
    texts: usize,
}

impl<'a> Vocabulary<'a> {
    pub fn new(language: &'a Language) -> Result<Self, Failure> {
        let lexer = Lexer::new(language)?;
        let keywords = &language.flow.operators;
        Ok(Self { lexer, keywords, numbers: HashMap::new(), tokens: Vec::new(), texts: 0 })
    }

    /// Returns the number of a token, if a text has it.
    pub fn number(&self, token: &[u8]) -> Option<usize> {
        self.numbers.get(token).copied()
    }

    /// Counts the operators and operands of a text, and returns the numbers of its distinct tokens.
    pub fn add(&mut self, text: &'a [u8]) -> Result<(Halstead, Vec<usize>), Failure> {
        let (mut counts, mut distinct, mut position) = (Halstead::default(), Vec::new(), 0);
        self.texts += 1;
        while let Some((start, end)) = self.lexer.next(text, position)? {
            position = end;
            let number = *self.numbers.entry(&text[start..end]).or_insert_with_key(|token| {
                let is_operator = is_operator(token, self.keywords);
                self.tokens.push(KnownToken { is_operator, last_text: 0 });
                self.tokens.len() - 1
            });
            let token = &mut self.tokens[number];
            let is_new = usize::from(std::mem::replace(&mut token.last_text, self.texts) != self.texts);
            if token.is_operator {
                counts.operators += 1;
                counts.distinct_operators += is_new;
            } else {
                counts.operands += 1;
                counts.distinct_operands += is_new;
            }
            if is_new > 0 {
                distinct.push(number);
            }
        }
        Ok((counts, distinct))
    }
}

fn is_operator(token: &[u8], keywords: &HashSet<String>) -> bool {
    operator_length(token) == token.len() || str::from_utf8(token).is_ok_and(|token| keywords.contains(token))
}

/// Returns the length of the operator at the start of a text, or 0; words that are operators do not count.
fn operator_length(text: &[u8]) -> usize {
    let symbols = text.iter().take(2).take_while(|byte| SYMBOLS.contains(byte)).count();
    if symbols < 2 {
        return symbols;
    }
    LONG_SYMBOLS.iter().find(|symbol| text.starts_with(symbol.as_bytes())).map_or(1, |symbol| symbol.len())
}

/// Splits texts into operators and operands.
struct Lexer<'a> {
    literals: Literals<'a>,
    comments: Comments,
}

impl<'a> Lexer<'a> {
    fn new(language: &'a Language) -> Result<Self, Failure> {
        Ok(Self {
            literals: Literals::new(language)?,
            comments: Comments::new(&language.flow.comment_style)?,
        })
    }

    /// Returns the start and end of the first token from a position on.
    fn next(&self, text: &[u8], mut at: usize) -> Result<Option<(usize, usize)>, Failure> {
        loop {
            at = skip(text, at, |byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b')' | b']' | b'}'));
            if at == text.len() {
                return Ok(None);
            }
            if let Some(end) = self.comment_end(text, at) {
                at = end;
            } else if let Some(end) = self.token_end(text, at)? {
                return Ok(Some((at, end)));
            } else {
                at = next_start(text, at);
            }
        }
    }

    fn comment_end(&self, text: &[u8], at: usize) -> Option<usize> {
        if self.comments.have_blocks() && text[at..].starts_with(b"/*") {
            return memmem::find(&text[at + 2..], b"*/").map(|length| at + 2 + length + 2);
        }
        self.comments.line_end(text, at)
    }

    fn token_end(&self, text: &[u8], at: usize) -> Result<Option<usize>, Failure> {
        if let Some(end) = word_end(text, at).filter(|end| !matches!(text.get(*end), Some(b'"' | b'\''))) {
            return Ok(Some(end));
        }
        if text[at].is_ascii_digit() {
            return Ok(Some(number_end(text, at)));
        }
        if let Some(end) = self.literals.end(text, at)? {
            return Ok(Some(end));
        }
        let length = operator_length(&text[at..]);
        Ok((length > 0).then_some(at + length))
    }
}

fn is_name(byte: u8) -> bool {
    is_word(byte) || byte == b'$' || !byte.is_ascii()
}

fn word_end(text: &[u8], at: usize) -> Option<usize> {
    let start = at + usize::from(text[at] == b'@');
    let starts_word = text.get(start).is_some_and(|&byte| is_name(byte) && !byte.is_ascii_digit());
    starts_word.then(|| skip(text, start, is_name))
}

/// Returns where a token may start after a position where there is none.
///
/// In a word before a quotation mark, this is a digit or the prefix of the string, of at most two letters.
fn next_start(text: &[u8], at: usize) -> usize {
    if !is_name(text[at]) {
        return at + 1;
    }
    let next = skip(text, at + 1, |byte| is_name(byte) && !byte.is_ascii_digit());
    let is_digit = text.get(next).is_some_and(u8::is_ascii_digit);
    if is_digit { next } else { next.saturating_sub(2).max(at + 1) }
}

#[cfg(test)]
mod tests {
    use super::{next_start, operator_length, word_end};

    #[test]
    fn operators_are_the_longest_symbols() {
        let lengths = [b">>>=1".as_slice(), b"..<", b"=>", b"=!", b"(-", b"a", b"}"].map(operator_length);
        assert_eq!(lengths, [4, 3, 2, 1, 1, 0, 0]);
    }

    #[test]
    fn the_prefix_of_a_string_is_no_word() {
        assert_eq!(word_end(b"@app.route", 0), Some(4));
        assert_eq!(next_start(b"barf\"x\"", 0), 2);
        assert_eq!(next_start(b"a12b\"x\"", 0), 1);
        assert_eq!(next_start(b"\\name", 0), 1);
    }
}
