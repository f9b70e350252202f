//! The record of a source file: `holdfast.syntax.record`, which documents the fields; and the packed sections of one:
//! `holdfast.syntax.core.sections`, which documents their format.
//!
//! Contract: a section has exactly the bytes that `pack` in Python returns.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::regions::Owner;

pub struct FunctionMetrics {
    pub name: String,
    pub line: usize,
    pub end_line: usize,
    pub parameters: i64,
    pub lines_of_code: usize,
    pub cyclomatic: i64,
    pub extended: i64,
    pub cognitive: i64,
    pub recursive: bool,
    pub nesting: i64,
    pub distinct_operators: usize,
    pub distinct_operands: usize,
    pub operators: usize,
    pub operands: usize,
}

pub struct Comment {
    pub line: usize,
    pub column: usize,
    pub end_line: usize,
    pub text: String,
}

pub struct Record<'a> {
    pub language: &'a str,
    pub lines: usize,
    pub code_lines: usize,
    pub comment_lines: usize,
    pub functions: Vec<FunctionMetrics>,
    pub comments: Vec<Comment>,
    /// The names, packed.
    pub names: Option<Vec<u8>>,
    pub syntax_error: Option<String>,
}

impl Record<'_> {
    /// Packs the record: numbers with functions, comments, and names if it has them.
    pub fn pack(mut self) -> Vec<Vec<u8>> {
        let names = self.names.take();
        let numbers = Section::default().table([&self]).table(&self.functions).pack();
        [Some(numbers), Some(Section::default().table(&self.comments).pack()), names]
            .into_iter()
            .flatten()
            .collect()
    }
}

/// A section of a record: tables whose cells are numbers.
#[derive(Default)]
pub struct Section<'s> {
    /// The number of cells of each table, and of texts in its lists.
    sizes: Vec<i32>,
    cells: Vec<i32>,
    /// The numbers of the texts in lists.
    listed: Vec<i32>,
    numbers: HashMap<&'s str, i32>,
    texts: Vec<u8>,
}

impl<'s> Section<'s> {
    /// Adds a table.
    pub fn table(mut self, rows: impl IntoIterator<Item: Cell<'s>>) -> Self {
        let (cells, listed) = (self.cells.len(), self.listed.len());
        for row in rows {
            row.put(&mut self);
        }
        self.sizes.extend([self.cells.len() - cells, self.listed.len() - listed].map(number));
        self
    }

    /// Adds a cell with a list of texts.
    pub fn list(&mut self, texts: impl IntoIterator<Item = &'s str>) {
        let before = self.listed.len();
        for text in texts {
            let text = self.text(text);
            self.listed.push(text);
        }
        self.cells.push(number(self.listed.len() - before));
    }

    /// Returns the number of a text.
    fn text(&mut self, text: &'s str) -> i32 {
        let next = number(self.numbers.len());
        *self.numbers.entry(text).or_insert_with(|| {
            if next > 0 {
                self.texts.push(0xFF); // never part of UTF-8
            }
            self.texts.extend_from_slice(text.as_bytes());
            next
        })
    }

    pub fn pack(self) -> Vec<u8> {
        let count = number(1 + self.sizes.len() + self.cells.len() + self.listed.len());
        let numbers = [&[count][..], &self.sizes, &self.cells, &self.listed].concat();
        numbers.iter().flat_map(|number| number.to_ne_bytes()).chain(self.texts).collect()
    }
}

/// Returns a number as it is stored: no file is long enough for a larger one.
fn number(value: usize) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

/// A value of a row, or a row of such values.
pub trait Cell<'s> {
    fn put(self, section: &mut Section<'s>);
}

impl<'s> Cell<'s> for &'s str {
    fn put(self, section: &mut Section<'s>) {
        let text = section.text(self);
        section.cells.push(text);
    }
}

impl<'s> Cell<'s> for &'s &str {
    fn put(self, section: &mut Section<'s>) {
        (*self).put(section);
    }
}

impl<'s> Cell<'s> for &'s String {
    fn put(self, section: &mut Section<'s>) {
        self.as_str().put(section);
    }
}

impl<'s> Cell<'s> for &'s Cow<'_, str> {
    fn put(self, section: &mut Section<'s>) {
        (**self).put(section);
    }
}

impl<'s, T: AsRef<str>> Cell<'s> for &'s Vec<T> {
    fn put(self, section: &mut Section<'s>) {
        section.list(self.iter().map(AsRef::as_ref));
    }
}

/// None or one text.
impl<'s> Cell<'s> for &'s Option<String> {
    fn put(self, section: &mut Section<'s>) {
        section.list(self.as_deref());
    }
}

impl Cell<'_> for &bool {
    fn put(self, section: &mut Section) {
        section.cells.push(i32::from(*self));
    }
}

impl Cell<'_> for &usize {
    fn put(self, section: &mut Section) {
        section.cells.push(number(*self));
    }
}

impl Cell<'_> for &i64 {
    fn put(self, section: &mut Section) {
        section.cells.push(i32::try_from(*self).unwrap_or(i32::MAX));
    }
}

/// The index of a definition; -1 is the file itself.
impl Cell<'_> for &Owner {
    fn put(self, section: &mut Section) {
        section.cells.push(self.map_or(-1, number));
    }
}

/// Makes a row of a struct: its fields in the order in which they are stored.
macro_rules! row {
    ($type:ty: $($field:ident),+) => {
        impl<'s> crate::record::Cell<'s> for &'s $type {
            fn put(self, section: &mut crate::record::Section<'s>) {
                $((&self.$field).put(section);)+
            }
        }
    };
}

pub(crate) use row;

row!(Record<'_>: language, lines, code_lines, comment_lines, syntax_error);
row!(FunctionMetrics: name, line, end_line, parameters, lines_of_code, cyclomatic, extended, cognitive, recursive,
    nesting, distinct_operators, distinct_operands, operators, operands);
row!(Comment: line, column, end_line, text);
