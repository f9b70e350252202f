//! Reads the record of a source file: `holdfast.syntax.reader`.

use memchr::memchr_iter;
use tree_sitter::Node;

use crate::complexity::{count_code_lines, function_metrics};
use crate::names::read_names;
use crate::record::{Comment, Record};
use crate::symbols::find_declarations;
use crate::tables::Language;
use crate::tree::{Failure, MAX_PARSE_TIME, Parsed, captures, parse};

/// Returns the packed sections of the record of a file.
pub fn read(
    path: &str,
    language: &Language,
    source: &[u8],
    with_names: bool,
) -> Result<Vec<Vec<u8>>, Failure> {
    let parsed = parse(language, source, MAX_PARSE_TIME)?;
    let query = language.record_query(source, with_names)?;
    let found = captures(&parsed, &query, MAX_PARSE_TIME)?;
    let symbols = find_declarations(&parsed, &found)?;
    let mut comments = found.get("comment").to_vec();
    comments.sort_by_key(Node::start_byte);
    let code_lines_before = count_code_lines(source, &comments); // for each line, and in total
    let code_lines = code_lines_before[code_lines_before.len() - 1];
    let lines_with_text = count_code_lines(source, &[]).last().copied().unwrap_or_default();
    let record = Record {
        language: &language.name,
        lines: line_count(source),
        code_lines,
        comment_lines: lines_with_text - code_lines,
        functions: function_metrics(&parsed, &symbols, &found, &code_lines_before)?,
        comments: comments.iter().map(|node| comment_at(*node, source)).collect(),
        names: if with_names { Some(read_names(&parsed, &symbols, &found)?) } else { None },
        syntax_error: first_syntax_error(&parsed)
            .filter(|_| language.can_judge_syntax(path, !symbols.is_empty())),
    };
    Ok(record.pack())
}

/// Returns the number of lines; a last line without a line end counts too.
fn line_count(source: &[u8]) -> usize {
    let ends = memchr_iter(b'\n', source).count();
    ends + usize::from(source.last().is_some_and(|byte| *byte != b'\n'))
}

/// Returns the comment of a node, whose column counts bytes; ours counts characters.
fn comment_at(node: Node<'_>, source: &[u8]) -> Comment {
    let (start, point) = (node.start_byte(), node.start_position());
    let text = String::from_utf8_lossy(&source[node.byte_range()]);
    let text = text.trim_end_matches(['\r', '\n']);
    let text_before = String::from_utf8_lossy(&source[start - point.column..start]);
    let line = point.row + 1;
    Comment {
        line,
        column: text_before.chars().count() + 1,
        end_line: line + text.matches('\n').count(),
        text: text.to_owned(),
    }
}

fn first_syntax_error(parsed: &Parsed<'_>) -> Option<String> {
    let problem = parsed.problems.first()?;
    Some(format!("line {}, column {}: {}", problem.line, problem.column, problem.message))
}
