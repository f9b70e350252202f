//! Parses source text into a tree-sitter syntax tree, within limits: `holdfast.syntax.parse`.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use tree_sitter::{Node, ParseOptions, Parser, Query, QueryCursor, QueryCursorOptions, StreamingIterator};

use crate::grammar::SourceTree;
use crate::tables::Language;

/// Why a file has no record.
#[derive(Debug)]
pub enum Failure {
    /// The text is too long, or takes too long to read.
    TooLong(String),
    Failed(String),
}

impl From<pcre2::Error> for Failure {
    fn from(error: pcre2::Error) -> Self {
        Self::Failed(format!("An expression could not be matched: {error}"))
    }
}

impl From<pyo3::PyErr> for Failure {
    fn from(error: pyo3::PyErr) -> Self {
        // Not its message, which may quote the source.
        let name = pyo3::Python::attach(|py| error.get_type(py).to_string());
        Self::Failed(format!("{name} in a function of the language's table"))
    }
}

/// A syntax error, with its line and column in bytes, both from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

/// A source text with its syntax tree.
pub struct Parsed<'a> {
    pub language: &'a Language,
    /// The text as it is; the tree may be that of a text with replacements of equal length, `tree.text`.
    pub source: &'a [u8],
    pub tree: Arc<SourceTree>,
    pub problems: Vec<Problem>,
}

impl Parsed<'_> {
    pub fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// Returns the text of a node, like `Node.text` in Python.
    pub fn text_of(&self, node: Node<'_>) -> &[u8] {
        &self.tree.text[node.byte_range()]
    }
}

/// The captured nodes by the name of the capture: each node once, in the order of the matches.
#[derive(Default)]
pub struct Captures<'t> {
    by_name: HashMap<String, Vec<Node<'t>>>,
}

impl<'t> Captures<'t> {
    pub fn get(&self, name: &str) -> &[Node<'t>] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }
}

/// Ordinary files are parsed in milliseconds; only degenerate text takes so long.
pub const MAX_PARSE_TIME: Duration = Duration::from_secs(5);
/// Hand-written files are much shorter, and the tree of such a text still fits into memory.
const MAX_CHARACTERS: usize = 5_000_000;
/// After the first few errors of a file, the others are usually consequences.
const MAX_PROBLEMS: usize = 20;
/// How much of an unexpected text a message quotes, to fit a line.
const MAX_QUOTED_CHARACTERS: usize = 40;

/// Runs a query; returns the nodes by capture name, or fails after some time.
pub fn captures<'t>(parsed: &'t Parsed<'_>, query: &Query, limit: Duration) -> Result<Captures<'t>, Failure> {
    let deadline = Instant::now() + limit;
    let mut cursor = QueryCursor::new();
    let mut is_late = |_: &_| Instant::now() >= deadline;
    let options = QueryCursorOptions::new().progress_callback(&mut is_late);
    let mut matches = cursor.matches_with_options(query, parsed.root(), parsed.tree.text.as_slice(), options);
    let names = query.capture_names();
    let mut nodes: Vec<Vec<Node<'t>>> = vec![Vec::new(); names.len()];
    let mut seen: HashSet<(u32, usize)> = HashSet::new();
    while let Some(found) = matches.next() {
        for capture in found.captures {
            if seen.insert((capture.index, capture.node.id())) {
                nodes[capture.index as usize].push(capture.node);
            }
        }
    }
    drop(matches);
    if Instant::now() >= deadline {
        return Err(too_slow(parsed.language, limit)); // at the time limit the result is partial
    }
    let by_name = names.iter().map(|name| (*name).to_owned()).zip(nodes);
    Ok(Captures { by_name: by_name.filter(|(_, nodes)| !nodes.is_empty()).collect() })
}

fn too_slow(language: &Language, limit: Duration) -> Failure {
    let seconds = format!("{:.1}", limit.as_secs_f64());
    let seconds = seconds.trim_end_matches(".0");
    Failure::TooLong(format!("The text could not be read as {} within {seconds} s", language.name))
}

/// Parses a text, or fails after some time.
pub fn parse<'a>(language: &'a Language, source: &'a [u8], limit: Duration) -> Result<Parsed<'a>, Failure> {
    let characters = source.iter().filter(|byte| (**byte & 0xC0) != 0x80).count();
    if characters > MAX_CHARACTERS {
        return Err(Failure::TooLong(format!(
            "The text has {characters} characters; at most {MAX_CHARACTERS} are parsed"
        )));
    }
    let mut parsed = if language.has_exact_grammar {
        let parsed = parse_text(language, source, source.to_vec(), limit)?;
        let rewritten = if parsed.problems.is_empty() { None } else { Some(rewrite(language, source)?) };
        match rewritten.filter(|rewritten| rewritten != source) {
            Some(rewritten) => {
                let reparsed = parse_text(language, source, rewritten, limit)?;
                if reparsed.problems.len() < parsed.problems.len() { reparsed } else { parsed }
            }
            None => parsed,
        }
    } else {
        parse_text(language, source, rewrite(language, source)?, limit)?
    };
    parsed.problems.truncate(MAX_PROBLEMS);
    Ok(parsed)
}

/// Replaces syntax that the grammar does not know with equivalents of the same length.
fn rewrite(language: &Language, source: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut source = source.to_vec();
    for (pattern, equivalent) in &language.rewrites {
        let mut rewritten = source.clone();
        for found in pattern.regex()?.find_iter(&source) {
            let found = found?;
            let place = &mut rewritten[found.start()..found.end()];
            place.fill(b' ');
            place[..equivalent.len()].copy_from_slice(equivalent);
        }
        source = rewritten;
    }
    Ok(source)
}

/// Builds the tree and collects its errors, both within the same time.
fn parse_text<'a>(
    language: &'a Language,
    source: &'a [u8],
    text: Vec<u8>,
    limit: Duration,
) -> Result<Parsed<'a>, Failure> {
    let deadline = Instant::now() + limit;
    let mut parser = Parser::new();
    parser.set_language(&language.grammar).map_err(|error| Failure::Failed(error.to_string()))?;
    let mut is_late = |_: &_| Instant::now() >= deadline;
    let options = ParseOptions::new().progress_callback(&mut is_late);
    let mut read = |offset: usize, _| &text[offset.min(text.len())..];
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    let tree = tree.ok_or_else(|| too_slow(language, limit))?;
    let mut parsed =
        Parsed { language, source, tree: Arc::new(SourceTree { tree, text }), problems: Vec::new() };
    if parsed.root().has_error() {
        parsed.problems = problems(&parsed, deadline.saturating_duration_since(Instant::now()))?;
    }
    Ok(parsed)
}

