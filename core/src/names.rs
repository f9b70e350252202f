//! Reads the names that a file defines, imports, uses and calls: `holdfast.syntax.names`.
//!
//! Declarations and imports are read from nodes of the syntax tree. Uses are read from the text: comments, strings and
//! declared names are blanked out, and every identifier that is left is a use.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::iter;
use std::ops::Range;

use memchr::memmem;
use pyo3::prelude::*;
use tree_sitter::Node;

use crate::calls::read_calls;
use crate::definitions::{Definition, Definitions};
use crate::record::{Section, row};
use crate::regions::{Owner, Regions, Spans, sort_by_position};
use crate::symbols::{Declared, VARIABLES, name_node};
use crate::tables::Naming;
use crate::text;
use crate::tree::{Captures, Failure, Parsed};
use crate::unicode::{is_decimal, is_word};
use crate::unused::{Unused, find_unused};
use crate::uses::{Uses, read_uses, replace, separate_tokens};

/// The longest string without a space that is recorded as a name; identifiers are shorter.
const MAX_NAME_BYTES: usize = 100;
const BLANKED_ROLES: [&str; 7] = ["comment", "hidden", "parameter", "local", "bound", "import", "package"];

/// One name that an import binds: `record.ImportedName`.
pub struct ImportedName {
    pub module: String,
    pub name: String,
    pub alias: String,
    pub line: usize,
    pub level: usize,
    pub definition: Owner,
    pub reexported: bool,
    pub typing_only: bool,
}

row!(ImportedName: module, name, alias, line, level, definition, reexported, typing_only);

/// A call in the source: `record.CallSite`.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub struct CallSite<'a> {
    pub definition: Owner,
    pub callee: Cow<'a, str>,
    pub line: usize,
}

row!(CallSite<'_>: definition, callee, line);

/// What a file defines, imports, uses and calls: `record.Names`.
pub struct Names<'a> {
    pub definitions: Vec<Definition<'a>>,
    pub uses: Uses<'a>,
    pub imports: Vec<ImportedName>,
    pub calls: Vec<CallSite<'a>>,
    pub exports: Vec<String>,
    pub words: Vec<&'a str>,
    pub unused: Vec<Unused>,
    pub is_entry: bool,
    pub package: &'a str,
}

row!(Names<'_>: exports, words, is_entry, package);

/// A local name with the index of its function.
pub type Local<'a> = (usize, &'a str);

/// Reads the names of one file from the captured nodes and its blanked text.
pub struct NameReader<'a> {
    pub parsed: &'a Parsed<'a>,
    pub source: &'a str,
    pub naming: &'a Naming,
    pub declared: &'a [Declared<'a>],
    pub regions: Regions,
    /// Whether each definition is a function.
    pub functions: Vec<bool>,
    /// The node of each definition's name; the whole definition if it has none.
    pub name_nodes: Vec<Node<'a>>,
    /// The parameters and local variables of each function, sorted.
    pub bound: Vec<Local<'a>>,
    /// Each parameter with its function, sorted.
    pub parameters: Vec<Local<'a>>,
    /// The assignments of local variables.
    pub local_assignments: Vec<(Local<'a>, Node<'a>)>,
    captured: &'a Captures<'a>,
    /// The names in `declare global { … }`, which augment what other files declare.
    ambient_names: Vec<Node<'a>>,
    /// The range of each line of code in docstrings, as doctest runs it.
    examples: Vec<Range<usize>>,
    line_starts: OnceCell<Vec<usize>>,
}

