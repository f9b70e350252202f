//! Reads calls from nodes of the syntax tree, in languages where `uses` does not read them from the text:
//! `holdfast.syntax.calls`.

use std::borrow::Cow;

use tree_sitter::Node;

use crate::names::{CallSite, NameReader};
use crate::text::is_word;
use crate::unicode::{is_identifier, is_space};

/// Reads the calls of a file, and the nodes of those that never return; a callee that is no name, as in `(a or b)()`,
/// is left out.
pub fn read_calls<'a>(reader: &NameReader<'a>) -> (Vec<CallSite<'a>>, Vec<Node<'a>>) {
    let callees = reader.nodes("callee").map(|node| (node, node.end_byte()));
    let invocations = reader.nodes("invocation").filter_map(|node| {
        let end = node.child_by_field_id(reader.naming.callee_field?.get())?;
        Some((node, end.end_byte()))
    });
    let (mut sites, mut exits) = (Vec::new(), Vec::new());
    for (node, end) in callees.chain(invocations) {
        let start = node.start_byte();
        let Some(callee) = read_callee(&reader.source[start..end]) else {
            continue;
        };
        if reader.naming.exits.contains(&*callee) {
            exits.push(node);
        }
        let definition = reader.regions.owner(start);
        sites.push((start, CallSite { definition, callee, line: node.start_position().row + 1 }));
    }
    sites.sort_unstable();
    (sites.into_iter().map(|(_, site)| site).collect(), exits)
}

fn read_callee(callee: &str) -> Option<Cow<'_, str>> {
    let is_plain = callee.bytes().all(|byte| is_word(byte) || byte == b'.') && !callee.starts_with('.');
    if is_plain && !callee.is_empty() {
        Some(Cow::Borrowed(callee))
    } else if callee.ends_with([')', ']', '}']) {
        None // the last part is no name
    } else {
        normalise(callee).map(Cow::Owned)
    }
}

/// Normalises a callee: dots between parts, no type arguments, and an object only if it is a plain name.
fn normalise(callee: &str) -> Option<String> {
    let callee = without_type_arguments(with_dots(callee));
    let mut parts: Vec<&str> = callee.split('.').map(|part| part.trim_matches(is_space)).collect();
    parts.retain(|part| !part.is_empty());
    let last = match parts.pop()? {
        "$this" => "this",
        last => last.trim_matches(['$', '&', '*']),
    };
    let word = last.trim_end_matches(['!', '?']).trim_start_matches('#');
    if last.starts_with('-') || !is_name(word, &['$', '-']) {
        return None;
    }
    let objects = parts.into_iter().map(|part| if part == "$this" { "this" } else { part });
    let has_plain_objects = objects.clone().all(|part| is_name(part.trim_start_matches(['#', '@']), &['$']));
    if callee.starts_with('.') || !has_plain_objects {
        return Some(format!(".{last}"));
    }
    Some(objects.chain([last]).collect::<Vec<_>>().join("."))
}

/// Returns whether a text is an identifier if some characters count as letters.
fn is_name(text: &str, letters: &[char]) -> bool {
    is_identifier(text.chars().map(|character| if letters.contains(&character) { '_' } else { character }))
}

/// Returns a callee with a dot instead of each operator between its parts.
fn with_dots(callee: &str) -> String {
    let mut dotted = callee.replace("::<", "<");
    for operator in ["?.", "!.", "&.", "->", "::", "\\"] {
        if dotted.contains(operator) {
            dotted = dotted.replace(operator, ".");
        }
    }
    dotted
}

/// Removes type arguments, the innermost first.
fn without_type_arguments(mut callee: String) -> String {
    loop {
        let mut rest = String::with_capacity(callee.len());
        let mut open = None; // the offset in `rest` of the last angle bracket that may start type arguments
        for character in callee.chars() {
            rest.push(character);
            match character {
                '<' => open = Some(rest.len() - 1),
                '(' | ')' => open = None,
                '>' => {
                    if let Some(start) = open.take() {
                        rest.truncate(start);
                    }
                }
                _ => {}
            }
        }
        if rest.len() == callee.len() {
            return callee;
        }
        callee = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn callee(source: &str) -> Option<String> {
        read_callee(source).map(Cow::into_owned)
    }

    #[test]
    fn operators_between_parts_become_dots() {
        assert_eq!(callee("$this->log").as_deref(), Some("this.log"));
        assert_eq!(callee("a?.b::c\\d").as_deref(), Some("a.b.c.d"));
    }

    #[test]
    fn objects_that_are_no_names_are_left_out() {
        assert_eq!(callee("f(x).run").as_deref(), Some(".run"));
        assert_eq!(callee("(a or b)"), None);
    }

    #[test]
    fn type_arguments_are_removed_with_those_in_them() {
        assert_eq!(callee("Vec::<Option<u8>>::new").as_deref(), Some("Vec.new"));
        assert_eq!(callee("map<A, fn() -> B>"), None);
    }
}