/// Returns the syntax errors by position.
fn problems(parsed: &Parsed<'_>, limit: Duration) -> Result<Vec<Problem>, Failure> {
    let query = parsed.language.query("(ERROR) @unexpected (MISSING) @missing")?;
    let found = captures(parsed, &query, limit)?;
    let mut problems = Vec::new();
    for node in found.get("unexpected") {
        problems.push(problem(*node, format!("Unexpected '{}'", quote_first_line(parsed, *node)?)));
    }
    for node in found.get("missing") {
        problems.push(problem(*node, format!("Missing '{}'", node.kind())));
    }
    problems.sort();
    Ok(problems)
}

fn problem(node: Node<'_>, message: String) -> Problem {
    let start = node.start_position();
    Problem { line: start.row + 1, column: start.column + 1, message }
}

fn quote_first_line(parsed: &Parsed<'_>, node: Node<'_>) -> Result<String, Failure> {
    let text = parsed.text_of(node);
    if !text.is_ascii() {
        // Which characters are printable is known to Python, whose version of Unicode is not ours.
        return Ok(Python::attach(|py| {
            let quote = py.import("holdfast.syntax.parse")?.getattr("quote_first_line")?;
            quote.call1((crate::node::Node::new(&parsed.tree, node),))?.extract::<String>()
        })?);
    }
    let text = String::from_utf8_lossy(text);
    let is_space = |char| matches!(char, '\t'..='\r' | '\x1c'..='\x20');
    let first = text.trim_matches(is_space).split('\n').next().unwrap_or_default();
    let mut quoted = String::new();
    if first.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        quoted.push_str(first);
    } else {
        for byte in first.bytes().take(MAX_QUOTED_CHARACTERS) {
            match byte {
                b' '..=b'~' => quoted.push(char::from(byte)),
                _ => write!(quoted, "<U+{byte:04X}>").unwrap_or_default(),
            }
        }
    }
    if quoted.len() > MAX_QUOTED_CHARACTERS {
        quoted.truncate(MAX_QUOTED_CHARACTERS);
        quoted.push('…');
    }
    Ok(quoted)
}
