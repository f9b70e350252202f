//! Finds the symbols that a source file declares: `holdfast.syntax.symbols`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use pyo3::prelude::*;
use tree_sitter::Node;

use crate::node::Node as PythonNode;
use crate::tables::{Declaration, KindRule, Language, NameRule, PartsRule};
use crate::tree::{Captures, Failure, Parsed};

pub const FUNCTIONS: [&str; 3] = ["Function", "Method", "Constructor"];
pub const CLASSES: [&str; 5] = ["Class", "Interface", "Struct", "Enum", "Object"];
pub const VARIABLES: [&str; 4] = ["Variable", "Constant", "Property", "Field"];
pub const BODY_TYPES: [&str; 6] =
    ["class_body", "function_body", "enum_class_body", "protocol_body", "block", "accessor_list"];

/// A symbol in the tree. `outer` is its node, the wrapper around it, or the first attribute before it.
#[derive(Clone)]
pub struct Declared<'t> {
    pub node: Node<'t>,
    pub outer: Node<'t>,
    pub kind: String,
    pub path: Vec<Rc<str>>,
    /// The declaration of several names that `node` is a part of.
    pub declaration: Option<Node<'t>>,
}

impl Declared<'_> {
    /// The first byte that belongs to it alone: what several names share belongs to none of them.
    pub fn start(&self) -> usize {
        if self.declaration.is_none() { self.outer.start_byte() } else { self.node.start_byte() }
    }

    pub fn is_function(&self) -> bool {
        FUNCTIONS.contains(&self.kind.as_str())
    }
}

/// Returns the node of a declaration's name, or else its declarator, or the declaration itself.
pub fn name_node(node: Node<'_>) -> Node<'_> {
    node.child_by_field_name("name").or_else(|| node.child_by_field_name("declarator")).unwrap_or(node)
}

/// Returns the last line on which a node has text.
pub fn last_line(node: Node<'_>) -> usize {
    let end = node.end_position();
    if end.column == 0 && end.row > node.start_position().row { end.row } else { end.row + 1 }
}

/// Returns the body of a declaration, if it has one.
pub fn body_node(node: Node<'_>) -> Option<Node<'_>> {
    if let Some(body) = node.child_by_field_name("body") {
        return Some(body);
    }
    if let Some(value) = ["value", "right", "type"].iter().find_map(|field| node.child_by_field_name(field)) {
        return value.child_by_field_name("body");
    }
    node.named_children(&mut node.walk()).find(|child| BODY_TYPES.contains(&child.kind()))
}

/// The rank of nodes that declare a symbol only outside functions; declarations rank higher, others lower.
const VARIABLE_RANK: usize = 1;
/// Scopes around a symbol; deeper ones are left out.
const MAX_DEPTH: usize = 200;

/// A captured node, and the declaration of several names that it is a part of.
struct SymbolNode<'t> {
    node: Node<'t>,
    rank: usize,
    declaration: Option<Node<'t>>,
}

/// A declaration or anonymous function whose content is being read.
struct Scope {
    end: usize,
    path: Vec<Rc<str>>,
    is_class: bool,
    /// Whether declarations in it are local to a function.
    is_local: bool,
}

/// The place of a node in the order of reading: outer nodes first, and parts before what they are part of.
type Place = (usize, Reverse<usize>, bool, usize);

/// Returns the declarations among the captured nodes.
pub fn find_declarations<'t>(
    parsed: &'t Parsed<'_>,
    found: &Captures<'t>,
) -> Result<Vec<Declared<'t>>, Failure> {
    let reader = SymbolReader {
        parsed,
        language: parsed.language,
        open: vec![Scope {
            end: parsed.source.len() + 1,
            path: Vec::new(),
            is_class: false,
            is_local: false,
        }],
        wrapped: HashMap::new(),
        attributes: None,
        begun: HashSet::new(),
    };
    reader.read(found)
}

