"""Counts the parameters of a function; `self`, `this` and other receivers do not count."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Language

if TYPE_CHECKING:
    from tree_sitter import Node

_LISTS = frozenset(
    {
        *("formal_parameters", "function_value_parameters", "lambda_parameters", "method_parameters"),
        *("parameter_list", "parameters", "closure_parameters", "block_parameters"),
    }
)
_INSIDE = frozenset(
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
_OWNER = re.compile(rb"\(\s*this\b|\(\s*void\s*\)")
_OWNER_IN_PYTHON = re.compile(rb"\(\s*(?:self|cls)\b")
_PLAIN = re.compile(rb"\(\s*(self\b|cls\b)?[\w\s,=:.\[\]|\"']*\)")


def parameter_count(node: Node, language: Language) -> int:
    """Count the parameters of a function."""
    parameters = parameters_of(node)
    if parameters is None:
        return sum(child.type == "parameter" for child in node.named_children)
    if parameters.type == "identifier":  # an arrow function's only parameter, without parentheses
        return 1
    text = parameters.text or b""
    plain = _PLAIN.fullmatch(text)
    if plain is not None and language.name == "python":
        return parameters.named_child_count - bool(plain[1])
    children = [
        child
        for child in parameters.named_children
        if child.type not in _NO_PARAMETERS and child.type not in language.comments
    ]
    owner = (_OWNER_IN_PYTHON if language.name == "python" else _OWNER).match(text) is not None
    if any(
        child.type == "parameter" for child in children
    ):  # the other children are modifiers and default values
        return sum(child.type == "parameter" for child in children) - owner
    return sum(max(1, len(child.children_by_field_name("name"))) for child in children) - owner


def parameters_of(node: Node, depth: int = 4) -> Node | None:
    """Return the parameter list of a declaration, or of the function that is assigned in it."""
    found = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
    if found is not None:
        return found
    children = node.named_children
    for child in children:
        if child.type in _LISTS:
            return child
    for child in children if depth else ():
        if child.type in _INSIDE:
            found = parameters_of(child, depth - 1)
            if found is not None:
                return found
    return None
