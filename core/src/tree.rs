//! Parses source text into a tree-sitter syntax tree, within limits: `holdfast.syntax.parse`.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

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
        Self::Failed(error.to_string())
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

    /// Iterates over the names with nodes, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[Node<'t>])> {
        self.by_name.iter().map(|(name, nodes)| (name.as_str(), nodes.as_slice()))
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
    Failure::TooLong(format!("The text could not be read as {} within {:?}", language.name, limit))
}

/// Parses a text, or fails after some time.
pub fn parse<'a>(language: &'a Language, source: &'a [u8], limit: Duration) -> Result<Parsed<'a>, Failure> {
    let characters = source.iter().filter(|byte| (**byte & 0xC0) != 0x80).count();
    if characters > MAX_CHARACTERS {
        return Err(Failure::TooLong(format!(
            "The text has {characters} characters; at most {MAX_CHARACTERS} are parsed"
        )));
    }
    parse_text(language, source, source.to_vec(), limit)
}

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
    Ok(Parsed { language, source, tree: Arc::new(SourceTree { tree, text }), problems: Vec::new() })
}
