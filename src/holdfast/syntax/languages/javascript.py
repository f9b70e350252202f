"""JavaScript, with JSX, and TypeScript, which builds on it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Flow, Language, Names, named, text_of

if TYPE_CHECKING:
    from tree_sitter import Node


FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
CLASSES = frozenset({"class"})
TRANSPARENT = frozenset({"exports", "module", "prototype", "window", "globalThis", "this"})
CALLBACK_NAME = 80


def _kind_of_value(node: Node | None, otherwise: str | None) -> str | None:
    if node is None:
        return otherwise
    if node.type in FUNCTIONS:
        return "Function"
    return "Class" if node.type in CLASSES else otherwise


def _variable(node: Node) -> str | None:
    name = node.child_by_field_name("name")
    if name is None or name.type != "identifier":
        return None
    return _kind_of_value(node.child_by_field_name("value"), "Variable")


def _field(node: Node) -> str | None:
    return _kind_of_value(node.child_by_field_name("value"), "Property")


def _field_name(node: Node) -> Names:
    name = node.child_by_field_name("property") or node.child_by_field_name("name")
    return (text_of(name),) if name is not None else ()


def _pair(node: Node) -> str | None:
    return _kind_of_value(node.child_by_field_name("value"), None)


def _key(node: Node) -> Names:
    return (text_of(node.child_by_field_name("key")).strip("'\""),)


def _assignment(node: Node) -> str | None:
    return _kind_of_value(node.child_by_field_name("right"), None)


def _target(node: Node) -> Names:
    """Name what is assigned to: `app.prototype.use` is the `use` of `app`, `exports.x` is `x`."""
    target = text_of(node.child_by_field_name("left"))
    if not all(part.replace("$", "_").lstrip("#").isidentifier() for part in target.split(".")):
        return ()
    parts = tuple(part for part in target.split(".") if part not in TRANSPARENT)
    return parts or (target,)


def _method(node: Node) -> str:
    return "Constructor" if text_of(node.child_by_field_name("name")) == "constructor" else "Method"


def _method_name(node: Node) -> Names:
    return tuple(name.strip("'\"") for name in named(node))


def _callback(node: Node) -> Names:
    """Name a function that is handed over with a title: `describe("parser") callback`."""
    callee = text_of(node.child_by_field_name("function"))
    arguments = node.child_by_field_name("arguments")
    title = arguments.named_children[0] if arguments is not None else None
    name = f"{callee}({text_of(title)}) callback"
    return (name,) if len(name) <= CALLBACK_NAME and "\n" not in name else ()


DECLARATIONS = (
    Declaration("function_declaration", "Function"),
    Declaration("generator_function_declaration", "Function"),
    Declaration("class_declaration", "Class"),
    Declaration("method_definition", _method, _method_name),
    Declaration("variable_declarator", _variable),
    Declaration("pair", _pair, _key),
    Declaration("assignment_expression", _assignment, _target),
    Declaration(
        "call_expression",
        "Function",
        _callback,
        "(call_expression arguments: (arguments . (string) [(arrow_function) (function_expression)]))",
    ),
)

FIELDS = (Declaration("field_definition", _field, _field_name),)

WRAPPERS = {
    "export_statement": "declaration",
    "lexical_declaration": "variable_declarator",
    "variable_declaration": "variable_declarator",
}

FLOW = Flow(
    patterns="""
        (if_statement) @if
        (if_statement consequence: (_) @nest)
        (else_clause) @else
        (else_clause (_) @nest)
        (else_clause (if_statement) @elif)
        [(for_statement body: (_) @nest) (for_in_statement body: (_) @nest)
         (while_statement body: (_) @nest) (do_statement body: (_) @nest)]
        [(for_statement) (for_in_statement) (while_statement) (do_statement)] @loop
        (switch_statement) @switch
        (switch_case) @case @nest
        (switch_default) @nest
        (catch_clause) @catch
        (catch_clause body: (_) @nest)
        (ternary_expression) @ternary
        (ternary_expression consequence: (_) @nest)
        (ternary_expression alternative: (_) @nest)
        (binary_expression operator: ["&&" "||" "??"]) @logic
        (augmented_assignment_expression operator: ["&&=" "||=" "??="]) @extra
        (break_statement label: (_)) @jump
        (continue_statement label: (_)) @jump
        [(arrow_function) (function_expression) (generator_function)] @lambda
        (class_static_block) @unit
    """,
    operators=(
        "async await break case catch class const continue debugger default delete do else export extends "
        "finally for function if import in instanceof let new of return static switch throw try typeof var "
        "void while with yield abstract as asserts declare enum get implements infer interface is keyof "
        "namespace private protected public readonly satisfies set type"
    ),
    strings=("double", "single", "backtick", "regex"),
    alone=True,
    parentheses="all",
    free=frozenset({"||", "??"}),
    bare=False,
)

JAVASCRIPT = Language(
    name="javascript",
    fence="javascript",
    grammar=("tree_sitter_javascript", "language"),
    extensions=(".js", ".jsx", ".mjs", ".cjs"),
    interpreters=frozenset({"node", "nodejs", "deno", "bun"}),
    comments=frozenset({"comment", "html_comment", "hash_bang_line"}),
    declarations=DECLARATIONS + FIELDS,
    wrappers=WRAPPERS,
    attributes=frozenset({"decorator"}),
    scopes=FUNCTIONS,
    atoms=frozenset({"string", "regex"}),
    flow=FLOW,
)

TYPESCRIPT = replace(
    JAVASCRIPT,
    name="typescript",
    fence="typescript",
    grammar=("tree_sitter_typescript", "language_typescript"),
    extensions=(".ts", ".mts", ".cts"),
    interpreters=frozenset({"ts-node", "tsx"}),
    declarations=(
        *DECLARATIONS,
        Declaration("public_field_definition", _field, _field_name),
        Declaration("abstract_class_declaration", "Class"),
        Declaration("interface_declaration", "Interface"),
        Declaration("type_alias_declaration", "Interface"),
        Declaration("enum_declaration", "Enum"),
        Declaration("internal_module", "Namespace"),
        Declaration("module", "Module"),
        Declaration("function_signature", "Function"),
        Declaration("method_signature", "Method", _method_name),
        Declaration("abstract_method_signature", "Method", _method_name),
        Declaration("property_signature", "Property"),
    ),
    wrappers={**WRAPPERS, "ambient_declaration": "function_signature"},
)

TSX = replace(
    TYPESCRIPT,
    name="tsx",
    fence="tsx",
    grammar=("tree_sitter_typescript", "language_tsx"),
    extensions=(".tsx",),
    interpreters=frozenset(),
)
