//! Finds unused imports and local variables, and unreachable statements, without reading other files:
//! `holdfast.syntax.unused`.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::iter;

use tree_sitter::Node;

use crate::names::{ImportedName, Local, NameReader, Names, words_in};
use crate::record::row;
use crate::regions::Owner;
use crate::symbols::last_line;
use crate::text::{self, skip};
use crate::unicode::is_word;

const LEAVES: [&str; 5] = ["return", "throw", "raise", "break", "continue"];
/// How many nodes from a call up to its statement are checked; the grammars in use have one or two.
const MAX_STATEMENT_DEPTH: usize = 3;

/// An unused name, or unreachable statements: `record.Unused`, sorted by line.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub struct Unused {
    pub line: usize,
    pub kind: &'static str,
    pub name: String,
    pub end_line: usize,
    pub definition: Owner,
}

row!(Unused: kind, name, line, end_line, definition);

/// Returns the unused names and unreachable statements, by line; `exits` are calls that never return.
pub fn find_unused<'n>(reader: &NameReader<'n>, names: &Names<'n>, exits: &[Node<'n>]) -> Vec<Unused> {
    let kinds = &reader.naming.unused;
    let search = Search { reader, names, reads: Reads::new(reader, names), names_in_types: OnceCell::new() };
    let mut rows = BTreeSet::new();
    if kinds.contains("import") && reader.parsed.problems.is_empty() {
        rows.extend(search.imports());
    }
    if kinds.contains("variable") {
        rows.extend(search.variables());
    }
    if kinds.contains("unreachable") {
        rows.extend(unreachable_statements(reader, exits));
    }
    rows.into_iter().collect()
}

/// The definitions in which each name is read.
struct Reads<'n> {
    names: &'n Names<'n>,
    /// The index of each name with each definition that reads it, sorted.
    owners: Vec<(u32, Owner)>,
    /// The last definition nested in each definition, or the definition itself.
    last_nested: Vec<usize>,
}

impl<'n> Reads<'n> {
    fn new(reader: &NameReader, names: &'n Names<'n>) -> Self {
        let mut owners: Vec<_> = names.uses.names.iter().map(|&(owner, word)| (word, owner)).collect();
        owners.sort_unstable();
        let containers = &reader.regions.containers;
        let mut last_nested: Vec<usize> = (0..containers.len()).collect();
        for (index, container) in containers.iter().enumerate().rev() {
            if let Some(container) = *container {
                last_nested[container] = last_nested[container].max(last_nested[index]);
            }
        }
        Self { names, owners, last_nested }
    }

    fn word(&self, name: &str) -> Option<u32> {
        let index = self.names.uses.words.binary_search(&name).ok()?;
        u32::try_from(index).ok()
    }

    /// Tells whether a name is read in a definition or one nested in it.
    fn has(&self, owner: Owner, name: &str) -> bool {
        let Some(word) = self.word(name) else {
            return false;
        };
        let first = self.owners.partition_point(|&pair| pair < (word, owner));
        let last = owner.map_or(usize::MAX, |owner| self.last_nested[owner]);
        self.owners.get(first).is_some_and(|&(found, owner)| found == word && owner <= Some(last))
    }
}

struct Search<'n> {
    reader: &'n NameReader<'n>,
    names: &'n Names<'n>,
    reads: Reads<'n>,
    names_in_types: OnceCell<HashSet<&'n str>>,
}

