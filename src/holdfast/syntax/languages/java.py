"""Java."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Flow, Language, Names, named

if TYPE_CHECKING:
    from tree_sitter import Node


def _declarator(node: Node) -> Names:
    declarator = node.child_by_field_name("declarator")
    return named(declarator) if declarator is not None else ()


FLOW = Flow(
    patterns="""
        (if_statement) @if
        (if_statement consequence: (_) @nest)
        (if_statement alternative: (_) @else @nest)
        (if_statement alternative: (if_statement) @elif)
        [(for_statement) (enhanced_for_statement) (while_statement) (do_statement)] @loop
        [(for_statement body: (_) @nest) (enhanced_for_statement body: (_) @nest)
         (while_statement body: (_) @nest) (do_statement body: (_) @nest)]
        (switch_expression) @switch
        (switch_expression body: (_) @nest)
        (switch_label "case") @case
        (catch_clause) @catch
        (catch_clause body: (_) @nest)
        (ternary_expression) @ternary
        (ternary_expression consequence: (_) @nest)
        (ternary_expression alternative: (_) @nest)
        (binary_expression operator: ["&&" "||"]) @logic
        (break_statement (identifier)) @jump
        (continue_statement (identifier)) @jump
        (lambda_expression) @lambda
        (static_initializer) @unit
    """,
    operators=(
        "abstract assert break case catch class const continue default do else enum extends final finally "
        "for goto if implements import instanceof interface native new package private protected public "
        "record return static strictfp switch synchronized throw throws transient try var volatile while "
        "yield"
    ),
    strings=("triple", "double", "single"),
)


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
    flow=FLOW,
)
