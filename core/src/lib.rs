//! Reads source files for Holdfast: a compiled equivalent of the Python package `holdfast.syntax`.
//!
//! Each module is named after the Python module whose results it reproduces.

mod calls;
mod cognitive;
mod complexity;
mod control_flow;
mod definitions;
mod grammar;
mod graph;
mod halstead;
mod lexer;
mod names;
mod node;
mod parameters;
mod record;
mod reader;
mod recursion;
mod regions;
mod symbols;
mod tables;
mod tree;
mod unused;
mod uses;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    #[pymodule_export]
    use super::tables::Tables;
    #[pymodule_export]
    use super::node::Node;
}
