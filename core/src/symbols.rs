//! Finds the symbols that a source file declares: `holdfast.syntax.symbols`.

use std::rc::Rc;

use tree_sitter::Node;

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
