//! The node that Python functions of the tables get: the part of py-tree-sitter's `Node` that they use.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::grammar::{OwnedNode, SourceTree};

#[pyclass(frozen, eq, hash, module = "holdfast._core")]
#[derive(Clone)]
pub struct Node(OwnedNode);

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.0.node() == other.0.node()
    }
}

impl std::hash::Hash for Node {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.node().hash(state);
    }
}

impl Node {
    pub fn new(tree: &Arc<SourceTree>, node: tree_sitter::Node<'_>) -> Self {
        Self(OwnedNode::new(tree, node))
    }

    /// Returns the node in its tree, which must be this one's.
    pub fn inner(&self) -> tree_sitter::Node<'_> {
        self.0.node()
    }

    /// Returns the node in a tree that is borrowed, if it is a node of that tree.
    pub fn inner_of<'t>(&self, tree: &'t Arc<SourceTree>) -> Option<tree_sitter::Node<'t>> {
        self.0.within(tree)
    }

    fn wrap(&self, node: Option<tree_sitter::Node<'_>>) -> Option<Self> {
        node.map(|node| Self::new(self.0.tree(), node))
    }
}

#[pymethods]
impl Node {
    #[getter]
    fn id(&self) -> usize {
        self.inner().id()
    }

    #[getter]
    fn r#type(&self) -> &'static str {
        self.inner().kind()
    }

    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.text())
    }

    #[getter]
    fn is_named(&self) -> bool {
        self.inner().is_named()
    }

    #[getter]
    fn has_error(&self) -> bool {
        self.inner().has_error()
    }

    #[getter]
    fn start_byte(&self) -> usize {
        self.inner().start_byte()
    }

    #[getter]
    fn end_byte(&self) -> usize {
        self.inner().end_byte()
    }

    #[getter]
    fn byte_range(&self) -> (usize, usize) {
        (self.inner().start_byte(), self.inner().end_byte())
    }

    #[getter]
    fn start_point(&self) -> (usize, usize) {
        let start = self.inner().start_position();
        (start.row, start.column)
    }

    #[getter]
    fn end_point(&self) -> (usize, usize) {
        let end = self.inner().end_position();
        (end.row, end.column)
    }

    #[getter]
    fn child_count(&self) -> usize {
        self.inner().child_count()
    }

    #[getter]
    fn named_child_count(&self) -> usize {
        self.inner().named_child_count()
    }

    #[getter]
    fn children(&self) -> Vec<Self> {
        let node = self.inner();
        node.children(&mut node.walk()).map(|child| Self::new(self.0.tree(), child)).collect()
    }

    #[getter]
    fn named_children(&self) -> Vec<Self> {
        let node = self.inner();
        node.named_children(&mut node.walk()).map(|child| Self::new(self.0.tree(), child)).collect()
    }

    #[getter]
    fn parent(&self) -> Option<Self> {
        self.wrap(self.inner().parent())
    }

    #[getter]
    fn next_sibling(&self) -> Option<Self> {
        self.wrap(self.inner().next_sibling())
    }

    #[getter]
    fn prev_sibling(&self) -> Option<Self> {
        self.wrap(self.inner().prev_sibling())
    }

    #[getter]
    fn next_named_sibling(&self) -> Option<Self> {
        self.wrap(self.inner().next_named_sibling())
    }

    #[getter]
    fn prev_named_sibling(&self) -> Option<Self> {
        self.wrap(self.inner().prev_named_sibling())
    }

    fn child(&self, index: usize) -> Option<Self> {
        self.wrap(self.inner().child(index))
    }

    fn named_child(&self, index: usize) -> Option<Self> {
        self.wrap(self.inner().named_child(index))
    }

    fn child_by_field_name(&self, name: &str) -> Option<Self> {
        self.wrap(self.inner().child_by_field_name(name))
    }

    fn children_by_field_name(&self, name: &str) -> Vec<Self> {
        let node = self.inner();
        node.children_by_field_name(name, &mut node.walk())
            .map(|child| Self::new(self.0.tree(), child))
            .collect()
    }

    fn descendant_for_byte_range(&self, start: usize, end: usize) -> Option<Self> {
        self.wrap(self.inner().descendant_for_byte_range(start, end))
    }
}
