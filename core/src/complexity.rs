//! Metrics of each function: cyclomatic (plain and extended), cognitive and Halstead complexity, and sizes:
//! `holdfast.syntax.complexity`.
//!
//! Contract: every function with a body has one row, in source order. An anonymous function counts towards the
//! enclosing function. It has its own row if it has branches and there is no enclosing function, or if
//! `flow.excludes_inner_functions` is set.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::Node;

use crate::control_flow::{FunctionTally, count_functions};
use crate::halstead::Vocabulary;
use crate::parameters::parameter_count;
use crate::record::FunctionMetrics;
use crate::recursion::{Caller, recursive_functions};
use crate::symbols::{Declared, last_line};
use crate::text::is_space;
use crate::tree::{Captures, Failure, Parsed};

/// Returns the metrics of each function in source order; `code_lines` is from `count_code_lines`.
pub fn function_metrics<'t>(
    parsed: &Parsed,
    declared: &[Declared<'t>],
    found: &Captures<'t>,
    code_lines: &[usize],
) -> Result<Vec<FunctionMetrics>, Failure> {
    let tallies = count_functions(parsed, declared, found);
    let enclosing = enclosing_indexes(&tallies);
    let texts = own_texts(parsed.source, &tallies, &enclosing);
    let mut vocabulary = Vocabulary::new(parsed.language)?;
    let mut counts = Vec::new();
    let mut tokens = Vec::new();
    for text in &texts {
        let (own_counts, distinct) = vocabulary.add(text)?;
        counts.push(own_counts);
        tokens.push(distinct);
    }
    for index in (0..tallies.len()).rev() {
        if let Some(outer) = enclosing[index].filter(|_| !tallies[index].is_named) {
            // The calls of an anonymous function count for the enclosing one.
            let own = tokens[index].clone();
            tokens[outer].extend(own);
        }
    }
    let callers = callers(&tallies, tokens);
    let recursive = recursive_functions(parsed, callers, &vocabulary)?;
    let rows = tallies.iter().zip(counts).map(|(tally, counts)| {
        let name = tally.path.join(".");
        let is_recursive = recursive.contains(&name);
        let (line, end_line) = (tally.node.start_position().row + 1, last_line(tally.function_node));
        FunctionMetrics {
            name,
            line,
            end_line,
            parameters: parameter_count(tally.node, parsed),
            lines_of_code: code_lines[end_line] - code_lines[line - 1],
            cyclomatic: tally.branches,
            extended: tally.extended,
            cognitive: tally.cognitive + i64::from(is_recursive),
            recursive: is_recursive,
            nesting: tally.nesting,
            distinct_operators: counts.distinct_operators,
            distinct_operands: counts.distinct_operands,
            operators: counts.operators,
            operands: counts.operands,
        }
    });
    Ok(rows.collect())
}

/// Returns the functions that a call can refer to: those with a name that no other function has.
fn callers<'t>(tallies: &[FunctionTally<'t>], mut tokens: Vec<Vec<usize>>) -> Vec<Caller<'t>> {
    for tokens in &mut tokens {
        tokens.sort_unstable();
    }
    let mut path_counts: HashMap<_, usize> = HashMap::new();
    for tally in tallies {
        *path_counts.entry(&tally.path).or_default() += 1;
    }
    let named = tallies
        .iter()
        .zip(tokens)
        .filter(|(tally, _)| tally.is_named && path_counts[&tally.path] == 1 && tally.kind != "Constructor");
    let callers = named.filter_map(|(tally, tokens)| {
        let name = tally.path.last()?.rsplit('.').next().filter(|name| !name.is_empty())?.into();
        Some(Caller {
            node: tally.node,
            path: tally.path.clone(),
            name,
            is_method: tally.kind == "Method",
            tokens,
        })
    });
    callers.collect()
}

/// Returns the number of lines of code before each line and, as the last item, in total.
///
/// Blank lines and lines with only comments do not count.
pub fn count_code_lines(source: &[u8], comments: &[Node]) -> Vec<usize> {
    let mut code = Cow::Borrowed(source);
    for node in comments {
        for byte in &mut code.to_mut()[node.byte_range()] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    let mut counts = vec![0];
    let mut count = 0;
    for line in code.split(|&byte| byte == b'\n') {
        count += usize::from(!line.iter().all(|&byte| is_space(byte)));
        counts.push(count);
    }
    counts
}

/// Returns, for each function, the index of the function directly around it.
fn enclosing_indexes(tallies: &[FunctionTally]) -> Vec<Option<usize>> {
    let mut open: Vec<usize> = Vec::new();
    let mut enclosing = Vec::with_capacity(tallies.len());
    for (index, tally) in tallies.iter().enumerate() {
        while open.pop_if(|outer| tallies[*outer].end() <= tally.node.start_byte()).is_some() {}
        enclosing.push(open.last().copied());
        open.push(index);
    }
    enclosing
}

/// Returns the text of each function without that of its inner functions.
fn own_texts<'a>(
    source: &'a [u8],
    tallies: &[FunctionTally],
    enclosing: &[Option<usize>],
) -> Vec<Cow<'a, [u8]>> {
    let span = |tally: &FunctionTally| tally.node.start_byte()..tally.end();
    let mut inner: Vec<Vec<Range<usize>>> = vec![Vec::new(); tallies.len()];
    for (tally, outer) in tallies.iter().zip(enclosing) {
        if let Some(outer) = outer {
            inner[*outer].push(span(tally));
        }
    }
    let texts = tallies.iter().zip(inner).map(|(tally, inner)| {
        let whole = span(tally);
        if inner.is_empty() {
            return Cow::Borrowed(&source[whole]);
        }
        let starts = [whole.start].into_iter().chain(inner.iter().map(|span| span.end));
        let ends = inner.iter().map(|span| span.start).chain([whole.end]);
        let parts: Vec<_> =
            starts.zip(ends).map(|(start, end)| source.get(start..end).unwrap_or_default()).collect();
        Cow::Owned(parts.join(&b'\n'))
    });
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::count_code_lines;

    #[test]
    fn blank_lines_are_no_code() {
        assert_eq!(count_code_lines(b"a\n \t\x0b\n\nb", &[]), [0, 1, 1, 1, 2]);
        assert_eq!(count_code_lines(b"", &[]), [0, 0]);
    }
}
