"""JavaScript, with JSX, and TypeScript, which builds on it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Flow, Language, Names, named, text_of
from holdfast.syntax.languages.naming import DeclarationContext, Naming, imported
from holdfast.syntax.record import ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node


FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
CLASSES = frozenset({"class"})
TRANSPARENT = frozenset({"exports", "module", "prototype", "window", "globalThis", "this"})
CALLBACK_NAME = 80
"""Longer names are dropped; a judgement: titles are one short line."""


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
    kind = _kind_of_value(node.child_by_field_name("value"), None)
    return "Method" if kind == "Function" else kind  # only reachable through the object


def _key(node: Node) -> Names:
    return (text_of(node.child_by_field_name("key")).strip("'\""),)


def _assignment(node: Node) -> str | None:
    return _kind_of_value(node.child_by_field_name("right"), None)


def _target(node: Node) -> Names:
    """Return the qualified name of an assigned target: `app.use` for `app.prototype.use`."""
    target = text_of(node.child_by_field_name("left"))
    if not all(part.replace("$", "_").lstrip("#").isidentifier() for part in target.split(".")):
        return ()
    parts = tuple(part for part in target.split(".") if part not in TRANSPARENT)
    return parts or (target,)


def _method_name(node: Node) -> Names:
    return tuple(name.strip("'\"") for name in named(node))


def _callback(node: Node) -> Names:
    """Name a callback after the call and its title: `describe("parser") callback`."""
    callee = text_of(node.child_by_field_name("function"))
    arguments = node.child_by_field_name("arguments")
    title = arguments.named_children[0] if arguments is not None else None
    name = f"{callee}({text_of(title)}) callback"
    return (name,) if len(name) <= CALLBACK_NAME and "\n" not in name else ()


DECLARATIONS = (
    Declaration("function_declaration", "Function"),
    Declaration("generator_function_declaration", "Function"),
    Declaration("class_declaration", "Class"),
    Declaration("method_definition", "Method", _method_name, constructor="constructor"),
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
        (binary_expression) @logic
        (augmented_assignment_expression operator: ["&&=" "||=" "??="]) @extra
        [(optional_chain) (assignment_pattern) (object_assignment_pattern)] @extra
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
    imports="script",
    alone=True,
    parentheses="all",
    logical=frozenset({"&&", "||", "??"}),
    free=frozenset({"||", "??"}),
    bare=False,
)


def _imports(node: Node) -> Iterator[ImportedName]:
    if node.type == "call_expression":
        yield from _required(node)
        return
    source = node.child_by_field_name("source")
    clauses = [child for child in node.named_children if child.type.endswith(("_clause", "_export"))]
    if source is None:
        source = next((clause.child_by_field_name("source") for clause in clauses), None)
    module = text_of(source).strip("'\"")
    offered = node.type == "export_statement"
    for_types = re.match(r"(?:import|export)\s+type\b(?!\s*(?:,|from\b))", text_of(node)) is not None
    if not clauses:
        yield imported(node, module, "*" if offered else "", "", offered)
    for clause in clauses:
        for child in clause.named_children if clause.type != "namespace_export" else [clause]:
            yield from _clause_part(child, module, offered, for_types)


def _clause_part(node: Node, module: str, offered: bool, for_types: bool) -> Iterator[ImportedName]:
    """Yield what one part of an import clause binds: a default, a namespace, a list of names."""
    if node.type in ("identifier", "namespace_import", "namespace_export"):
        required = node.parent is not None and node.parent.type == "import_require_clause"
        inner = node if node.type == "identifier" else node.named_children[0]
        name = "" if required else "default" if node.type == "identifier" else "*"
        yield imported(node, module, name, text_of(inner), offered, for_types)
    specifiers = node.named_children if node.type == "named_imports" else [node]
    for part in specifiers:
        if part.type in ("import_specifier", "export_specifier"):
            name = text_of(part.child_by_field_name("name"))
            alias = text_of(part.child_by_field_name("alias")) or name
            only = for_types or text_of(part).startswith("type ")
            yield imported(part, module, name, alias, offered, only)


def _required(node: Node) -> Iterator[ImportedName]:
    """Yield what `require("m")` or `import("m")` is bound to: a name, some members, or nothing."""
    arguments = node.child_by_field_name("arguments")
    module = text_of(arguments.named_children[0]).strip("'\"`") if arguments is not None else ""
    within, member = node.parent, ""
    while within is not None and within.type in ("await_expression", "parenthesized_expression"):
        within = within.parent
    if within is not None and within.type == "member_expression":
        member, within = text_of(within.child_by_field_name("property")), within.parent
    target = within.child_by_field_name("name") if within is not None else None
    if within is None or target is None or within.type != "variable_declarator":
        yield imported(node, module, member)
    elif target.type == "identifier":
        yield imported(node, module, member, text_of(target))
    else:
        for part in target.named_children:
            value = text_of(part.child_by_field_name("value")) or text_of(part)
            key = text_of(part.child_by_field_name("key")) or text_of(part)
            if value.replace("$", "_").isidentifier():
                yield imported(part, module, key, value)


def _listed(node: Node) -> Iterator[str]:
    """Yield the names in an export list, local and exported ones."""
    if node.type == "export_specifier":
        yield from (text_of(child) for child in node.named_children if text_of(child) != "default")
    elif node.type == "assignment_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        given = text_of(left).removeprefix("module.").removeprefix("exports").removeprefix(".")
        yield from (name for name in (given,) if name.isidentifier())
        values = right.named_children if right is not None and right.type == "object" else [right]
        for value in values:
            for part in (
                value,
                *(value.named_children if value is not None and value.type == "pair" else ()),
            ):
                name = text_of(part)
                if name.replace("$", "_").isidentifier():
                    yield name


def _exported(context: DeclarationContext) -> bool:
    private = context.name.startswith("#") or context.modifiers & {"private", "protected"}
    return context.enclosing is not None and not private


PATTERNS = """
    (string_fragment) @text
    [(regex_pattern) (escape_sequence)] @hidden
    (import_statement) @import
    (export_statement source: (_)) @import
    (call_expression function: (import) arguments: (arguments . (string))) @required
    (export_statement !source (export_clause (export_specifier) @export))
    (export_statement declaration: (_ name: (_) @exported))
    (export_statement declaration: (_ (variable_declarator name: (identifier) @exported)))
    (export_statement value: (identifier) @exported)
    (pair key: (property_identifier) @hidden)
    (pair_pattern key: (property_identifier) @hidden)
    (statement_identifier) @hidden
    (variable_declarator name: (identifier) @local)
    (expression_statement (assignment_expression left: (identifier) @hidden))
    (shorthand_property_identifier_pattern) @bound
    (pair_pattern value: (identifier) @bound)
    (array_pattern (identifier) @bound)
    (assignment_pattern left: (identifier) @bound)
    (rest_pattern (identifier) @bound)
    (for_in_statement left: (identifier) @bound)
    (catch_clause parameter: (identifier) @bound)
    (arrow_function parameter: (identifier) @parameter)
    (function_expression name: (identifier) @hidden)
    (call_expression function: (_) @callee)
    (new_expression constructor: (_) @callee)
    (decorator (_) @decorator)
    (statement_block [(return_statement) (throw_statement) (break_statement) (continue_statement)]
      . (_) @dead)
    (switch_case [(return_statement) (throw_statement) (break_statement) (continue_statement)] . (_) @dead)
    (switch_default [(return_statement) (throw_statement) (break_statement) (continue_statement)]
      . (_) @dead)
    (program (throw_statement) . (_) @dead)
