//! Reads the names that a file defines, imports, uses and calls: `holdfast.syntax.names`.

use crate::record::Names;
use crate::symbols::Declared;
use crate::tree::{Captures, Failure, Parsed};

/// Returns the names of a file, from its declarations and the captured nodes.
pub fn read_names<'t>(
    _parsed: &'t Parsed<'_>,
    _declared: &[Declared<'t>],
    _found: &Captures<'t>,
) -> Result<Names, Failure> {
    Err(Failure::Failed("Names are not read yet".to_owned()))
}
