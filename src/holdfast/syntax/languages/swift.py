"""The table of Swift; `language`, `control_flow` and `naming` describe its fields and capture names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Flow, Language
from holdfast.syntax.languages.naming import DeclarationContext, Naming, import_row
from holdfast.syntax.languages.nodes import FixedName, KindByChild, Names, Several, child_of_type, text_of
from holdfast.syntax.record import ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node

KINDS_BY_KEYWORD = {
    "class": "Class",
    "struct": "Struct",
    "enum": "Enum",
    "extension": "Object",
    "actor": "Class",
}
"""The kinds of symbols that a `class_declaration` of the grammar declares."""


def _type_kind(node: Node) -> str:
    return KINDS_BY_KEYWORD.get(text_of(node.child_by_field_name("declaration_kind")), "Class")


def _property_name(node: Node) -> Names:
    name = text_of(node.child_by_field_name("name") if node.type == "property_declaration" else node)
    return (name,) if name else ()


def _property_parts(node: Node) -> Sequence[Node]:
    """Return the patterns of `let a = 1, b = 2` and `let (a, b) = pair`."""
    patterns = list(node.children_by_field_name("name"))
    for pattern in patterns:  # grows while it is read
        patterns += [child for child in pattern.named_children if child.type == "pattern"]
    names = [pattern for pattern in patterns if child_of_type(pattern, "pattern") is None]
    return names if len(names) > 1 else ()


FLOW = Flow(
    patterns="""
        (if_statement) @if @inside
        (if_statement (else) @else)
        (if_statement (else) . (if_statement) @elif)
        (guard_statement) @if @inside
        [(for_statement) (while_statement) (repeat_while_statement)] @loop @inside
        (switch_statement) @switch
        (switch_entry) @nest
        (switch_entry "case") @case
        (catch_block) @catch @inside
        (ternary_expression) @ternary
        (ternary_expression if_true: (_) @nest)
        (ternary_expression if_false: (_) @nest)
        [(conjunction_expression) (disjunction_expression)] @logic
        (nil_coalescing_expression) @extra
        (control_transfer_statement ["break" "continue"] result: (_)) @jump
        (lambda_literal) @lambda
        [(computed_getter) (computed_setter)] @unit
    """,
    operators=(
        "actor as async await break case catch class continue default defer deinit do else enum extension "
        "fallthrough fileprivate final for func get guard if import in indirect init inout internal is lazy "
        "let mutating open operator override private protocol public repeat rethrows return set some static "
        "struct subscript switch throw throws try typealias unowned var weak where while"
    ),
    string_styles=("triple", "double"),
)


IMPORTABLE_KINDS = frozenset({"struct", "class", "enum", "protocol", "func", "var", "let", "typealias"})
"""The keywords that can be in front of a single imported declaration: `import struct Geometry.Point`."""


def _read_imports(node: Node) -> Iterator[ImportedName]:
    path = text_of(child_of_type(node, "identifier"))
    module, _, name = path.rpartition(".")
    if module and any(child.type in IMPORTABLE_KINDS for child in node.children):
        yield import_row(node, module, name, name)
    else:
        yield import_row(node, path, "*")


def _is_exported(context: DeclarationContext) -> bool:
    return not context.modifiers & {"private", "fileprivate"}


NAMING = Naming(
    patterns="""
        [(line_str_text) (multi_line_str_text)] @text
        (import_declaration) @import
        (parameter name: (simple_identifier) @parameter)
        (parameter external_name: (simple_identifier) @hidden)
        (lambda_parameter name: (simple_identifier) @hidden)
        (property_declaration name: (pattern bound_identifier: (simple_identifier) @local))
        (pattern bound_identifier: (simple_identifier) @bound)
        (pattern (pattern (simple_identifier) @bound))
        (if_statement bound_identifier: (simple_identifier) @bound)
        (guard_statement bound_identifier: (simple_identifier) @bound)
        [(value_argument_label) (str_escaped_char)] @hidden
        (enum_entry name: (simple_identifier) @hidden)
        (call_expression . (_) @callee)
        (attribute (user_type) @decorator)
        (inheritance_specifier inherits_from: (_) @base)
        (visibility_modifier) @modifier
        (statements (control_transfer_statement) . (_) @dead)
    """,
    reserved=frozenset({"true", "false", "nil", "self", "case", "default", "else", "catch", "throw"}),
    read_imports=_read_imports,
    is_exported=_is_exported,
    unused=frozenset({"variable", "unreachable"}),
    exits=frozenset({"fatalError", "preconditionFailure", "exit", "abort"}),
    reachable=frozenset({"function_declaration", "class_declaration"}),
    entry_point=(b"@main", rb"(?m)^@main\b"),
)

SWIFT = Language(
    name="swift",
    grammar=("tree_sitter_swift", "language"),
    extensions=(".swift",),
    has_exact_grammar=False,
    interpreters=frozenset({"swift"}),
    comments=frozenset({"comment", "multiline_comment", "shebang_line"}),
    declarations=(
        Declaration("class_declaration", _type_kind),
        Declaration("protocol_declaration", "Interface"),
        Declaration("function_declaration", "Function"),
        Declaration("protocol_function_declaration", "Method"),
        Declaration("init_declaration", "Constructor", FixedName("init")),
        Declaration("deinit_declaration", "Method", FixedName("deinit")),
        Declaration("subscript_declaration", "Method", FixedName("subscript")),
        Declaration(
            "property_declaration",
            KindByChild("value", {"lambda_literal": "Function"}, "Property"),
            _property_name,
            parts=_property_parts,
        ),
        Declaration("protocol_property_declaration", "Property"),
        Declaration("enum_entry", "EnumMember", parts=Several("name")),
        Declaration("typealias_declaration", "Class"),
    ),
    scopes=frozenset({"lambda_literal"}),
    atoms=frozenset({"line_string_literal", "multi_line_string_literal", "raw_string_literal"}),
    flow=FLOW,
    naming=NAMING,
)