impl<'a> NameReader<'a> {
    fn new(
        parsed: &'a Parsed<'a>,
        declared: &'a [Declared<'a>],
        captured: &'a Captures<'a>,
    ) -> Result<Self, Failure> {
        let source = str::from_utf8(parsed.source).map_err(|error| Failure::Failed(error.to_string()))?;
        let mut reader = Self {
            parsed,
            source,
            naming: &parsed.language.naming,
            declared,
            regions: Regions::new(declared),
            functions: declared.iter().map(Declared::is_function).collect(),
            name_nodes: declared.iter().map(|symbol| name_node(symbol.node)).collect(),
            bound: Vec::new(),
            parameters: Vec::new(),
            local_assignments: Vec::new(),
            captured,
            ambient_names: Vec::new(),
            examples: Vec::new(),
            line_starts: OnceCell::new(),
        };
        let blocks = Spans::new(reader.nodes("ambient"));
        let names = reader.name_nodes.iter().copied();
        reader.ambient_names = names.filter(|name| blocks.contains(name.start_byte())).collect();
        reader.examples = reader.find_examples();
        let elsewhere = reader.code_from_elsewhere();
        reader.regions.reassign(elsewhere);
        reader.collect_bound_names();
        Ok(reader)
    }

    /// Returns the nodes that were captured under a role.
    pub fn nodes(&self, role: &str) -> impl Iterator<Item = Node<'a>> + use<'a> {
        self.captured.get(role).iter().copied()
    }

    pub fn text(&self, node: Node) -> &'a str {
        &self.source[node.byte_range()]
    }

    /// Tells whether the source has some bytes.
    pub fn has(&self, text: &[u8]) -> bool {
        memmem::find(self.source.as_bytes(), text).is_some()
    }

    /// Returns the number of lines.
    pub fn lines(&self) -> usize {
        self.line_starts().len()
    }

    fn line_starts(&self) -> &[usize] {
        self.line_starts.get_or_init(|| {
            let ends = memchr::memchr_iter(b'\n', self.source.as_bytes());
            iter::once(0).chain(ends.map(|end| end + 1)).collect()
        })
    }

    /// Returns a line by its number.
    pub fn line(&self, number: usize) -> &'a str {
        let starts = self.line_starts();
        let end = starts.get(number).map_or(self.source.len(), |next| next - 1);
        &self.source[starts[number - 1]..end]
    }

    /// Returns the lines of code in docstrings, which start with `>>>` or `...`.
    fn find_examples(&self) -> Vec<Range<usize>> {
        let mut examples = Vec::new();
        for node in self.nodes("docstring").filter(|_| self.has(b">>> ")) {
            let mut start = node.start_byte();
            let is_after_line = start == 0 || self.source.as_bytes()[start - 1] == b'\n';
            for (number, line) in self.text(node).split('\n').enumerate() {
                if let Some(code) = (number > 0 || is_after_line).then(|| example(line)).flatten() {
                    let end = start + line.len();
                    let length = memchr::memchr(b'\r', code.as_bytes()).unwrap_or(code.len());
                    examples.push(end - code.len()..end - code.len() + length);
                }
                start += line.len() + 1;
            }
        }
        examples
    }

    /// Returns the ranges of code that does not run as part of the definition whose text has it.
    ///
    /// The arguments of decorators and default values belong to the code around the definition.
    fn code_from_elsewhere(&self) -> Vec<(usize, usize, Owner)> {
        let mut spans = Vec::new();
        for node in self.nodes("outside").chain(self.ambient_names.iter().copied()) {
            let is_list = usize::from(matches!(node.kind(), "argument_list" | "arguments"));
            let (start, end) = (node.start_byte() + is_list, node.end_byte() - is_list); // without parentheses
            if let Some(owner) = self.regions.owner(node.start_byte()).filter(|_| start < end) {
                spans.push((start, end, self.regions.containers[owner]));
            }
        }
        spans.extend(self.examples.iter().map(|line| (line.start, line.end, None)));
        spans
    }

    /// Returns the texts captured under a role, or only those before the name, by definition.
    pub fn texts_by_owner(&self, role: &str, before_the_name: bool) -> HashMap<usize, Vec<&'a str>> {
        let mut texts: HashMap<usize, Vec<_>> = HashMap::new();
        for node in sort_by_position(self.nodes(role)) {
            for owner in self.regions.owners_of_modifier(node.start_byte()) {
                let name = self.name_nodes[owner];
                let has_name = name != self.declared[owner].node;
                if !(before_the_name && has_name && node.start_byte() > name.start_byte()) {
                    texts.entry(owner).or_default().push(self.text(node));
                }
            }
        }
        texts
    }

    /// Collects the parameters and local variables of each function.
    fn collect_bound_names(&mut self) {
        let kept: HashSet<usize> = self.nodes("kept").map(|node| node.start_byte()).collect();
        for role in ["parameter", "bound", "local"] {
            for node in self.nodes(role) {
                let owner = self.regions.owner(node.start_byte());
                let Some(function) = owner.filter(|&owner| self.functions[owner]) else {
                    continue;
                };
                let name = self.text(node);
                let mut owner = Some(function);
                let mut has_own_default = false;
                if role == "parameter" {
                    self.parameters.push((function, name));
                    // In `size=size` the default is a name outside the function.
                    let default = self.source[node.end_byte()..].strip_prefix('=');
                    has_own_default = default.is_some_and(|default| default.starts_with(name));
                } else if self.declared[function].path.last().is_some_and(|last| **last == *name) {
                    owner = self.regions.containers[function]; // a variable to which a closure is assigned
                }
                let Some(owner) = owner.filter(|&owner| self.functions[owner] && !has_own_default) else {
                    continue;
                };
                if !kept.contains(&node.start_byte()) {
                    self.bound.push((owner, name));
                    if role == "local" {
                        self.local_assignments.push(((owner, name), node));
                    }
                }
            }
        }
        self.parameters.sort_unstable();
        self.bound.sort_unstable();
        self.bound.dedup();
        for node in self.nodes("outer") {
            let owner = self.regions.owner(node.start_byte());
            let outer = owner.map(|owner| (owner, self.text(node)));
            if let Some(Ok(index)) = outer.map(|outer| self.bound.binary_search(&outer)) {
                self.bound.remove(index);
            }
        }
    }

    /// Returns the source with everything blanked that is not a use of a name; offsets stay the same.
    fn blanked_source(&self) -> Result<Vec<u8>, Failure> {
        let source = self.source.as_bytes();
        let mut rest = source.to_vec();
        let names = self.name_nodes.iter().zip(self.declared).filter(|(name, symbol)| {
            name.child_count() == 0 && (**name != symbol.node || symbol.declaration.is_some())
        });
        let blanked = BLANKED_ROLES.iter().flat_map(|role| self.nodes(role));
        for node in blanked.chain(names.map(|(&name, _)| name)) {
            blank(&mut rest[node.byte_range()]);
        }
        for name in &self.ambient_names {
            rest[name.byte_range()].copy_from_slice(&source[name.byte_range()]);
        }
        for node in self.nodes("text") {
            blank(&mut rest[node.byte_range()]);
        }
        for line in &self.examples {
            rest[line.clone()].copy_from_slice(&source[line.clone()]);
        }
        if let Some(name) = &self.naming.interpolated_name {
            let name = name.regex()?;
            let mut found = name.capture_locations();
            for node in self.nodes("text") {
                let (mut at, end) = (node.start_byte(), node.end_byte());
                while let Some(whole) = name.captures_read_at(&mut found, &source[..end], at)? {
                    let (start, end) = found.get(1).expect("the name is the first group");
                    rest[start..end].copy_from_slice(&source[start..end]);
                    at = whole.end();
                }
            }
        }
        for operator in &self.naming.member_operators {
            let mut dot = vec![b' '; operator.len() - 1];
            dot.push(b'.');
            replace(&mut rest, operator, &dot);
        }
        Ok(rest)
    }

    /// Returns the names that the file imports, by line.
    fn imports(&self, py: Python<'_>) -> PyResult<Vec<ImportedName>> {
        let mut rows = Vec::new();
        let Some(read_imports) = &self.naming.read_imports else {
            return Ok(rows);
        };
        for node in sort_by_position(self.nodes("import").chain(self.nodes("required"))) {
            let mut definition = self.regions.owner(node.start_byte());
            while let Some(owner) = definition
                && (VARIABLES.contains(&&*self.declared[owner].kind) || self.declared[owner].node == node)
            {
                definition = self.regions.containers[owner];
            }
            for row in read_imports.bind(py).call1((self.python_node(node),))?.try_iter()? {
                type Row = (String, String, String, usize, usize, i64, bool, bool);
                let (module, name, alias, line, level, _, reexported, typing_only): Row = row?.extract()?;
                rows.push(ImportedName {
                    module,
                    name,
                    alias,
                    line,
                    level,
                    definition,
                    reexported,
                    typing_only,
                });
            }
        }
        rows.sort_by_key(|row| row.line);
        Ok(rows)
    }

    /// Returns the names in export lists, each once.
    fn exports(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        let mut seen = HashSet::new();
        for node in sort_by_position(self.nodes("export")) {
            let Some(read_exports) = &self.naming.read_exports else {
                break;
            };
            for name in read_exports.bind(py).call1((self.python_node(node),))?.try_iter()? {
                let name: String = name?.extract()?;
                if seen.insert(name.clone()) {
                    names.push(name);
                }
            }
        }
        Ok(names)
    }

    fn python_node(&self, node: Node) -> crate::node::Node {
        crate::node::Node::new(&self.parsed.tree, node)
    }

    /// Returns the identifiers in strings, without those in docstrings and imports, sorted.
    fn words(&self) -> Vec<&'a str> {
        let prose: HashSet<usize> = self.nodes("docstring").map(|node| node.start_byte()).collect();
        let imports = Spans::new(self.nodes("import").chain(self.nodes("required")));
        let mut words = Vec::new();
        for node in self.nodes("text") {
            let start = node.start_byte();
            if !prose.contains(&start) && !imports.contains(start) {
                collect_identifiers(self.text(node), &mut words);
            }
        }
        words.sort_unstable();
        words.dedup();
        words
    }

    fn is_entry(&self) -> Result<bool, Failure> {
        let (trigger, pattern) = &self.naming.entry_point;
        if self.source.starts_with("#!") {
            return Ok(true);
        }
        Ok(self.has(trigger) && pattern.regex()?.is_match(self.source.as_bytes())?)
    }
}

