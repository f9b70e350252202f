"""Kotlin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Flow, Language, Names, named, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS = frozenset({"lambda_literal", "anonymous_function"})


def _class(node: Node) -> str:
    words = {child.type for child in node.children}
    if "interface" in words:
        return "Interface"
    modifiers = next((text_of(child) for child in node.children if child.type == "modifiers"), "")
    return "Enum" if "enum" in modifiers.split() or "enum_class_body" in words else "Class"


def _function(node: Node) -> Names:
    """Name a function, after its receiver where it has one: `String.shorten`."""
    name = node.child_by_field_name("name")
    if name is None:
        return ()
    dot = name.prev_sibling
    receiver = dot.prev_sibling if dot is not None and dot.type == "." else None
    owner = text_of(receiver).split("<")[0].strip("()? ")
    return ((owner,) if owner else ()) + named(node)


def _property(node: Node) -> Names:
    variable = next((child for child in node.named_children if child.type == "variable_declaration"), None)
    name = next(iter(variable.named_children), None) if variable is not None else None
    return (text_of(name),) if name is not None else ()


def _variable(node: Node) -> str:
    return "Function" if any(child.type in FUNCTIONS for child in node.named_children) else "Property"


def _constructor(_node: Node) -> Names:
    return ("constructor",)


def _companion(node: Node) -> Names:
    return named(node) or ("Companion",)


def _entry(node: Node) -> Names:
    name = next((child for child in node.named_children if child.type == "identifier"), None)
    return (text_of(name),) if name is not None else ()


def _alias(node: Node) -> Names:
    return (text_of(node.child_by_field_name("type")),)


FLOW = Flow(
    patterns="""
        (if_expression) @if
        (if_expression condition: (_) (_) @nest)
        (if_expression "else" @else)
        (if_expression "else" . (if_expression) @elif)
        [(for_statement) (while_statement) (do_while_statement)] @loop
        [(for_statement (block) @nest) (while_statement (block) @nest) (do_while_statement (block) @nest)]
        (when_expression) @switch
        (when_entry) @nest
        (when_entry . condition: (_)) @case
        (catch_block) @catch @inside
        (binary_expression operator: ["&&" "||"]) @logic
        (binary_expression operator: "?:") @extra
        [(lambda_literal) (anonymous_function)] @lambda
        [(getter) (setter) (anonymous_initializer)] @unit
    """,
    operators=(
        "abstract as break by catch class companion const constructor continue crossinline data do else "
        "enum external final finally for fun get if import in infix init inline inner interface internal is "
        "lateinit noinline object open operator out override package private protected public reified "
        "return sealed set suspend tailrec throw try typealias val var vararg when where while"
    ),
    strings=("triple", "double", "single"),
)


KOTLIN = Language(
    name="kotlin",
    fence="kotlin",
    grammar=("tree_sitter_kotlin", "language"),
    extensions=(".kt", ".kts"),
    exact=False,
    comments=frozenset({"line_comment", "block_comment"}),
    declarations=(
        Declaration("class_declaration", _class),
        Declaration("object_declaration", "Object"),
        Declaration("companion_object", "Object", _companion),
        Declaration("function_declaration", "Function", _function),
        Declaration("secondary_constructor", "Constructor", _constructor),
        Declaration("property_declaration", _variable, _property),
        Declaration("enum_entry", "EnumMember", _entry),
        Declaration("type_alias", "Class", _alias),
    ),
    scopes=FUNCTIONS,
    atoms=frozenset({"string_literal", "multiline_string_literal", "character_literal"}),
    flow=FLOW,
)
