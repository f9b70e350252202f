//! Reads the record of a source file: `holdfast.syntax.reader`.
