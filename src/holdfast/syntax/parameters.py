"""Counts the parameters of a function, without `self`, `this` and other receivers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Language

if TYPE_CHECKING:
    from tree_sitter import Node

_PARAMETER_LISTS = frozenset(
    {
        *("formal_parameters", "function_value_parameters", "lambda_parameters", "method_parameters"),
        *("parameter_list", "parameters", "closure_parameters", "block_parameters"),
    }
)
_FUNCTION_HOLDERS = frozenset(
    {
        *("arguments", "argument_list", "arrow_function", "expression_list", "func_literal"),
        *("function_declarator", "abstract_function_declarator", "function_expression", "lambda"),
        *("lambda_literal", "lambda_expression", "lambda_function_type", "closure_expression"),
        *("anonymous_function", "pointer_declarator", "do_block", "reference_declarator"),
        *("generator_function", "block", "call_expression"),
    }
)
_NO_PARAMETERS = frozenset(
    {"self_parameter", "receiver_parameter", "keyword_separator", "positional_separator"}
)
_RECEIVER_OR_VOID = re.compile(rb"\(\s*this\b|\(\s*void\s*\)")
_PYTHON_RECEIVER = re.compile(rb"\(\s*(?:self|cls)\b")
_SIMPLE_LIST = re.compile(rb"\(\s*(self\b|cls\b)?[\w\s,=:.\[\]|\"']*\)")
_MAX_DEPTH = 4
"""How many nodes may be around a function in its declaration; `a = wrap(() => …)` has three."""


def parameter_count(node: Node, language: Language) -> int:
    """Count the parameters of a function; a receiver such as `self` does not count, nor does C's `(void)`."""
    parameters = parameter_list(node)
    if parameters is None:
        return sum(child.type == "parameter" for child in node.named_children)
    if parameters.type == "identifier":  # an arrow function's only parameter, without parentheses
        return 1
    text = parameters.text or b""
    simple = _SIMPLE_LIST.fullmatch(text)
    if simple is not None and language.name == "python":
        return parameters.named_child_count - bool(simple[1])
    children = [
        child
        for child in parameters.named_children
        if child.type not in _NO_PARAMETERS and child.type not in language.comments
    ]
    receiver = _PYTHON_RECEIVER if language.name == "python" else _RECEIVER_OR_VOID
    has_receiver = receiver.match(text) is not None
    parameter_nodes = sum(child.type == "parameter" for child in children)
    if parameter_nodes:  # the other children are modifiers and default values
        return parameter_nodes - has_receiver
    return sum(max(1, len(child.children_by_field_name("name"))) for child in children) - has_receiver


def parameter_list(node: Node, depth: int = _MAX_DEPTH) -> Node | None:
    """Return the parameter list of a declaration, or of the function that is assigned in it."""
    parameters = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
    if parameters is not None:
        return parameters
    children = node.named_children
    for child in children:
        if child.type in _PARAMETER_LISTS:
            return child
    if depth == 0:
        return None
    for child in children:
        if child.type in _FUNCTION_HOLDERS:
            parameters = parameter_list(child, depth - 1)
            if parameters is not None:
                return parameters
    return None
