//! Reads the definitions of a file: names, lines, decorators, bases, and whether they are exported:
//! `holdfast.syntax.definitions`.

use std::collections::{HashMap, HashSet};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyFrozenSet, PyTuple, PyType};

use crate::names::NameReader;
use crate::record::row;
use crate::regions::{Owner, sort_by_position};
use crate::symbols::last_line;
use crate::unicode::is_space;

static CONTEXT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static DEFINITION: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// A symbol that a file defines: `record.Definition`.
pub struct Definition<'a> {
    pub name: String,
    pub path: String,
    pub kind: &'a str,
    pub line: usize,
    pub start_line: usize,
    pub end_line: usize,
    pub container: Owner,
    pub exported: bool,
    pub decorators: Vec<&'a str>,
    pub bases: Vec<&'a str>,
}

row!(Definition<'_>: name, path, kind, line, start_line, end_line, container, exported, decorators, bases);

/// What is captured about the definitions of a file.
pub struct Definitions<'r, 'a> {
    reader: &'r NameReader<'a>,
    decorators: HashMap<usize, Vec<&'a str>>,
    observers: HashMap<usize, Vec<&'a str>>,
    bases: HashMap<usize, Vec<&'a str>>,
    modifiers: HashMap<usize, Vec<&'a str>>,
    exported: HashSet<&'a str>,
    concealed: HashSet<&'a str>,
}

impl<'r, 'a> Definitions<'r, 'a> {
    pub fn new(reader: &'r NameReader<'a>) -> Self {
        Self {
            reader,
            decorators: reader.texts_by_owner("decorator", true),
            observers: reader.texts_by_owner("observer", false),
            bases: reader.texts_by_owner("base", false),
            modifiers: modifiers(reader),
            exported: reader.nodes("exported").map(|node| reader.text(node)).collect(),
            concealed: reader
                .nodes("concealed")
                .map(|node| reader.text(node).trim_start_matches(':'))
                .collect(),
        }
    }

    /// Returns the definitions in source order; `exports` are the names in export lists.
    pub fn read(&self, py: Python<'_>, exports: &[String]) -> PyResult<Vec<Definition<'a>>> {
        let reader = self.reader;
        let exports: HashSet<&str> =
            exports.iter().map(String::as_str).chain(self.exported.iter().copied()).collect();
        let mut rows: Vec<Definition<'a>> = Vec::new();
        let mut python_rows = HashMap::new();
        let mut is_local = Vec::new();
        for (index, symbol) in reader.declared.iter().enumerate() {
            let mut name = symbol.path.last().map_or_else(String::new, ToString::to_string);
            if let Some(definition_name) = &reader.naming.definition_name {
                name = definition_name.call1(py, (name,))?.extract(py)?;
            }
            let container = reader.regions.containers[index];
            is_local
                .push(container.is_some_and(|container| reader.functions[container] || is_local[container]));
            let mut row = Definition {
                path: symbol.path.join("."),
                kind: &symbol.kind,
                line: reader.name_nodes[index].start_position().row + 1,
                start_line: symbol.outer.start_position().row + 1,
                end_line: last_line(symbol.node),
                container,
                exported: container.is_none() && exports.contains(name.as_str()),
                decorators: of(&self.decorators, index).chain(of(&self.observers, index)).collect(),
                bases: of(&self.bases, index).filter(|base| !base.is_empty()).collect(),
                name,
            };
            row.exported |= !is_local[index] && self.is_exported(py, index, &row, &rows, &mut python_rows)?;
            row.exported &= !is_local[index];
            rows.push(row);
        }
        Ok(rows)
    }

    fn is_exported(
        &self,
        py: Python<'_>,
        index: usize,
        row: &Definition,
        rows: &[Definition],
        python_rows: &mut HashMap<usize, Py<PyAny>>,
    ) -> PyResult<bool> {
        let Some(is_exported) = &self.reader.naming.is_exported else {
            return Ok(true);
        };
        let modifiers = self.modifiers.get(&index).into_iter().flatten().copied();
        let concealed = self.concealed.contains(row.name.as_str()).then_some("private");
        let modifiers = PyFrozenSet::new(py, modifiers.chain(concealed))?;
        let enclosing = match row.container {
            Some(container) if !python_rows.contains_key(&container) => {
                let definition = python_definition(py, &rows[container])?;
                python_rows.insert(container, definition);
                python_rows.get(&container)
            }
            Some(container) => python_rows.get(&container),
            None => None,
        };
        let context = CONTEXT.import(py, "holdfast.syntax.languages.naming", "DeclarationContext")?;
        let context = context.call1((&row.name, row.kind, modifiers, enclosing))?;
        is_exported.call1(py, (context,))?.is_truthy(py)
    }
}

fn python_definition(py: Python<'_>, row: &Definition) -> PyResult<Py<PyAny>> {
    let container = row.container.map_or(-1, usize::cast_signed);
    let (decorators, bases) = (PyTuple::new(py, &row.decorators)?, PyTuple::new(py, &row.bases)?);
    let (line, start, end) = (row.line, row.start_line, row.end_line);
    let class = DEFINITION.import(py, "holdfast.syntax.record", "Definition")?;
    let row = class.call1((
        &row.name,
        &row.path,
        row.kind,
        line,
        start,
        end,
        container,
        row.exported,
        decorators,
        bases,
    ));
    row.map(Bound::unbind)
}

/// Returns the texts of a definition, without their arguments.
fn of<'t, 'a>(
    texts: &'t HashMap<usize, Vec<&'a str>>,
    index: usize,
) -> impl Iterator<Item = &'a str> + use<'t, 'a> {
    texts.get(&index).into_iter().flatten().map(|text| without_arguments(text))
}

fn without_arguments(text: &str) -> &str {
    let text = text.trim_matches(['@', '#', '[', ']', ' ', '\t', '\r', '\n']);
    let end = text.find(|character| matches!(character, '(' | '[' | '<') || is_space(character));
    &text[..end.unwrap_or(text.len())]
}

/// Returns the modifiers of each declaration, and that of its section, such as `private:` in C++.
fn modifiers<'a>(reader: &NameReader<'a>) -> HashMap<usize, Vec<&'a str>> {
    let mut modifiers = reader.texts_by_owner("modifier", true);
    for texts in modifiers.values_mut() {
        *texts = texts.iter().flat_map(|text| text.split(is_space)).filter(|word| !word.is_empty()).collect();
    }
    let mut sections: HashMap<Owner, Vec<(usize, &str)>> = HashMap::new();
    for node in sort_by_position(reader.nodes("section")) {
        let start = node.start_byte();
        sections.entry(reader.regions.owner(start)).or_default().push((start, reader.text(node)));
    }
    for (index, symbol) in reader.declared.iter().enumerate() {
        if let Some(sections) = sections.get(&reader.regions.containers[index]) {
            let preceding = sections.partition_point(|&(start, _)| start < symbol.outer.start_byte());
            modifiers.entry(index).or_default().extend(sections[..preceding].last().map(|&(_, text)| text));
        }
    }
    modifiers
}
