"""Rust."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Flow, Language, Names, text_of

if TYPE_CHECKING:
    from tree_sitter import Node


def _without_arguments(node: Node | None) -> str:
    if node is not None and node.type == "generic_type":
        node = node.child_by_field_name("type")
    return text_of(node)


def _implementation(node: Node) -> Names:
    """Name an implementation after its type, and after its trait where it has one."""
    owner = _without_arguments(node.child_by_field_name("type"))
    trait = node.child_by_field_name("trait")
    return (f"{text_of(trait)} for {owner}" if trait is not None else owner,)


def _closure(node: Node) -> str | None:
    value = node.child_by_field_name("value")
    return "Function" if value is not None and value.type == "closure_expression" else None


def _pattern(node: Node) -> Names:
    return (text_of(node.child_by_field_name("pattern")),)


FLOW = Flow(
    patterns="""
        (if_expression) @if
        (if_expression consequence: (_) @nest)
        (else_clause) @else
        (else_clause (_) @nest)
        (else_clause (if_expression) @elif)
        [(while_expression) (for_expression)] @loop
        (loop_expression) @switch
        [(while_expression body: (_) @nest) (for_expression body: (_) @nest)]
        (loop_expression body: (_) @nest)
        (match_expression) @switch
        (match_arm) @nest
        (match_arm pattern: (match_pattern (_))) @case
        (let_declaration alternative: (block) @nest) @if
        (binary_expression operator: ["&&" "||"]) @logic
        (let_chain) @jump
        (let_chain "&&" @extra)
        (break_expression (label)) @jump
        (continue_expression (label)) @jump
        (closure_expression) @lambda
    """,
    operators=(
        "as async await break const continue crate dyn else enum extern fn for if impl in let loop match "
        "mod move mut pub ref return static struct super trait type union unsafe use where while"
    ),
    strings=("rust", "double", "character"),
    bare=False,
)


RUST = Language(
    name="rust",
    fence="rust",
    grammar=("tree_sitter_rust", "language"),
    extensions=(".rs",),
    comments=frozenset({"line_comment", "block_comment"}),
    declarations=(
        Declaration("function_item", "Function"),
        Declaration("function_signature_item", "Function"),
        Declaration("impl_item", "Object", _implementation),
        Declaration("struct_item", "Struct"),
        Declaration("union_item", "Struct"),
        Declaration("enum_item", "Enum"),
        Declaration("enum_variant", "EnumMember"),
        Declaration("trait_item", "Interface"),
        Declaration("mod_item", "Module"),
        Declaration("macro_definition", "Function"),
        Declaration("type_item", "Class"),
        Declaration("const_item", "Constant"),
        Declaration("static_item", "Constant"),
        Declaration("field_declaration", "Field"),
        Declaration("let_declaration", _closure, _pattern),
    ),
    attributes=frozenset({"attribute_item"}),
    scopes=frozenset({"closure_expression"}),
    atoms=frozenset({"string_literal", "raw_string_literal", "char_literal"}),
    flow=FLOW,
)