fn blank(text: &mut [u8]) {
    for byte in text.iter_mut().filter(|byte| !matches!(byte, b'\r' | b'\n')) {
        *byte = b' ';
    }
}

/// Returns the code in a line of a docstring, as doctest defines it, up to the end of the line.
fn example(line: &str) -> Option<&str> {
    let line = line.trim_start_matches([' ', '\t']);
    let code = line.strip_prefix(">>>").or_else(|| line.strip_prefix("..."))?;
    code.strip_prefix([' ', '\t'])
}

fn collect_identifiers<'a>(text: &'a str, words: &mut Vec<&'a str>) {
    let bytes = text.as_bytes();
    if bytes.iter().copied().any(text::is_space) {
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            at += bytes[start..].iter().take_while(|&&byte| text::is_word(byte)).count();
            if is_identifier_like(bytes, start, at) {
                words.push(&text[start..at]);
            }
            at += usize::from(at == start);
        }
    } else if text.len() <= MAX_NAME_BYTES {
        words.extend(words_in(text));
        let is_part = |part: &str| !part.is_empty() && part.chars().all(is_word);
        if text.contains('.') && text.split('.').all(is_part) && !text.starts_with(is_decimal) {
            words.push(text);
        }
    }
}

/// Tells whether a word in a text of several words, such as a template, is an identifier and not an ordinary word.
fn is_identifier_like(text: &[u8], start: usize, end: usize) -> bool {
    let word = &text[start..end];
    let letters = word.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let is_after_dot = matches!(text[..start], [.., before, b'.'] if text::is_word(before));
    match word.get(letters) {
        Some(b'_') if letters + 1 < word.len() => true,
        Some(b'0'..=b'9') if letters > 0 => true,
        _ => {
            let has_inner_capital = word[..letters]
                .windows(2)
                .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
            has_inner_capital || (is_after_dot && word.first().is_some_and(|first| !first.is_ascii_digit()))
        }
    }
}

