"""The tables of JavaScript with JSX, and of TypeScript, which extend them.

See `language` for the fields, and `control_flow` and `naming` for the capture names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Flow, Language
from holdfast.syntax.languages.naming import DeclarationContext, Naming, import_row
from holdfast.syntax.languages.nodes import KindByChild, Names, name_field, text_of, title_name
from holdfast.syntax.record import ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node


FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
VALUE_KINDS = {**dict.fromkeys(FUNCTIONS, "Function"), "class": "Class"}
"""The kinds of variables, fields and properties, by the types of their values."""
UNNAMED_OBJECTS = frozenset({"exports", "module", "prototype", "window", "globalThis", "this"})
"""Objects that are left out of qualified names."""


_variable_kind = KindByChild("value", VALUE_KINDS, "Variable", name_type="identifier")
_field_kind = KindByChild("value", VALUE_KINDS, "Property")


def _field_name(node: Node) -> Names:
    name = node.child_by_field_name("property") or node.child_by_field_name("name")
    return (text_of(name),) if name is not None else ()


_pair_kind = KindByChild("value", {**VALUE_KINDS, **dict.fromkeys(FUNCTIONS, "Method")}, None)
"""A function in a pair is a method, because it is only reachable through the object."""


def _pair_name(node: Node) -> Names:
    return (text_of(node.child_by_field_name("key")).strip("'\""),)


def _assignment_name(node: Node) -> Names:
    """Return the qualified name of the target of an assignment: (`app`, `use`) for `app.prototype.use`."""
    target = text_of(node.child_by_field_name("left"))
    if not all(part.replace("$", "_").lstrip("#").isidentifier() for part in target.split(".")):
        return ()
    parts = tuple(part for part in target.split(".") if part not in UNNAMED_OBJECTS)
    return parts or (target,)


def _method_name(node: Node) -> Names:
    return tuple(name.strip("'\"") for name in name_field(node))


def _callback_name(node: Node) -> Names:
    """Name a callback after the call it is passed to, and its title: `describe("parser") callback`."""
    callee = text_of(node.child_by_field_name("function"))
    arguments = node.child_by_field_name("arguments")
    title = arguments.named_children[0] if arguments is not None else None
    return title_name(f"{callee}({text_of(title)}) callback")


DECLARATIONS = (
    Declaration("function_declaration", "Function"),
    Declaration("generator_function_declaration", "Function"),
    Declaration("class_declaration", "Class"),
    Declaration("method_definition", "Method", _method_name, constructor="constructor"),
    Declaration("variable_declarator", _variable_kind),
    Declaration("pair", _pair_kind, _pair_name),
    Declaration("assignment_expression", KindByChild("right", VALUE_KINDS, None), _assignment_name),
    Declaration(
        "call_expression",
        "Function",
        _callback_name,
        "(call_expression arguments: (arguments . (string) [(arrow_function) (function_expression)]))",
    ),
)

FIELD_DECLARATIONS = (Declaration("field_definition", _field_kind, _field_name),)

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
    string_styles=("double", "single", "backtick", "regex"),
    import_style="script",
    excludes_inner_functions=True,
    parentheses="all",
    logical=frozenset({"&&", "||", "??"}),
    uncounted=frozenset({"||", "??"}),
    has_implicit_receiver=False,
)


def _read_imports(node: Node) -> Iterator[ImportedName]:
    if node.type == "call_expression":
        yield from _required_names(node)
        return
    source = node.child_by_field_name("source")
    clauses = [child for child in node.named_children if child.type.endswith(("_clause", "_export"))]
    if source is None:
        source = next((clause.child_by_field_name("source") for clause in clauses), None)
    module = text_of(source).strip("'\"")
    is_reexported = node.type == "export_statement"
    is_typing_only = re.match(r"(?:import|export)\s+type\b(?!\s*(?:,|from\b))", text_of(node)) is not None
    if not clauses:
        yield import_row(node, module, "*" if is_reexported else "", "", is_reexported)
    for clause in clauses:
        for child in clause.named_children if clause.type != "namespace_export" else [clause]:
            yield from _clause_imports(child, module, is_reexported, is_typing_only)


def _clause_imports(
    node: Node, module: str, is_reexported: bool, is_typing_only: bool
) -> Iterator[ImportedName]:
    """Yield the names that one part of an import clause binds: a default, a namespace, a list of names."""
    if node.type == "identifier":
        has_require = node.parent is not None and node.parent.type == "import_require_clause"
        name = "" if has_require else "default"
        yield import_row(node, module, name, text_of(node), is_reexported, is_typing_only)
    elif node.type in ("namespace_import", "namespace_export"):
        alias = text_of(node.children[-1]).strip("'\"")
        yield import_row(node, module, "*", alias, is_reexported, is_typing_only)
    specifiers = node.named_children if node.type == "named_imports" else [node]
    for specifier in specifiers:
        if specifier.type in ("import_specifier", "export_specifier"):
            name = text_of(specifier.child_by_field_name("name"))
            alias = text_of(specifier.child_by_field_name("alias")) or name
            is_type = is_typing_only or text_of(specifier).startswith("type ")
            yield import_row(specifier, module, name, alias, is_reexported, is_type)


def _required_names(node: Node) -> Iterator[ImportedName]:
    """Yield the names to which `require("m")` or `import("m")`, or members of it, are bound."""
    arguments = node.child_by_field_name("arguments")
    module = text_of(arguments.named_children[0]).strip("'\"`") if arguments is not None else ""
    parent, member = node.parent, ""
    while parent is not None and parent.type in ("await_expression", "parenthesized_expression"):
        parent = parent.parent
    if parent is not None and parent.type == "member_expression":
        member = text_of(parent.child_by_field_name("property"))
        parent = parent.parent
    target = parent.child_by_field_name("name") if parent is not None else None
    if parent is None or target is None or parent.type != "variable_declarator":
        yield import_row(node, module, member)
    elif target.type == "identifier":
        yield import_row(node, module, member, text_of(target))
    else:
        for part in target.named_children:
            value = text_of(part.child_by_field_name("value")) or text_of(part)
            key = text_of(part.child_by_field_name("key")) or text_of(part)
            if value.replace("$", "_").isidentifier():
                yield import_row(part, module, key, value)


def _read_exports(node: Node) -> Iterator[str]:
    """Yield the names in an export list, both local and exported."""
    if node.type == "export_specifier":
        yield from (text_of(child) for child in node.named_children if text_of(child) != "default")
    elif node.type == "assignment_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        exported = text_of(left).removeprefix("module.").removeprefix("exports").removeprefix(".")
        if exported.isidentifier():
            yield exported
        if right is None:
            return
        for value in right.named_children if right.type == "object" else [right]:
            for part in (value, *(value.named_children if value.type == "pair" else ())):
                name = text_of(part)
                if name.replace("$", "_").isidentifier():
                    yield name


def _is_exported(context: DeclarationContext) -> bool:
    private = context.name.startswith("#") or "private" in context.modifiers
    return context.enclosing is not None and not private


COMMON_PATTERNS = """
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
    (decorator (call_expression arguments: (_) @outside))
    (statement_block [(return_statement) (throw_statement) (break_statement) (continue_statement)]
      . (_) @dead)
    (switch_case [(return_statement) (throw_statement) (break_statement) (continue_statement)] . (_) @dead)
    (switch_default [(return_statement) (throw_statement) (break_statement) (continue_statement)]
      . (_) @dead)
    (program (throw_statement) . (_) @dead)
