//! The record of a source file and its sections: `holdfast.syntax.record`, which documents the fields.
//!
//! Contract: a section has exactly the bytes that `sections` in Python returns.

use std::borrow::Cow;

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
    /// The names, serialized.
    pub names: Option<Vec<u8>>,
    pub syntax_error: Option<String>,
}

impl Record<'_> {
    /// Serializes the record: counts and functions, comments, and names if it has them.
    pub fn sections(self) -> Vec<Vec<u8>> {
        let metrics = json(&(
            self.language,
            self.lines,
            self.code_lines,
            self.comment_lines,
            &self.syntax_error,
            &self.functions,
        ));
        [Some(metrics), Some(json(&self.comments)), self.names].into_iter().flatten().collect()
    }
}

/// Serializes a value.
pub fn json(value: &impl Json) -> Vec<u8> {
    let mut text = Vec::new();
    value.write(&mut text);
    text
}

/// A value with the JSON text that Python's `json` writes without spaces and without escaping other alphabets.
pub trait Json {
    fn write(&self, text: &mut Vec<u8>);
}

impl Json for str {
    fn write(&self, text: &mut Vec<u8>) {
        text.push(b'"');
        let mut rest = self.as_bytes();
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | ..0x20)) {
            text.extend_from_slice(&rest[..at]);
            match rest[at] {
                b'"' => text.extend_from_slice(b"\\\""),
                b'\\' => text.extend_from_slice(b"\\\\"),
                b'\n' => text.extend_from_slice(b"\\n"),
                b'\r' => text.extend_from_slice(b"\\r"),
                b'\t' => text.extend_from_slice(b"\\t"),
                8 => text.extend_from_slice(b"\\b"),
                12 => text.extend_from_slice(b"\\f"),
                control => text.extend_from_slice(format!("\\u{control:04x}").as_bytes()),
            }
            rest = &rest[at + 1..];
        }
        text.extend_from_slice(rest);
        text.push(b'"');
    }
}

impl Json for String {
    fn write(&self, text: &mut Vec<u8>) {
        self.as_str().write(text);
    }
}

impl<T: Json + ?Sized> Json for &T {
    fn write(&self, text: &mut Vec<u8>) {
        (**self).write(text);
    }
}

impl Json for Cow<'_, str> {
    fn write(&self, text: &mut Vec<u8>) {
        (**self).write(text);
    }
}

impl Json for Option<String> {
    fn write(&self, text: &mut Vec<u8>) {
        match self {
            Some(value) => value.write(text),
            None => text.extend_from_slice(b"null"),
        }
    }
}

/// The index of a definition; -1 is the file itself.
impl Json for Owner {
    fn write(&self, text: &mut Vec<u8>) {
        match self {
            Some(index) => index.write(text),
            None => text.extend_from_slice(b"-1"),
        }
    }
}

impl<T: Json> Json for Vec<T> {
    fn write(&self, text: &mut Vec<u8>) {
        text.push(b'[');
        for (index, item) in self.iter().enumerate() {
            if index > 0 {
                text.push(b',');
            }
            item.write(text);
        }
        text.push(b']');
    }
}

impl Json for bool {
    fn write(&self, text: &mut Vec<u8>) {
        text.extend_from_slice(if *self { b"true" } else { b"false" });
    }
}

impl Json for usize {
    fn write(&self, text: &mut Vec<u8>) {
        text.extend_from_slice(self.to_string().as_bytes());
    }
}

impl Json for i64 {
    fn write(&self, text: &mut Vec<u8>) {
        text.extend_from_slice(self.to_string().as_bytes());
    }
}

/// Writes the fields of a row in their order, as an array.
macro_rules! write_fields {
    ($text:ident, $first:expr $(, $rest:expr)*) => {
        $text.push(b'[');
        $first.write($text);
        $($text.push(b','); $rest.write($text);)*
        $text.push(b']');
    };
}

/// Writes a struct as the array of its fields.
macro_rules! row {
    ($type:ty: $($field:ident),+) => {
        impl crate::record::Json for $type {
            fn write(&self, text: &mut Vec<u8>) {
                crate::record::write_fields!(text, $(self.$field),+);
            }
        }
    };
}

pub(crate) use {row, write_fields};

impl<A: Json, B: Json, C: Json, D: Json, E: Json, F: Json> Json for (A, B, C, D, E, F) {
    fn write(&self, text: &mut Vec<u8>) {
        write_fields!(text, self.0, self.1, self.2, self.3, self.4, self.5);
    }
}

row!(FunctionMetrics: name, line, end_line, parameters, lines_of_code, cyclomatic, extended, cognitive, recursive,
    nesting, distinct_operators, distinct_operands, operators, operands);
row!(Comment: line, column, end_line, text);
