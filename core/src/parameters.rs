//! Counts the parameters of a function, without `self`, `this` and other receivers.

use tree_sitter::Node;

use crate::nodes::{child_in_fields, named_children};
use crate::text::{is_word, trim_start};
use crate::tree::Parsed;

const PARAMETER_LISTS: [&str; 8] = [
    "formal_parameters",
    "function_value_parameters",
    "lambda_parameters",
    "method_parameters",
    "parameter_list",
    "parameters",
    "closure_parameters",
    "block_parameters",
];
const FUNCTION_HOLDERS: [&str; 20] = [
    "arguments",
    "argument_list",
    "arrow_function",
    "expression_list",
    "func_literal",
    "function_declarator",
    "abstract_function_declarator",
    "function_expression",
    "lambda",
    "lambda_literal",
    "lambda_expression",
    "lambda_function_type",
    "closure_expression",
    "anonymous_function",
    "pointer_declarator",
    "do_block",
    "reference_declarator",
    "generator_function",
    "block",
    "call_expression",
];
const NO_PARAMETERS: [&str; 4] =
    ["self_parameter", "receiver_parameter", "keyword_separator", "positional_separator"];
/// How many nodes may be around a function in its declaration; `a = wrap(() => …)` has three.
const MAX_DEPTH: usize = 4;

/// Counts the parameters of a function; a receiver such as `self` does not count, nor does C's `(void)`.
pub fn parameter_count(node: Node, parsed: &Parsed) -> i64 {
    let Some(parameters) = parameter_list(node) else {
        return count(named_children(node).filter(|child| child.kind() == "parameter"));
    };
    if parameters.kind() == "identifier" {
        return 1; // an arrow function's only parameter, without parentheses
    }
    let language = parsed.language;
    let children: Vec<_> = named_children(parameters)
        .filter(|child| !NO_PARAMETERS.contains(&child.kind()) && !language.comments.contains(child.kind()))
        .collect();
    let receiver = i64::from(has_receiver(parsed.text_of(parameters), language.name == "python"));
    let parameter_nodes = count(children.iter().filter(|child| child.kind() == "parameter"));
    if parameter_nodes > 0 {
        return parameter_nodes - receiver; // the other children are modifiers and default values
    }
    let names = |child: &Node| count(child.children_by_field_name("name", &mut child.walk()));
    children.iter().map(|child| names(child).max(1)).sum::<i64>() - receiver
}

fn count<T>(items: impl Iterator<Item = T>) -> i64 {
    items.fold(0, |sum, _| sum + 1)
}

/// Returns whether the first of the parameters in a text is a receiver, or `void`.
fn has_receiver(text: &[u8], is_python: bool) -> bool {
    let Some(list) = text.strip_prefix(b"(") else {
        return false;
    };
    let list = trim_start(list);
    let starts_with = |word: &[u8]| {
        list.strip_prefix(word).is_some_and(|rest| !rest.first().is_some_and(|&byte| is_word(byte)))
    };
    if is_python {
        return starts_with(b"self") || starts_with(b"cls");
    }
    starts_with(b"this") || list.strip_prefix(b"void").is_some_and(|rest| trim_start(rest).starts_with(b")"))
}

/// Returns the parameter list of a declaration, or of the function that is assigned in it.
pub fn parameter_list(node: Node) -> Option<Node> {
    parameter_list_within(node, MAX_DEPTH)
}

fn parameter_list_within(node: Node, depth: usize) -> Option<Node> {
    let is_list = |child: &Node| PARAMETER_LISTS.contains(&child.kind());
    let is_holder = |child: &Node| FUNCTION_HOLDERS.contains(&child.kind());
    child_in_fields(node, &["parameters", "parameter"])
        .or_else(|| named_children(node).find(is_list))
        .or_else(|| {
            let mut holders = named_children(node).filter(|child| depth > 0 && is_holder(child));
            holders.find_map(|child| parameter_list_within(child, depth - 1))
        })
}

#[cfg(test)]
mod tests {
    use super::has_receiver;

    #[test]
    fn receivers_are_whole_words() {
        assert!(has_receiver(b"(self, a)", true));
        assert!(has_receiver(b"( \x0bcls)", true));
        assert!(!has_receiver(b"(selfish)", true));
        assert!(!has_receiver(b"(self)", false));
        assert!(has_receiver(b"(this: Window)", false));
        assert!(has_receiver(b"( void )", false));
        assert!(!has_receiver(b"(void *p)", false));
    }
}