impl<'n> Search<'n> {
    fn imports(&self) -> Vec<Unused> {
        let mut bindings: HashMap<(Owner, &str), usize> = HashMap::new();
        let imported = self.names.imports.iter().map(|row| (row.definition, row.alias.as_str()));
        let defined = self.names.definitions.iter().map(|row| (row.container, row.name.as_str()));
        for binding in imported.chain(defined) {
            *bindings.entry(binding).or_default() += 1;
        }
        let unused = self.names.imports.iter().filter(|row| {
            let is_attribute = row.definition.is_some_and(|owner| !self.reader.functions[owner]); // in a class
            let is_bound_twice = bindings[&(row.definition, row.alias.as_str())] > 1;
            let is_exempt = is_attribute || row.alias.is_empty() || row.reexported;
            !(is_exempt || self.is_used(row) || self.is_deliberate(row, is_bound_twice))
        });
        let to_row = |row: &'n ImportedName| Unused {
            line: row.line,
            kind: "import",
            name: row.alias.clone(),
            end_line: row.line,
            definition: row.definition,
        };
        unused.map(to_row).collect()
    }

    fn is_used(&self, row: &ImportedName) -> bool {
        let (naming, alias) = (self.reader.naming, row.alias.as_str());
        let is_member = |word| self.names.uses.members.iter().any(|&(_, member)| member == word);
        self.reads.has(row.definition, alias)
            || self.names.exports.iter().any(|name| name == alias)
            || (naming.has_extension_functions && self.reads.word(alias).is_some_and(is_member))
            || self.is_used_implicitly(alias)
            || self.names_in_types().contains(alias)
    }

    /// Tells whether the language itself uses a name in such a source, as JSX uses `React`.
    fn is_used_implicitly(&self, name: &str) -> bool {
        let implicit_uses = &self.reader.naming.implicit_uses;
        implicit_uses.iter().any(|(used, trigger)| used == name && self.reader.has(trigger))
    }

    /// Tells whether an import is marked `noqa`, is one of several for its name, or tries what is there.
    fn is_deliberate(&self, row: &ImportedName, is_bound_twice: bool) -> bool {
        let line = self.reader.line(row.line);
        is_marked(line) || (is_bound_twice && inset(line) > 0) || self.is_tried(row.line)
    }

    /// Tells whether Python code tries an import and does something, depending on whether it works.
    fn is_tried(&self, number: usize) -> bool {
        let margin = inset(self.reader.line(number));
        let before = (1..number).rev().map(|before| self.reader.line(before));
        let outer = before.filter(|line| !trimmed(line).is_empty()).find(|line| inset(line) < margin);
        if outer.map(trimmed) != Some("try:") {
            return false;
        }
        let mut in_except = false;
        for after in number + 1..=self.reader.lines() {
            let line = self.reader.line(after);
            let text = trimmed(line);
            if in_except && !text.is_empty() {
                return text != "pass";
            }
            if inset(line) == margin
                && !["import ", "from ", ")", "#"].iter().any(|start| text.starts_with(start))
            {
                return !text.is_empty();
            }
            in_except = inset(line) < margin && text.starts_with("except");
        }
        false
    }

    /// Returns the names in strings that are types, and in doc comments if they count as uses.
    fn names_in_types(&self) -> &HashSet<&'n str> {
        self.names_in_types.get_or_init(|| {
            let reader = self.reader;
            let quoted = reader.nodes("quoted").map(|node| reader.text(node));
            let strings =
                reader.nodes("text").map(|node| reader.text(node)).filter(|text| text.contains('['));
            let comments = reader.nodes("comment").map(|node| reader.text(node)).filter(|text| {
                text.starts_with("# type:") || (reader.naming.counts_doc_comments && text.starts_with("/**"))
            });
            quoted.chain(strings).chain(comments).flat_map(words_in).collect()
        })
    }

    fn variables(&self) -> Vec<Unused> {
        let reader = self.reader;
        let mut first_assignments: HashMap<Local<'n>, Node<'n>> = HashMap::new();
        for &(local, node) in &reader.local_assignments {
            let (owner, name) = local;
            let is_unused = reader.bound.binary_search(&local).is_ok()
                && !self.reads.has(Some(owner), name)
                && reader.parameters.binary_search(&local).is_err()
                && !reader.naming.keywords.contains(name)
                && !self.is_used_implicitly(name)
                && !is_deliberate_name(name)
                && !self.names_in_types().contains(name);
            if is_unused {
                let first = first_assignments.entry(local).or_insert(node);
                if node.start_byte() < first.start_byte() {
                    *first = node;
                }
            }
        }
        let is_reported = |&((owner, _), node): &(Local, Node)| {
            !reader.declared[owner].node.has_error()
                && !is_marked(reader.line(node.start_position().row + 1))
                && !is_annotated(reader, node)
                && !reader.naming.dynamic_readers.iter().any(|name| self.reads.has(Some(owner), name))
        };
        let to_row = |((owner, name), node): (Local<'n>, Node)| {
            let line = node.start_position().row + 1;
            Unused { line, kind: "variable", name: name.to_owned(), end_line: line, definition: Some(owner) }
        };
        first_assignments.into_iter().filter(is_reported).map(to_row).collect()
    }
}

const BLANK: [char; 5] = [' ', '\t', '\r', '\x0b', '\x0c'];

/// Returns the number of blanks at the start of a line.
fn inset(line: &str) -> usize {
    line.len() - line.trim_start_matches(BLANK).len()
}

fn trimmed(line: &str) -> &str {
    line.trim_matches(BLANK)
}

/// Tells whether an annotation is about a local variable, such as Lombok's `@Cleanup`.
fn is_annotated(reader: &NameReader, name: Node) -> bool {
    let mut statement = name;
    while let Some(parent) = statement.parent().filter(|node| !reader.naming.blocks.contains(node.kind())) {
        statement = parent;
    }
    reader.source.as_bytes()[statement.start_byte()..name.start_byte()].contains(&b'@')
}

fn is_marked(line: &str) -> bool {
    line.as_bytes().windows(4).any(|word| word.eq_ignore_ascii_case(b"noqa"))
}

/// Tells whether a name is deliberately unused, such as `_x`, `ignored` and `possiblyUnused`.
fn is_deliberate_name(name: &str) -> bool {
    // As with `re.IGNORECASE`, which also matches a dotless or dotted i and a long s.
    let folded = name.chars().map(|character| match character {
        'ı' | 'İ' => 'i',
        'ſ' => 's',
        other => other.to_ascii_lowercase(),
    });
    let folded: String = folded.collect();
    let word = folded.split(|character| !is_word(character)).next().unwrap_or_default();
    let start = folded.trim_start_matches('$');
    ["_", "`", "unused", "ignore"].iter().any(|prefix| start.starts_with(prefix))
        || word.contains("unused")
        || word.contains("ignored")
}

