//! The grammars of tree-sitter, and nodes that keep their tree alive.
//!
//! This is the only module with unsafe code, for two reasons that the type system cannot express:
//! - A grammar comes from a Python package as a capsule with a pointer. The capsule's name says that it points to a
//!   `TSLanguage`, which is a constant of a library that is never unloaded.
//! - A node borrows its tree. Python, which has no lifetimes, gets nodes that own a reference to the tree instead.
#![allow(unsafe_code)]

use std::ops::Deref;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods};
use tree_sitter::{Language, Node, Tree};

/// Returns the grammar in a capsule.
pub fn load(capsule: &Bound<'_, PyCapsule>) -> PyResult<Language> {
    let pointer = capsule.pointer_checked(Some(c"tree_sitter.Language"))?;
    // SAFETY: the name was checked, and the pointer is to a constant of a library.
    Ok(unsafe { Language::from_raw(pointer.as_ptr().cast()) })
}

/// A syntax tree and the text that it was built from.
pub struct SourceTree {
    pub tree: Tree,
    pub text: Vec<u8>,
}

impl Deref for SourceTree {
    type Target = Tree;

    fn deref(&self) -> &Tree {
        &self.tree
    }
}

/// A node with a reference to its tree.
#[derive(Clone)]
pub struct OwnedNode {
    tree: Arc<SourceTree>,
    node: Node<'static>, // valid as long as `tree` is
}

impl OwnedNode {
    /// `node` is a node of `tree`.
    pub fn new(tree: &Arc<SourceTree>, node: Node<'_>) -> Self {
        // SAFETY: `tree` lives as long as the result, and `node` returns nodes that live no longer than it.
        let node = unsafe { Node::from_raw(node.into_raw()) };
        Self { tree: Arc::clone(tree), node }
    }

    pub fn node(&self) -> Node<'_> {
        self.node
    }

    /// Returns the node as one of `tree`, if that is its tree.
    pub fn within<'t>(&self, tree: &'t Arc<SourceTree>) -> Option<Node<'t>> {
        Arc::ptr_eq(&self.tree, tree).then_some(self.node)
    }

    pub fn tree(&self) -> &Arc<SourceTree> {
        &self.tree
    }

    pub fn text(&self) -> &[u8] {
        &self.tree.text[self.node.byte_range()]
    }
}
