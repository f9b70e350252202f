"""The table of PHP; `language`, `control_flow` and `naming` describe its fields and capture names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Flow, Language
from holdfast.syntax.languages.naming import Naming, import_row, is_not_private
from holdfast.syntax.languages.nodes import (
    KindByChild,
    NameIn,
    Names,
    SeveralChildren,
    child_of_type,
    name_field,
    text_of,
)
from holdfast.syntax.record import ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS = frozenset({"anonymous_function", "arrow_function"})


def _property_name(node: Node) -> Names:
    element = child_of_type(node, "property_element")
    return name_field(element if element is not None else node)


def _constant_name(node: Node) -> Names:
    name = node.named_child(0)
    return (text_of(name),) if name is not None else ()


FLOW = Flow(
    patterns="""
        (if_statement) @if
        (if_statement body: (_) @nest)
        (else_if_clause) @elif @else
        (else_if_clause body: (_) @nest)
        (else_clause) @else
        (else_clause body: (_) @nest)
        (else_clause body: (if_statement) @elif)
        [(for_statement) (foreach_statement) (while_statement) (do_statement)] @loop
        [(for_statement body: (_) @nest) (foreach_statement body: (_) @nest)
         (while_statement body: (_) @nest) (do_statement body: (_) @nest)]
        [(switch_statement) (match_expression)] @switch
        [(switch_statement body: (_) @nest) (match_expression body: (_) @nest)]
        [(case_statement) (match_conditional_expression)] @case
        (catch_clause) @catch
        (catch_clause body: (_) @nest)
        (conditional_expression) @ternary
        (conditional_expression body: (_) @nest)
        (conditional_expression alternative: (_) @nest)
        (binary_expression) @logic
        (augmented_assignment_expression operator: "??=") @extra
        [(break_statement (integer)) (continue_statement (integer)) (goto_statement)] @jump
        [(anonymous_function) (arrow_function)] @lambda
    """,
    operators=(
        "abstract and as break callable case catch class clone const continue declare default do echo else "
        "elseif enum extends final finally fn for foreach function global goto if implements include "
        "include_once instanceof insteadof interface match namespace new or print private protected public "
        "readonly require require_once return static switch throw trait try use var while xor yield"
    ),
    string_styles=("heredoc", "double", "single"),
    comment_style="all",
    import_style="php",
    logical=frozenset({"&&", "||", "and", "or", "xor"}),
    coalescing=frozenset({"??"}),
    has_implicit_receiver=False,
)


def _read_imports(node: Node) -> Iterator[ImportedName]:
    if node.type != "namespace_use_declaration":
        literals = re.findall(r"""["']([^"']*)["']""", text_of(node))
        folder = "." if re.search(r"__DIR__|dirname", text_of(node)) else ""
        if literals:
            yield import_row(node, folder + "".join(literals), "*")
        return
    body = node.child_by_field_name("body")
    prefix = text_of(child_of_type(node, "namespace_name"))
    for clause in (body or node).named_children:
        if clause.type == "namespace_use_clause" and clause.named_children:
            path = text_of(clause.named_children[0]).strip("\\")
            path = f"{prefix}\\{path}".strip("\\")
            module, _, name = path.rpartition("\\")
            alias = text_of(clause.child_by_field_name("alias")) or name
            yield import_row(clause, module, name, alias)


def _without_sigil(name: str) -> str:
    return name.lstrip("$")


NAMING = Naming(
    patterns="""
        [(string_content) (nowdoc_string)] @text
        [(text) (php_tag) (escape_sequence)] @hidden
        (namespace_definition name: (_) @package)
        (namespace_use_declaration) @import
        [(require_expression) (require_once_expression) (include_expression) (include_once_expression)]
          @required
        (simple_parameter name: (variable_name) @parameter)
        (variadic_parameter name: (variable_name) @parameter)
        (property_promotion_parameter name: (variable_name) @parameter)
        (expression_statement (assignment_expression left: (variable_name) @local))
        (foreach_statement . (_) . (variable_name) @bound)
        (foreach_statement (pair (variable_name) @bound))
        (list_literal (variable_name) @bound)
        (catch_clause name: (variable_name) @bound)
        (property_element name: (variable_name) @hidden)
        (const_element . (name) @hidden)
        (argument name: (name) @hidden)
        (function_call_expression function: (_) @callee)
        [(member_call_expression) (nullsafe_member_call_expression) (scoped_call_expression)] @invocation
        (object_creation_expression . [(name) (qualified_name)] @callee)
        (attribute . (_) @decorator)
        (base_clause (_) @base)
        (class_interface_clause (_) @base)
        (use_declaration (_) @base)
        (visibility_modifier) @modifier
        (compound_statement
          [(return_statement) (exit_statement) (break_statement) (continue_statement)
           (expression_statement (throw_expression))] . (_) @dead)
    """,
    name_characters=b"$",
    member_operators=(b"->", b"::"),
    read_imports=_read_imports,
    is_exported=is_not_private,
    unused=frozenset({"import", "variable", "unreachable"}),
    reachable=frozenset({"function_definition", "class_declaration", "break_statement", "empty_statement"}),
    counts_doc_comments=True,
    definition_name=_without_sigil,
)

PHP = Language(
    name="php",
    grammar=("tree_sitter_php", "language_php"),
    extensions=(".php", ".phtml", ".inc"),
    interpreters=frozenset({"php"}),
    declarations=(
        Declaration("namespace_definition", "Namespace", pattern="(namespace_definition body: (_))"),
        Declaration("class_declaration", "Class"),
        Declaration("interface_declaration", "Interface"),
        Declaration("trait_declaration", "Class"),
        Declaration("enum_declaration", "Enum"),
        Declaration("enum_case", "EnumMember"),
        Declaration("method_declaration", "Method", constructor="__construct"),
        Declaration("function_definition", "Function"),
        Declaration(
            "property_declaration", "Property", _property_name, parts=SeveralChildren("property_element")
        ),
        Declaration("const_element", "Constant", _constant_name),
        Declaration(
            "assignment_expression",
            KindByChild("right", dict.fromkeys(FUNCTIONS, "Function"), None),
            NameIn("left"),
        ),
    ),
    scopes=FUNCTIONS,
    atoms=frozenset({"string", "encapsed_string"}),
    flow=FLOW,
    naming=NAMING,
)