"""

JAVASCRIPT_PATTERNS = """
    (class_heritage (_) @base)
    (field_definition property: (_) @hidden)
    (formal_parameters (identifier) @parameter)
"""

JSX_PATTERNS = """
    (jsx_text) @hidden
    (jsx_attribute (property_identifier) @hidden)
"""

TYPESCRIPT_PATTERNS = """
    (class_heritage (extends_clause value: (_) @base))
    (class_heritage (implements_clause (_) @base))
    (extends_type_clause (_) @base)
    (export_statement declaration: (ambient_declaration (_ name: (_) @exported)))
    (accessibility_modifier) @modifier
    (ambient_declaration (statement_block) @ambient)
    (ambient_declaration (module body: (_) @ambient))
    (required_parameter pattern: (identifier) @parameter)
    (optional_parameter pattern: (identifier) @parameter)
    (property_signature name: (property_identifier) @hidden)
    (method_signature name: (property_identifier) @hidden)
    (enum_body name: (property_identifier) @hidden)
    (enum_assignment name: (property_identifier) @hidden)
    (type_parameter name: (type_identifier) @hidden)
"""

NAMING = Naming(
    patterns=COMMON_PATTERNS + JSX_PATTERNS + JAVASCRIPT_PATTERNS,
    conditional_patterns=(
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
    name_characters=b"$#",
    replacements=((b"${", b"  "),),
    read_imports=_read_imports,
    is_exported=_is_exported,
    read_exports=_read_exports,
    unused=frozenset({"import", "variable", "unreachable"}),
    exits=frozenset({"process.exit"}),
    reachable=frozenset(
        {
            *("function_declaration", "generator_function_declaration", "break_statement", "empty_statement"),
            *("interface_declaration", "type_alias_declaration", "function_signature"),
        }
    ),
    entry_point=(b"main", rb"require\.main\s*={2,3}\s*module|import\.meta\.main"),
    implicit_uses={"React": b"<"},
    counts_doc_comments=True,
)

JAVASCRIPT_FLOW_PATTERNS = "(field_definition value: (_)) @unit"
JSX_FLOW_PATTERNS = "(jsx_expression (binary_expression) @shown)"
TYPESCRIPT_FLOW_PATTERNS = """
    [(required_parameter value: (_)) (optional_parameter value: (_))] @extra
    (call_expression "?." @extra)
    (public_field_definition value: (_)) @unit
