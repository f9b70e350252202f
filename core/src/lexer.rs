//! Splits source text into tokens as `holdfast.syntax.lexer` does, byte for byte.
//!
//! The patterns of literals and imports come from the Python modules. What most tokens are (white space,
//! comments, words, numbers and signs) is scanned here, in the order of the alternatives of the Python
//! pattern.

use memchr::memchr_iter;
use pcre2::bytes::Regex;

use crate::literals::{Comments, Literals, number_end};
use crate::tables::Language;
use crate::text::{is_space, is_word, skip};
use crate::tree::Failure;

const KIND_BITS: u32 = 3;
const LINE_BITS: u32 = 22;
const KEYWORD: u32 = 1 << KIND_BITS;
const WORD_MASK: u32 = !(2 * KEYWORD - 1);
const MULTILINE_OFFSET: u32 = 2;
const MAX_INDENTATION: u32 = 127;
const TAB_COLUMNS: u32 = 4;
const KEYWORD_BUCKETS: usize = 64;

const SIGN: u32 = 1;
const NAME: u32 = 2;
const NUMBER: u32 = 3;
const STRING: u32 = 4;
const IMPORT: u32 = 5;

/// Returns the numbers of the tokens of a text and those of their line ends, as 32-bit numbers of this machine.
pub fn tokenize(language: &Language, source: &[u8]) -> Result<Vec<Vec<u8>>, Failure> {
    let text = [b"\n", source].concat(); // so that the first line follows a line end too
    Lexer::new(language)?.tokenize(&text)
}

/// The lexer of one language.
struct Lexer<'a> {
    /// By the low bits of their CRC-32.
    keywords: Vec<Vec<&'a [u8]>>,
    comments: Comments,
    /// An import at a position, or the empty text.
    imports: &'a Regex,
    literals: Literals<'a>,
}

/// What a token is known to be once its end is found.
enum Shape {
    Blank,
    Word,
    Number,
    Literal,
    Import,
}

impl<'a> Lexer<'a> {
    fn new(language: &'a Language) -> Result<Self, Failure> {
        let flow = &language.flow;
        let mut keywords = vec![Vec::new(); KEYWORD_BUCKETS];
        for word in flow.operators.iter().map(String::as_bytes) {
            keywords[crc32(word) as usize % KEYWORD_BUCKETS].push(word);
        }
        Ok(Self {
            keywords,
            comments: Comments::new(&flow.comment_style)?,
            imports: language.pattern("lexer.imports")?,
            literals: Literals::new(language)?,
        })
    }

    fn tokenize(&self, text: &[u8]) -> Result<Vec<Vec<u8>>, Failure> {
        let mut tokens = Vec::with_capacity(text.len());
        let mut line_ends = Vec::new();
        let mut end = 0;
        loop {
            let start = self.skip_comment(text, skip(text, end, |byte| is_space(byte) && byte != b'\n'));
            let (token_end, shape) = self.token(text, start)?;
            let token = &text[start..token_end];
            let lines = count_lines(token);
            tokens.extend_from_slice(&self.number(token, &shape, lines).to_ne_bytes());
            if lines > 0 && !matches!(shape, Shape::Blank) {
                line_ends.extend_from_slice(&lines.to_ne_bytes());
            }
            if token_end == end {
                return Ok(vec![tokens, line_ends]); // the empty token at the end of the text
            }
            end = token_end;
        }
    }

    fn skip_comment(&self, text: &[u8], at: usize) -> usize {
        self.comments.line_end(text, at).unwrap_or(at)
    }

    /// Returns the end of the token at a position, and what it is.
    fn token(&self, text: &[u8], at: usize) -> Result<(usize, Shape), Failure> {
        let rest = &text[at..];
        let Some(&first) = rest.first() else {
            return Ok((at, Shape::Blank));
        };
        if first == b'\n' || rest.starts_with(b"\\\n") {
            return Ok((skip(text, at + 1 + usize::from(first == b'\\'), is_space), Shape::Blank));
        }
        if text[at - 1] == b'\n'
            && let Some(end) = find_end(self.imports, text, at)?
        {
            let is_word = word_end(text, at) == Some(end); // a keyword alone, without what it imports
            return Ok((end, if is_word { Shape::Word } else { Shape::Import }));
        }
        let word = word_end(text, at);
        if let Some(end) = word.filter(|end| !prefixes_string(&text[*end..])) {
            return Ok((end, Shape::Word));
        }
        if self.comments.have_blocks() && rest.starts_with(b"/*") {
            return Ok((find(text, at + 2, b"*/"), Shape::Blank));
        }
        if b"()[].,:=;{}".contains(&first) {
            return Ok((at + 1, Shape::Literal));
        }
        if let Some(end) = self.literals.end(text, at)? {
            return Ok((end, Shape::Literal));
        }
        if first.is_ascii_digit() {
            return Ok((number_end(text, at), Shape::Number));
        }
        Ok(word.map_or((at + 1, Shape::Literal), |end| (end, Shape::Word))) // a string that is not closed
    }