/// Reads the symbols of one file from the captured nodes, in source order.
struct SymbolReader<'t, 'a> {
    parsed: &'t Parsed<'a>,
    language: &'a Language,
    open: Vec<Scope>,
    wrapped: HashMap<(usize, usize), Node<'t>>,
    attributes: Option<(Node<'t>, usize)>,
    /// The declarations of which a part has been read.
    begun: HashSet<usize>,
}

impl<'t> SymbolReader<'t, '_> {
    fn read(mut self, found: &Captures<'t>) -> Result<Vec<Declared<'t>>, Failure> {
        let mut symbols = Vec::new();
        for ((start, ..), SymbolNode { node, rank, declaration }) in self.nodes(found)? {
            while self.scope().end <= start {
                self.open.pop();
            }
            if rank == VARIABLE_RANK && self.scope().is_local {
                continue;
            }
            let kind = node.kind();
            if self.language.attributes.contains(kind) {
                self.attributes = Some((self.first_attribute(node)?.unwrap_or(node), node.end_byte()));
            }
            if let Some(field_or_types) = self.language.wrappers.get(kind) {
                self.wrap(node, field_or_types);
            }
            let symbol = if rank >= VARIABLE_RANK { self.symbol(node, declaration)? } else { None };
            if let Some(symbol) = symbol {
                symbols.push(symbol);
            } else if self.language.scopes.contains(kind) {
                let path = self.scope().path.clone();
                self.open.push(Scope { end: node.end_byte(), path, is_class: false, is_local: true });
            }
        }
        Ok(symbols)
    }

    fn scope(&self) -> &Scope {
        &self.open[self.open.len() - 1] // that of the file ends after the last byte
    }

    /// Returns the captured nodes by position, with the parts of a declaration of several names instead.
    fn nodes(&self, found: &Captures<'t>) -> Result<Vec<(Place, SymbolNode<'t>)>, Failure> {
        let mut nodes: BTreeMap<Place, SymbolNode<'t>> = BTreeMap::new();
        let mut covered: HashSet<(&str, usize)> = HashSet::new();
        for (rank, role) in ["surrounding", "variable", "declaration"].into_iter().enumerate() {
            for node in found.get(role) {
                let parts = if rank >= VARIABLE_RANK { self.parts(*node)? } else { Vec::new() };
                for part in &parts {
                    covered.insert((node.kind(), part.start_byte()));
                    let place = (part.start_byte(), Reverse(part.end_byte()), false, part.id());
                    nodes.insert(place, SymbolNode { node: *part, rank, declaration: Some(*node) });
                }
                if parts.is_empty() {
                    let place = (node.start_byte(), Reverse(node.end_byte()), true, node.id());
                    nodes.insert(place, SymbolNode { node: *node, rank, declaration: None });
                }
            }
        }
        // In `a = b = x` the parts of the outer assignment include the target of the inner one.
        nodes.retain(|_, each| {
            each.declaration.is_some() || !covered.contains(&(each.node.kind(), each.node.start_byte()))
        });
        Ok(nodes.into_iter().collect())
    }

    fn parts(&self, node: Node<'t>) -> Result<Vec<Node<'t>>, Failure> {
        let rule =
            self.language.declarations.get(node.kind()).and_then(|declaration| declaration.parts.as_ref());
        let parts: Vec<Node<'t>> = match rule {
            None => return Ok(Vec::new()),
            Some(PartsRule::InField(field)) => {
                node.children_by_field_name(field, &mut node.walk()).filter(Node::is_named).collect()
            }
            Some(PartsRule::Children { kind, within }) => {
                let parent = if within.is_empty() { Some(node) } else { child_of_type(node, within) };
                let children =
                    parent.map(|parent| parent.named_children(&mut parent.walk()).collect::<Vec<_>>());
                children.unwrap_or_default().into_iter().filter(|child| child.kind() == kind).collect()
            }
            Some(PartsRule::ByChild { types, find }) => {
                let has_type = |(field, types): (&String, &HashSet<String>)| {
                    node.child_by_field_name(field).is_some_and(|child| types.contains(child.kind()))
                };
                let can_have_parts = types.iter().any(has_type);
                return if can_have_parts { call_for_nodes(self.parsed, find, node) } else { Ok(Vec::new()) };
            }
            Some(PartsRule::Python(function)) => return call_for_nodes(self.parsed, function, node),
        };
        Ok(if parts.len() > 1 { parts } else { Vec::new() })
    }

    /// Remembers a wrapper by the declaration in it.
    fn wrap(&mut self, node: Node<'t>, field_or_types: &str) {
        let child = node.child_by_field_name(field_or_types).or_else(|| {
            let mut cursor = node.walk();
            let mut matching = node
                .named_children(&mut cursor)
                .filter(|child| field_or_types.split('|').any(|kind| kind == child.kind()));
            matching.next().filter(|_| matching.next().is_none())
        });
        if let Some(child) = child {
            let outer = *self.wrapped.get(&span(node)).unwrap_or(&node);
            self.wrapped.insert(span(child), outer);
        }
    }

    /// Returns the first attribute directly before a node; comments may be between them.
    fn first_attribute(&self, node: Node<'t>) -> Result<Option<Node<'t>>, Failure> {
        let Some((first, end)) = self.attributes else {
            return Ok(None);
        };
        let mut rest = self.parsed.source.get(end..node.start_byte()).unwrap_or_default();
        let comments = self.language.pattern("symbols.comments")?;
        loop {
            rest = trim_start(rest);
            if rest.is_empty() {
                return Ok(Some(first));
            }
            match comments.find(rest)? {
                Some(comment) if comment.start() == 0 => rest = &rest[comment.end()..],
                _ => return Ok(None),
            }
        }
    }

    /// Returns the symbol that a node, or a part of a whole declaration, declares, and opens its scope.
    fn symbol(&mut self, node: Node<'t>, whole: Option<Node<'t>>) -> Result<Option<Declared<'t>>, Failure> {
        if self.open.len() > MAX_DEPTH {
            return Ok(None);
        }
        let declaration = &self.language.declarations[whole.unwrap_or(node).kind()];
        let Some(mut kind) = self.kind(declaration, node)? else {
            return Ok(None);
        };
        let names = if whole.is_some() && node.named_child_count() == 0 {
            vec![self.text(node)]
        } else {
            self.names(declaration, node)?
        };
        let Some(name) = names.last().filter(|name| !name.is_empty()) else {
            return Ok(None);
        };
        let scope = self.scope();
        if VARIABLES.contains(&kind.as_str()) && scope.is_local {
            return Ok(None);
        }
        if declaration.constructor.as_ref() == Some(name) {
            "Constructor".clone_into(&mut kind);
        } else if kind == "Function" && (names.len() > 1 || scope.is_class) {
            "Method".clone_into(&mut kind);
        }
        let mut path = scope.path.clone();
        path.extend(names.into_iter().map(Rc::from));
        let is_local = scope.is_local || FUNCTIONS.contains(&kind.as_str());
        let is_class = CLASSES.contains(&kind.as_str());
        self.open.push(Scope { end: node.end_byte(), path: path.clone(), is_class, is_local });
        let outer = whole.unwrap_or(node);
        if self.begun.contains(&outer.id()) {
            // The first part has what comes before it.
            return Ok(Some(Declared { node, outer: node, kind, path, declaration: whole }));
        }
        if whole.is_some() {
            self.begun.insert(outer.id());
        }
        let outer = *self.wrapped.get(&span(outer)).unwrap_or(&outer);
        let outer = self.first_attribute(outer)?.unwrap_or(outer);
        Ok(Some(Declared { node, outer, kind, path, declaration: whole }))
    }

    fn text(&self, node: Node<'_>) -> String {
        String::from_utf8_lossy(self.parsed.text_of(node)).into_owned()
    }

    fn kind(&self, declaration: &Declaration, node: Node<'t>) -> Result<Option<String>, Failure> {
        Ok(match &declaration.kind {
            KindRule::Fixed(kind) => Some(kind.clone()),
            KindRule::ByChild { name_type, .. } if !has_name_of(node, name_type) => None,
            KindRule::ByChild { field, kinds, otherwise, .. } => {
                let child = node.child_by_field_name(field);
                child.and_then(|child| kinds.get(child.kind())).or(otherwise.as_ref()).cloned()
            }
            KindRule::Python(function) => Python::attach(|py| {
                function.bind(py).call1((python_node(self.parsed, node),))?.extract::<Option<String>>()
            })?,
        })
    }

    fn names(&self, declaration: &Declaration, node: Node<'t>) -> Result<Vec<String>, Failure> {
        Ok(match &declaration.names {
            NameRule::In(field) => {
                let name = node.child_by_field_name(field).map(|name| self.text(name));
                name.filter(|name| !name.is_empty()).into_iter().collect()
            }
            NameRule::Fixed(name) => vec![name.clone()],
            NameRule::Python(function) => Python::attach(|py| {
                function.bind(py).call1((python_node(self.parsed, node),))?.extract::<Vec<String>>()
            })?,
        })
    }
}

/// Returns whether the name of a declaration has a type, if it has to have one.
fn has_name_of(node: Node<'_>, name_type: &str) -> bool {
    name_type.is_empty() || node.child_by_field_name("name").is_some_and(|name| name.kind() == name_type)
}

fn python_node(parsed: &Parsed<'_>, node: Node<'_>) -> PythonNode {
    PythonNode::new(&parsed.tree, node)
}

/// Calls a function of a table that returns nodes.
fn call_for_nodes<'t>(
    parsed: &'t Parsed<'_>,
    function: &Py<PyAny>,
    node: Node<'t>,
) -> Result<Vec<Node<'t>>, Failure> {
    Ok(Python::attach(|py| {
        let nodes = function.bind(py).call1((python_node(parsed, node),))?;
        let nodes: Vec<PyRef<'_, PythonNode>> = nodes.extract()?;
        Ok::<_, PyErr>(nodes.iter().filter_map(|node| node.inner_of(&parsed.tree)).collect())
    })?)
}

fn child_of_type<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    node.named_children(&mut node.walk()).find(|child| child.kind() == kind)
}

fn span(node: Node<'_>) -> (usize, usize) {
    (node.start_byte(), node.end_byte())
}

/// Removes the white space that Python's `bytes.strip` removes at the start.
fn trim_start(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|byte| !matches!(byte, b'\t'..=b'\r' | b' ')).unwrap_or(text.len());
    &text[start..]
}