"""

JAVASCRIPT = Language(
    name="javascript",
    grammar=("tree_sitter_javascript", "language"),
    extensions=(".js", ".jsx", ".mjs", ".cjs"),
    interpreters=frozenset({"node", "nodejs", "deno", "bun"}),
    comments=frozenset({"comment", "html_comment", "hash_bang_line"}),
    declarations=DECLARATIONS + FIELD_DECLARATIONS,
    wrappers=WRAPPERS,
    attributes=frozenset({"decorator"}),
    scopes=FUNCTIONS,
    atoms=frozenset({"string", "regex"}),
    flow=replace(FLOW, patterns=FLOW.patterns + JAVASCRIPT_FLOW_PATTERNS + JSX_FLOW_PATTERNS),
    naming=NAMING,
)

TYPESCRIPT = replace(
    JAVASCRIPT,
    name="typescript",
    grammar=("tree_sitter_typescript", "language_typescript"),
    extensions=(".ts", ".mts", ".cts"),
    interpreters=frozenset({"ts-node", "tsx"}),
    declarations=(
        *DECLARATIONS,
        Declaration("public_field_definition", _field_kind, _field_name),
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
    rewrites=(
        (rb"(?m)^[ \t](?=[ \t]*<[\s\w])", b";"),  # a call signature after one without a semicolon
        (rb"\bexport type(?= \*)", b"export"),
    ),
    flow=replace(FLOW, patterns=FLOW.patterns + TYPESCRIPT_FLOW_PATTERNS),
    naming=replace(NAMING, patterns=COMMON_PATTERNS + TYPESCRIPT_PATTERNS, implicit_uses={}),
)

TSX = replace(
    TYPESCRIPT,
    name="tsx",
    grammar=("tree_sitter_typescript", "language_tsx"),
    extensions=(".tsx",),
    interpreters=frozenset(),
    rewrites=TYPESCRIPT.rewrites[1:],
    flow=replace(FLOW, patterns=FLOW.patterns + TYPESCRIPT_FLOW_PATTERNS + JSX_FLOW_PATTERNS),
    naming=replace(NAMING, patterns=COMMON_PATTERNS + TYPESCRIPT_PATTERNS + JSX_PATTERNS),
)
