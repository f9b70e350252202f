"""Java."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Language, Names, named

if TYPE_CHECKING:
    from tree_sitter import Node


def _declarator(node: Node) -> Names:
    declarator = node.child_by_field_name("declarator")
    return named(declarator) if declarator is not None else ()


JAVA = Language(
    name="java",
    fence="java",
    grammar=("tree_sitter_java", "language"),
    extensions=(".java",),
    comments=frozenset({"line_comment", "block_comment"}),
    declarations=(
        Declaration("class_declaration", "Class"),
        Declaration("record_declaration", "Class"),
        Declaration("interface_declaration", "Interface"),
        Declaration("annotation_type_declaration", "Interface"),
        Declaration("enum_declaration", "Enum"),
        Declaration("enum_constant", "EnumMember"),
        Declaration("method_declaration", "Method"),
        Declaration("annotation_type_element_declaration", "Method"),
        Declaration("constructor_declaration", "Constructor"),
        Declaration("compact_constructor_declaration", "Constructor"),
        Declaration("field_declaration", "Field", _declarator),
        Declaration("constant_declaration", "Constant", _declarator),
    ),
    scopes=frozenset({"lambda_expression", "static_initializer"}),
    atoms=frozenset({"string_literal", "character_literal"}),
    decisions=(
        "(if_statement)",
        "(for_statement)",
        "(enhanced_for_statement)",
        "(while_statement)",
        "(do_statement)",
        '(switch_label "case")',
        "(catch_clause)",
        "(ternary_expression)",
        '(binary_expression operator: ["&&" "||"])',
    ),
)