fn unreachable_statements<'a>(reader: &NameReader<'a>, exits: &[Node<'a>]) -> Vec<Unused> {
    let calls = exits.iter().copied().chain(reader.nodes("exit"));
    let statements: Vec<Node> = calls.filter_map(|call| complete_statement(reader, call)).collect();
    let after_jump = reader.nodes("dead").filter_map(|node| first_unreachable(reader, node));
    let after_call: Vec<Node> = statements
        .iter()
        .filter_map(|&call| following(call))
        .filter_map(|node| first_unreachable(reader, node))
        .collect();
    // Compilers do not know that a call never returns, and require what leaves the block after it, as in
    // `log.Fatalf(…); return nil`.
    let leaving: HashSet<usize> = statements.iter().map(Node::id).collect();
    let is_required = |node: &&Node| {
        LEAVES.iter().any(|kind| node.kind().starts_with(kind)) || leaving.contains(&node.id())
    };
    let required: HashSet<usize> = after_call.iter().filter(is_required).map(Node::id).collect();
    let firsts = after_jump.chain(after_call.iter().copied()).filter(|first| !required.contains(&first.id()));
    let to_row = |first: Node<'a>| Unused {
        line: first.start_position().row + 1,
        kind: "unreachable",
        name: String::new(),
        end_line: last_line(last_unreachable(reader, first)),
        definition: reader.regions.owner(first.start_byte()),
    };
    firsts.map(to_row).collect()
}

fn following(statement: Node<'_>) -> Option<Node<'_>> {
    // In `cat <<E || exit` the call is a sibling of the redirected statement, and is conditional.
    let is_conditional =
        statement.prev_named_sibling().is_some_and(|before| before.kind() == "redirected_statement");
    statement.next_named_sibling().filter(|_| !is_conditional)
}

/// Returns the statement that consists of a call, if there is one.
fn complete_statement<'a>(reader: &NameReader<'a>, call: Node<'a>) -> Option<Node<'a>> {
    let mut statement = call;
    for _ in 0..MAX_STATEMENT_DEPTH {
        let parent = statement.parent()?;
        if reader.naming.blocks.contains(parent.kind()) {
            return Some(statement);
        }
        if !reader.naming.calls.contains(parent.kind()) && !parent.kind().ends_with("expression_statement") {
            return None;
        }
        statement = parent;
    }
    None
}

/// Returns the first unreachable statement from a node on; labels and hoisted declarations are not.
fn first_unreachable<'a>(reader: &NameReader<'a>, node: Node<'a>) -> Option<Node<'a>> {
    let language = reader.parsed.language;
    if node.prev_named_sibling().is_some_and(|jump| has_attribute(reader, jump)) {
        return None;
    }
    if node.parent().is_some_and(|block| block.has_error()) {
        return None;
    }
    let mut statement = node;
    while language.comments.contains(statement.kind())
        || language.naming.reachable.contains(statement.kind())
        || reader.parsed.text_of(statement) == b";"
    {
        statement = statement.next_named_sibling()?;
    }
    let text = reader.parsed.text_of(statement);
    // An unreachable `yield` makes the function a generator.
    if is_jump_target(statement) || text.starts_with(b"yield") || (reader.has(b"goto") && has_label(text)) {
        return None;
    }
    Some(statement)
}

/// Returns the last statement before the next label or the end of the block.
fn last_unreachable<'a>(reader: &NameReader<'a>, first: Node<'a>) -> Node<'a> {
    let mut last = first;
    let mut following = first.next_named_sibling();
    while let Some(statement) = following.filter(|statement| !is_jump_target(*statement)) {
        if !reader.parsed.language.comments.contains(statement.kind()) {
            last = statement;
        }
        following = statement.next_named_sibling();
    }
    last
}

fn is_jump_target(node: Node) -> bool {
    ["label", "case", "preproc", "directive", "heredoc"].iter().any(|part| node.kind().contains(part))
}

/// Tells whether an attribute may compile the statement out: `#[cfg(unix)] return;`.
fn has_attribute(reader: &NameReader, node: Node) -> bool {
    let attribute = node.prev_named_sibling();
    attribute.is_some_and(|attribute| reader.parsed.language.attributes.contains(attribute.kind()))
}

/// Tells whether a line starts with a word and a colon, but not two.
fn has_label(text: &[u8]) -> bool {
    let starts = iter::once(0).chain(memchr::memchr_iter(b'\n', text).map(|end| end + 1));
    starts.into_iter().any(|start| {
        let word = skip(text, start, text::is_space);
        let end = skip(text, word, text::is_word);
        let colon = skip(text, end, text::is_space);
        end > word && text[colon..].starts_with(b":") && !text[colon..].starts_with(b"::")
    })
}
