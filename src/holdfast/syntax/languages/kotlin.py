"""The table of Kotlin; `language`, `control_flow` and `naming` describe its fields and capture names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Flow, Language
from holdfast.syntax.languages.naming import Naming, import_row, is_not_private
from holdfast.syntax.languages.nodes import FixedName, NameIn, Names, child_of_type, name_field, text_of
from holdfast.syntax.record import ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS = frozenset({"lambda_literal", "anonymous_function"})


def _class_kind(node: Node) -> str:
    words = {child.type for child in node.children}
    if "interface" in words:
        return "Interface"
    modifiers = text_of(child_of_type(node, "modifiers"))
    return "Enum" if "enum" in modifiers.split() or "enum_class_body" in words else "Class"


def _function_kind(node: Node) -> str:
    """A function of an anonymous object is inside another function, yet a method if it overrides one."""
    return "Method" if "override" in text_of(child_of_type(node, "modifiers")).split() else "Function"


def _function_name(node: Node) -> Names:
    """Name a function, qualified by its receiver if it has one: (`String`, `shorten`)."""
    name = node.child_by_field_name("name")
    if name is None:
        return ()
    dot = name.prev_sibling
    receiver = dot.prev_sibling if dot is not None and dot.type == "." else None
    owner = text_of(receiver).split("<")[0].strip("()? ")
    return ((owner,) if owner else ()) + name_field(node)


def _property_name(node: Node) -> Names:
    variable = child_of_type(node, "variable_declaration")
    name = variable.named_child(0) if variable is not None else None
    return (text_of(name),) if name is not None else ()


def _property_kind(node: Node) -> str:
    return "Function" if any(child.type in FUNCTIONS for child in node.named_children) else "Property"


def _companion_name(node: Node) -> Names:
    return name_field(node) or ("Companion",)


def _enum_entry_name(node: Node) -> Names:
    name = child_of_type(node, "identifier")
    return (text_of(name),) if name is not None else ()


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
        (binary_expression) @logic
        [(lambda_literal) (anonymous_function)] @lambda
        [(getter) (setter) (anonymous_initializer)] @unit
    """,
    operators=(
        "abstract as break by catch class companion const constructor continue crossinline data do else "
        "enum external final finally for fun get if import in infix init inline inner interface internal is "
        "lateinit noinline object open operator out override package private protected public reified "
        "return sealed set suspend tailrec throw try typealias val var vararg when where while"
    ),
    string_styles=("triple", "double", "single"),
    coalescing=frozenset({"?:"}),
)


def _read_imports(node: Node) -> Iterator[ImportedName]:
    path, *aliases = [text_of(child) for child in node.named_children if "identifier" in child.type] or [""]
    if text_of(node).rstrip().endswith("*"):
        yield import_row(node, path, "*")
    else:
        module, _, name = path.rpartition(".")
        yield import_row(node, module, name, aliases[0] if aliases else name)


OPERATOR_FUNCTIONS = (
    *("getValue", "setValue", "provideDelegate", "invoke", "get", "set", "contains", "iterator"),
    *("next", "hasNext"),
    *("plus", "minus", "times", "div", "rem", "rangeTo", "rangeUntil", "compareTo", "not", "inc", "dec"),
    *("plusAssign", "minusAssign", "timesAssign", "divAssign", "remAssign", "unaryMinus", "unaryPlus"),
    *("component1", "component2", "component3", "component4", "component5"),
)
"""Functions that operators and delegates call implicitly."""

NAMING = Naming(
    patterns="""
        (string_content) @text
        (package_header (_) @package)
        (import) @import
        (parameter (identifier) @parameter . ":")
        (class_parameter (identifier) @hidden . ":")
        (property_declaration (variable_declaration (identifier) @local))
        (multi_variable_declaration (variable_declaration (identifier) @bound))
        (for_statement (variable_declaration (identifier) @bound))
        (lambda_parameters (variable_declaration (identifier) @hidden))
        (catch_block . (identifier) @bound)
        (value_argument (identifier) @hidden . "=")
        (type_parameter (identifier) @hidden)
        (enum_entry (identifier) @hidden)
        (type_alias type: (identifier) @hidden)
        (call_expression . (_) @callee)
        (annotation [(user_type) @decorator (constructor_invocation (user_type) @decorator)])
        (delegation_specifier
          [(user_type) @base
           (constructor_invocation (user_type) @base)
           (explicit_delegation (user_type) @base)])
        (modifiers) @modifier
        (block [(return_expression) (throw_expression)] . (_) @dead)
    """,
    member_operators=(b"::",),
    interpolated_name=rb"(?<=\$)([A-Za-z_]\w*)",
    read_imports=_read_imports,
    is_exported=is_not_private,
    unused=frozenset({"import", "variable", "unreachable"}),
    exits=frozenset({"exitProcess", "error", "TODO"}),
    reachable=frozenset({"function_declaration", "class_declaration"}),
    entry_point=(b"fun main", rb"(?m)^(?:suspend\s+)?fun main\s*\("),
    implicit_uses=dict.fromkeys(OPERATOR_FUNCTIONS, b""),
    counts_doc_comments=True,
    has_extension_functions=True,
)

KOTLIN = Language(
    name="kotlin",
    grammar=("tree_sitter_kotlin", "language"),
    extensions=(".kt", ".kts"),
    has_exact_grammar=False,
    comments=frozenset({"line_comment", "block_comment"}),
    declarations=(
        Declaration("class_declaration", _class_kind),
        Declaration("object_declaration", "Object"),
        Declaration("companion_object", "Object", _companion_name),
        Declaration("function_declaration", _function_kind, _function_name),
        Declaration("secondary_constructor", "Constructor", FixedName("constructor")),
        Declaration("property_declaration", _property_kind, _property_name),
        Declaration("enum_entry", "EnumMember", _enum_entry_name),
        Declaration("type_alias", "Class", NameIn("type")),
    ),
    scopes=FUNCTIONS,
    atoms=frozenset({"string_literal", "multiline_string_literal", "character_literal"}),
    flow=FLOW,
    naming=NAMING,
)
