"""Rust."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Language, Names, text_of

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
    decisions=(
        "(if_expression)",
        "(while_expression)",
        "(for_expression)",
        "(match_arm pattern: (match_pattern (_)))",
        "(let_declaration alternative: (block))",
        '(binary_expression operator: ["&&" "||"])',
        '(let_chain "&&" @decision)',
    ),
)