/// Returns the words in a text that do not start with a digit.
pub fn words_in(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|character| !is_word(character)).map(|word| word.trim_start_matches(is_decimal));
    words.filter(|word| !word.is_empty())
}

/// Returns the names of a file, packed, from its declarations and the nodes that the patterns of names captured.
pub fn read_names(parsed: &Parsed, declared: &[Declared], captured: &Captures) -> Result<Vec<u8>, Failure> {
    let reader = NameReader::new(parsed, declared, captured)?;
    let mut blanked = reader.blanked_source()?;
    separate_tokens(reader.naming, &mut blanked);
    let blanked = String::from_utf8(blanked).map_err(|error| Failure::Failed(error.to_string()))?;
    let (uses, mut calls) = read_uses(&reader, &blanked);
    let mut exits = Vec::new();
    if calls.is_empty() {
        (calls, exits) = read_calls(&reader); // the language's calls are nodes
    }
    let definitions = Definitions::new(&reader);
    let (exports, imports, definitions) = Python::attach(|py| {
        let exports = reader.exports(py)?;
        let definitions = definitions.read(py, &exports)?;
        PyResult::Ok((exports, reader.imports(py)?, definitions))
    })?;
    let mut names = Names {
        definitions,
        uses,
        imports,
        calls,
        exports,
        words: reader.words(),
        unused: Vec::new(),
        is_entry: reader.is_entry()?,
        package: sort_by_position(reader.nodes("package")).first().map_or("", |node| reader.text(*node)),
    };
    names.unused = find_unused(&reader, &names, &exits);
    Ok(Section::default()
        .table([&names])
        .table(&names.definitions)
        .table(names.uses.rows())
        .table(&names.imports)
        .table(&names.calls)
        .table(&names.unused)
        .pack())
}
