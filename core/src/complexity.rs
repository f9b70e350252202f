//! Metrics of each function: `holdfast.syntax.complexity`.

use tree_sitter::Node;

use crate::record::FunctionMetrics;
use crate::symbols::Declared;
use crate::tree::{Captures, Failure, Parsed};

/// Returns the metrics of each function in source order; `code_lines` is from `count_code_lines`.
pub fn function_metrics<'t>(
    _parsed: &'t Parsed<'_>,
    _declared: &[Declared<'t>],
    _found: &Captures<'t>,
    _code_lines: &[usize],
) -> Result<Vec<FunctionMetrics>, Failure> {
    Ok(Vec::new())
}

/// Returns the number of lines of code before each line and, as the last item, in total.
pub fn count_code_lines(source: &[u8], comments: &[Node<'_>]) -> Vec<usize> {
    let mut code = source.to_vec();
    for node in comments {
        for byte in &mut code[node.byte_range()] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    let mut counts = vec![0];
    let mut total = 0;
    for line in code.split(|byte| *byte == b'\n') {
        total += usize::from(!line.iter().all(|byte| matches!(byte, b'\t'..=b'\r' | b' ')));
        counts.push(total);
    }
    counts
}
