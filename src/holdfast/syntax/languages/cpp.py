"""C++."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.syntax.languages.c import DECISIONS, DECLARATIONS, declared, prototype, specified
from holdfast.syntax.languages.language import Declaration, Language, Names, text_of

if TYPE_CHECKING:
    from tree_sitter import Node


def _member(node: Node) -> str:
    return "Method" if prototype(node) else "Field"


def _namespace(node: Node) -> Names:
    name = text_of(node.child_by_field_name("name"))
    return tuple(part for part in name.split("::") if part) or ("(anonymous)",)


def _lambda(node: Node) -> str | None:
    value = node.child_by_field_name("value")
    return "Function" if value is not None and value.type == "lambda_expression" else None


CPP = Language(
    name="cpp",
    fence="cpp",
    grammar=("tree_sitter_cpp", "language"),
    extensions=(".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++", ".ipp", ".inl", ".C", ".H"),
    exact=False,
    comments=frozenset({"comment"}),
    declarations=(
        *DECLARATIONS,
        Declaration("class_specifier", specified),
        Declaration("namespace_definition", "Namespace", _namespace),
        Declaration("alias_declaration", "Class"),
        Declaration("concept_definition", "Interface"),
        Declaration("field_declaration", _member, declared),
        Declaration("init_declarator", _lambda, declared),
    ),
    wrappers={"template_declaration": "function_definition|class_specifier|struct_specifier|declaration"},
    scopes=frozenset({"lambda_expression"}),
    atoms=frozenset({"string_literal", "raw_string_literal", "char_literal", "system_lib_string"}),
    decisions=(
        *DECISIONS[:-1],
        "(for_range_loop)",
        "(catch_clause)",
        '(binary_expression operator: ["&&" "||" "and" "or"])',
    ),
)
