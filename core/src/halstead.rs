//! Halstead's operators and operands, found with one regular expression per language: `holdfast.syntax.halstead`.

use std::collections::{HashMap, HashSet};

use pcre2::bytes::{CaptureLocations, Regex};

use crate::tables::Language;
use crate::tree::Failure;

const OPERATOR_SYMBOLS: &str = "<=> === !== >>> >>>= <<= >>= ** **= && &&= || ||= ?? ??= ?. -> => :: := ++ -- // //= \
    ... .. ..= ..< -= += *= /= %= &= |= ^= <= >= == != << >> - + * / % & | ^ ~ < > = ! ? : . @ , ; ( [ {";

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
    /// Its first group is a token, or unset for a comment.
    pattern: &'a Regex,
    /// The tokens that are operators; all others are operands.
    operators: HashSet<&'a [u8]>,
    numbers: HashMap<&'a [u8], usize>,
    tokens: Vec<KnownToken>,
    locations: CaptureLocations,
    texts: usize,
}

impl<'a> Vocabulary<'a> {
    pub fn new(language: &'a Language) -> Result<Self, Failure> {
        let pattern = language.pattern("halstead.tokens")?;
        let operators = OPERATOR_SYMBOLS
            .split_ascii_whitespace()
            .chain(language.flow.operators.iter().map(String::as_str));
        Ok(Self {
            pattern,
            operators: operators.map(str::as_bytes).collect(),
            numbers: HashMap::new(),
            tokens: Vec::new(),
            locations: pattern.capture_locations(),
            texts: 0,
        })
    }

    /// Returns the number of a token, if a text has it.
    pub fn number(&self, token: &[u8]) -> Option<usize> {
        self.numbers.get(token).copied()
    }

    /// Counts the operators and operands of a text, and returns the numbers of its distinct tokens.
    pub fn add(&mut self, text: &'a [u8]) -> Result<(Halstead, Vec<usize>), Failure> {
        let (mut counts, mut distinct, mut position) = (Halstead::default(), Vec::new(), 0);
        self.texts += 1;
        while let Some(found) = self.pattern.captures_read_at(&mut self.locations, text, position)? {
            position = found.end();
            let Some((start, end)) = self.locations.get(1) else {
                continue; // a comment
            };
            let number = *self.numbers.entry(&text[start..end]).or_insert_with_key(|token| {
                self.tokens.push(KnownToken { is_operator: self.operators.contains(*token), last_text: 0 });
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
