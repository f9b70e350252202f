"""Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Language, Names, text_of

if TYPE_CHECKING:
    from tree_sitter import Node


def _function(node: Node) -> str:
    return "Constructor" if text_of(node.child_by_field_name("name")) == "__init__" else "Function"


def _assigned(node: Node) -> Names:
    left = node.child_by_field_name("left")
    return (text_of(left),) if left is not None and left.type == "identifier" else ()


def _variable(node: Node) -> str:
    right = node.child_by_field_name("right")
    if right is not None and right.type == "lambda":
        return "Function"
    return "Constant" if text_of(node.child_by_field_name("left")).isupper() else "Variable"


PYTHON = Language(
    name="python",
    fence="python",
    grammar=("tree_sitter_python", "language"),
    extensions=(".py", ".pyi", ".pyw"),
    interpreters=frozenset({"python", "pypy"}),
    comments=frozenset({"comment"}),
    declarations=(
        Declaration("function_definition", _function),
        Declaration("class_definition", "Class"),
        Declaration("assignment", _variable, _assigned),
    ),
    wrappers={"decorated_definition": "definition"},
    scopes=frozenset({"lambda"}),
    atoms=frozenset({"string"}),
    decisions=(
        "(if_statement)",
        "(elif_clause)",
        "(for_statement)",
        "(while_statement)",
        "(except_clause)",
        "(conditional_expression)",
        "(boolean_operator)",
        "(for_in_clause)",
        "(if_clause)",
        "(case_clause (case_pattern (_)))",
        "(assert_statement)",
    ),
)
