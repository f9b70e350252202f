//! Two rules of `SonarSource`'s cognitive complexity that do not follow from nesting alone.
//!
//! - A sequence of equal logical operators counts once (white paper, "Sequences of logical operators").
//! - A Python function that only defines and returns another function does not increase the nesting level of that
//!   function (Appendix A, "Python: Decorators").

use std::collections::{HashMap, HashSet};

use tree_sitter::Node;

use crate::nodes::{child_in_fields, named_children};
use crate::regions::sort_by_position;
use crate::tables::{Flow, Language};

const PARENTHESES: [&str; 3] = ["parenthesized_expression", "parenthesized_statements", "tuple_expression"];
const CHAIN_NODES: [&str; 5] = [
    "binary_expression",
    "call_expression",
    "member_expression",
    "non_null_expression",
    "subscript_expression",
];
const TERNARY: [&str; 2] = ["ternary_expression", "conditional_expression"];

/// Returns the operator of a binary expression.
pub fn operator_of(node: Node) -> &'static str {
    operator_node(node).map_or("", |operator| operator.kind())
}

fn operator_node(node: Node) -> Option<Node> {
    child_in_fields(node, &["operator", "op"]).or_else(|| node.child(1))
}

/// A logical operation, and the position of its operator.
struct Operation<'t> {
    node: Node<'t>,
    operator: &'static str,
    operator_start: usize,
    /// The index of the outermost operation of the expression.
    outermost: usize,
}

/// Returns the outermost node of each logical expression, with the number of operator sequences in it.
///
/// A sequence ends where the operator changes, in source order, or where a negation or call is between two
/// operators; `flow.parentheses` says whether it continues in parentheses. In JSX, operators of one kind that
/// only choose whether an element is `shown` do not count.
pub fn count_sequences<'t>(flow: &Flow, nodes: &[Node<'t>], shown: &[Node<'t>]) -> Vec<(Node<'t>, i64)> {
    // By operand: the index of its operation, and whether it is in parentheses.
    let mut parents: HashMap<usize, (usize, bool)> = HashMap::new();
    let mut operations: Vec<Operation> = Vec::new();
    let known: HashSet<usize> = nodes.iter().map(Node::id).collect();
    for node in sort_by_position(nodes.iter().copied()) {
        let Some(operator) = operator_node(node) else {
            continue;
        };
        let index = operations.len();
        for child in named_children(node) {
            let misparsed = if known.contains(&child.id()) { None } else { misparsed_operation(child, flow) };
            let operand = misparsed.unwrap_or_else(|| unwrap(child));
            parents.insert(operand.id(), (index, misparsed.is_none() && operand.id() != child.id()));
        }
        let outermost = match parents.get(&node.id()) {
            Some(&(parent, in_parentheses))
                if !in_parentheses
                    || flow.parentheses == "all"
                    || (flow.parentheses == "like" && operations[parent].operator == operator.kind()) =>
            {
                operations[parent].outermost
            }
            _ => index,
        };
        operations.push(Operation {
            node,
            operator: operator.kind(),
            operator_start: operator.start_byte(),
            outermost,
        });
    }
    let shown: HashSet<usize> = shown.iter().map(Node::id).collect();
    let mut groups: Vec<Vec<&Operation>> = operations.iter().map(|_| Vec::new()).collect();
    for operation in &operations {
        groups[operation.outermost].push(operation);
    }
    let counted = groups.iter_mut().filter_map(|group| {
        let outermost = group.first()?.node;
        let has_ternary = shown.contains(&outermost.id()) && has_ternary_operand(group);
        group.sort_by_key(|operation| operation.operator_start);
        let is_mixed = group.iter().any(|operation| operation.operator != group[0].operator);
        let is_counted = !shown.contains(&outermost.id()) || is_mixed || has_ternary;
        is_counted.then(|| (outermost, sequences(flow, group)))
    });
    counted.collect()
}

fn sequences(flow: &Flow, group: &[&Operation]) -> i64 {
    let mut previous = None;
    let starts = group.iter().filter(|operation| {
        previous.replace(operation.operator) != Some(operation.operator)
            && !flow.uncounted.contains(operation.operator)
    });
    starts.fold(0, |count, _| count + 1)
}

/// Returns the expression in parentheses.
fn unwrap(mut node: Node) -> Node {
    while PARENTHESES.contains(&node.kind()) {
        let Some(inner) = node.named_child(0) else {
            break;
        };
        node = inner;
    }
    node
}

/// Returns the operation inside a TypeScript `!`; the grammar parses `a && b!.c` as `(a && b)!.c`.
fn misparsed_operation<'t>(mut node: Node<'t>, flow: &Flow) -> Option<Node<'t>> {
    while CHAIN_NODES.contains(&node.kind()) {
        node = node.named_child(0)?;
        if node.kind() == "binary_expression" && flow.logical.contains(operator_of(node)) {
            return Some(node);
        }
    }
    None
}

fn has_ternary_operand(group: &[&Operation]) -> bool {
    group
        .iter()
        .any(|operation| named_children(operation.node).any(|child| TERNARY.contains(&unwrap(child).kind())))
}

/// Returns whether a Python function only defines another function and returns its name.
pub fn is_decorator(outer: Node, inner: Node, language: &Language) -> bool {
    let body = outer.child_by_field_name("body");
    let mut statements = body.into_iter().flat_map(named_children);
    statements.all(|statement| {
        if language.comments.contains(statement.kind()) {
            return true;
        }
        let range = statement.byte_range();
        if range.start <= inner.start_byte() && inner.end_byte() <= range.end {
            return ["function_definition", "decorated_definition"].contains(&statement.kind());
        }
        let returned = named_children(statement).map(|child| child.kind());
        statement.kind() == "return_statement" && returned.eq(["identifier"])
    })
}
