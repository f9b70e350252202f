//! Short ways to the children and fields of syntax nodes.

use tree_sitter::Node;

/// Returns the children of a node in a time linear in their number.
pub fn children(node: Node) -> impl Iterator<Item = Node> {
    let mut cursor = node.walk();
    let mut has_child = cursor.goto_first_child();
    std::iter::from_fn(move || {
        let child = has_child.then(|| cursor.node());
        has_child = has_child && cursor.goto_next_sibling();
        child
    })
}

pub fn named_children(node: Node) -> impl Iterator<Item = Node> {
    children(node).filter(Node::is_named)
}

/// Returns the first child in one of several fields: the fields are tried in order.
pub fn child_in_fields<'t>(node: Node<'t>, fields: &[&str]) -> Option<Node<'t>> {
    fields.iter().find_map(|field| node.child_by_field_name(field))
}