    fn number(&self, token: &[u8], shape: &Shape, lines: u32) -> u32 {
        let kind = match shape {
            Shape::Blank => return (indentation(token) << LINE_BITS | lines) << KIND_BITS,
            Shape::Word => {
                let hash = crc32(token);
                let is_keyword = self.keywords[hash as usize % KEYWORD_BUCKETS].contains(&token);
                return hash & WORD_MASK | if is_keyword { KEYWORD | SIGN } else { NAME };
            }
            Shape::Number => NUMBER,
            Shape::Literal if token.len() == 1 => SIGN,
            Shape::Literal => STRING,
            Shape::Import => IMPORT,
        };
        let offset = if lines > 0 { MULTILINE_OFFSET } else { 0 };
        (crc32(token) & WORD_MASK | kind) + offset
    }
}

/// Returns the end of what a pattern matches at a position, unless it is empty.
fn find_end(pattern: &Regex, text: &[u8], at: usize) -> Result<Option<usize>, Failure> {
    let found = pattern.find_at(text, at)?;
    Ok(found.map(|found| found.end()).filter(|end| *end > at))
}

/// Returns the end of the first `closing`, or of the text.
fn find(text: &[u8], at: usize, closing: &[u8]) -> usize {
    let found = text[at..].windows(closing.len()).position(|window| window == closing);
    found.map_or(text.len(), |length| at + length + closing.len())
}

fn word_end(text: &[u8], at: usize) -> Option<usize> {
    let start = at + usize::from(matches!(text[at], b'@' | b'$'));
    let first = *text.get(start)?;
    let starts = first.is_ascii_alphabetic() || first == b'_' || first >= 0x80;
    starts.then(|| skip(text, start + 1, |byte| is_word(byte) || byte == b'$' || byte >= 0x80))
}

/// Returns whether what follows a word is a string, perhaps a raw one of Rust: `r##"`.
fn prefixes_string(rest: &[u8]) -> bool {
    let hashes = rest.iter().take(2).take_while(|&&byte| byte == b'#').count();
    matches!(rest.get(hashes), Some(b'"' | b'\''))
}

fn count_lines(token: &[u8]) -> u32 {
    let lines = memchr_iter(b'\n', token).count();
    u32::try_from(lines).unwrap_or(u32::MAX)
}

/// Returns the columns of white space on the last line of a token; 0 if it has anything else.
fn indentation(blank: &[u8]) -> u32 {
    let last_line = blank.rsplit(|&byte| byte == b'\n').next().unwrap_or(blank);
    if !last_line.iter().all(|&byte| is_space(byte)) {
        return 0;
    }
    let (mut length, mut column) = (0, 0);
    for byte in last_line {
        let width = if *byte == b'\t' { TAB_COLUMNS - column % TAB_COLUMNS } else { 1 };
        length += width;
        column = if *byte == b'\r' { 0 } else { column + width };
    }
    length.min(MAX_INDENTATION)
}

const CRC_TABLE: [u32; 256] = crc_table();

const fn crc_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte: u32 = 0;
    while byte < 256 {
        let mut remainder = byte;
        let mut bit = 0;
        while bit < 8 {
            remainder = (remainder >> 1) ^ (0xEDB8_8320 & (remainder & 1).wrapping_neg());
            bit += 1;
        }
        table[byte as usize] = remainder;
        byte += 1;
    }
    table
}

/// The CRC-32 of zlib.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes
        .iter()
        .fold(!0, |crc: u32, &byte| CRC_TABLE[((crc ^ u32::from(byte)) & 0xFF) as usize] ^ (crc >> 8))
}
