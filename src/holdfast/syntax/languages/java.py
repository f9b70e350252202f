"""The table of Java; `language`, `control_flow` and `naming` describe its fields and capture names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Flow, Language
from holdfast.syntax.languages.naming import Naming, import_row, is_not_private
from holdfast.syntax.languages.nodes import Names, Several, name_field, text_of
from holdfast.syntax.record import ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node


def _declarator_name(node: Node) -> Names:
    return name_field(node.child_by_field_name("declarator") or node)


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
        (binary_expression) @logic
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
    string_styles=("triple", "double", "single"),
    parentheses="all",
)


def _read_imports(node: Node) -> Iterator[ImportedName]:
    path = next((text_of(child) for child in node.named_children if "identifier" in child.type), "")
    if any(child.type == "asterisk" for child in node.named_children):
        yield import_row(node, path, "*")
    else:
        module, _, name = path.rpartition(".")
        yield import_row(node, module, name, name)


NAMING = Naming(
    patterns="""
        [(string_fragment) (multiline_string_fragment)] @text
        (escape_sequence) @hidden
        (package_declaration [(identifier) (scoped_identifier)] @package)
        (import_declaration) @import
        (formal_parameter name: (identifier) @parameter)
        (spread_parameter (variable_declarator name: (identifier) @parameter))
        (lambda_expression parameters: (identifier) @hidden)
        (inferred_parameters (identifier) @hidden)
        (local_variable_declaration declarator: (variable_declarator name: (identifier) @local))
        (catch_formal_parameter name: (identifier) @bound)
        (resource name: (identifier) @bound)
        (enhanced_for_statement name: (identifier) @bound)
        (instanceof_expression name: (identifier) @bound)
        (type_pattern (identifier) @bound)
        (type_parameter . (type_identifier) @hidden)
        (labeled_statement . (identifier) @hidden)
        (element_value_pair key: (identifier) @hidden)
        (field_declaration declarator: (variable_declarator name: (identifier) @hidden))
        (constant_declaration declarator: (variable_declarator name: (identifier) @hidden))
        (method_invocation) @invocation
        (object_creation_expression type: (_) @callee)
        (marker_annotation name: (_) @decorator)
        (annotation name: (_) @decorator)
        ((formal_parameter
           (modifiers [(annotation name: (_) @observer) (marker_annotation name: (_) @observer)]))
         (#any-of? @observer "Observes" "ObservesAsync"))
        (superclass (_) @base)
        (super_interfaces (type_list (_) @base))
        (extends_interfaces (type_list (_) @base))
        (modifiers) @modifier
        (block [(return_statement) (throw_statement) (break_statement) (continue_statement)] . (_) @dead)
    """,
    member_operators=(b"::",),
    name_characters=b"$",
    read_imports=_read_imports,
    is_exported=is_not_private,
    unused=frozenset({"import", "variable", "unreachable"}),
    exits=frozenset({"System.exit"}),
    reachable=frozenset({"class_declaration", "record_declaration", "break_statement"}),
    entry_point=(b"main", rb"\bstatic\s+(?:public\s+)?void\s+main\s*\("),
    counts_doc_comments=True,
)

JAVA = Language(
    name="java",
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
        Declaration("field_declaration", "Field", _declarator_name, parts=Several("declarator")),
        Declaration("constant_declaration", "Constant", _declarator_name, parts=Several("declarator")),
    ),
    scopes=frozenset({"lambda_expression", "static_initializer"}),
    atoms=frozenset({"string_literal", "character_literal"}),
    flow=FLOW,
    naming=NAMING,
)