"""

OF_JAVASCRIPT = """
    (class_heritage (_) @base)
    (field_definition property: (_) @hidden)
    (formal_parameters (identifier) @parameter)
"""

OF_JSX = """
    (jsx_text) @hidden
    (jsx_attribute (property_identifier) @hidden)
"""

OF_TYPESCRIPT = """
    (class_heritage (extends_clause value: (_) @base))
    (class_heritage (implements_clause (_) @base))
    (extends_type_clause (_) @base)
    (export_statement declaration: (ambient_declaration (_ name: (_) @exported)))
    (accessibility_modifier) @modifier
    (required_parameter pattern: (identifier) @parameter)
    (optional_parameter pattern: (identifier) @parameter)
    (property_signature name: (property_identifier) @hidden)
    (method_signature name: (property_identifier) @hidden)
    (enum_body name: (property_identifier) @hidden)
    (enum_assignment name: (property_identifier) @hidden)
    (type_parameter name: (type_identifier) @hidden)
"""

NAMING = Naming(
    patterns=PATTERNS + OF_JSX + OF_JAVASCRIPT,
    rare=(
        (
            b"require(",
            """((call_expression function: (identifier) @name arguments: (arguments . (string) .)) @required
                (#eq? @name "require"))""",
        ),
        (
            b"exports",
            """((assignment_expression left: (_) @name) @export
                (#match? @name "^(module[.])?exports([.]|$)"))""",
        ),
    ),
    characters=b"$#",
    spaced=((b"${", b"  "),),
    imports=_imports,
    exported=_exported,
    listed=_listed,
    unused=frozenset({"import", "variable", "unreachable"}),
    exits=frozenset({"process.exit"}),
    reachable=frozenset(
        {
            *("function_declaration", "generator_function_declaration", "break_statement", "empty_statement"),
            *("interface_declaration", "type_alias_declaration", "function_signature"),
        }
    ),
    entry=(b"main", rb"require\.main\s*={2,3}\s*module|import\.meta\.main"),
    implied={"React": b"<"},
    documented=True,
)

OF_ELEMENTS = "(jsx_expression (binary_expression) @shown)"
OF_TYPED_FLOW = """
    [(required_parameter value: (_)) (optional_parameter value: (_))] @extra
    (call_expression "?." @extra)
"""

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
    flow=replace(FLOW, patterns=FLOW.patterns + OF_ELEMENTS),
    naming=NAMING,
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
    rewritten=(
        (rb"(?m)^[ \t](?=[ \t]*<[\s\w])", b";"),  # a call signature after one without a semicolon
        (rb"\bexport type(?= \*)", b"export"),
    ),
    flow=replace(FLOW, patterns=FLOW.patterns + OF_TYPED_FLOW),
    naming=replace(NAMING, patterns=PATTERNS + OF_TYPESCRIPT, implied={}),
)

TSX = replace(
    TYPESCRIPT,
    name="tsx",
    fence="tsx",
    grammar=("tree_sitter_typescript", "language_tsx"),
    extensions=(".tsx",),
    interpreters=frozenset(),
    rewritten=TYPESCRIPT.rewritten[1:],
    flow=replace(FLOW, patterns=FLOW.patterns + OF_TYPED_FLOW + OF_ELEMENTS),
    naming=replace(NAMING, patterns=PATTERNS + OF_TYPESCRIPT + OF_JSX),
)
