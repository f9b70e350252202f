"""TypeScript, plain and with JSX."""

from __future__ import annotations

from dataclasses import replace

from holdfast.syntax.languages.javascript import (
    DECISIONS,
    DECLARATIONS,
    FUNCTIONS,
    WRAPPERS,
    _field,
    _field_name,
    _method_name,
)
from holdfast.syntax.languages.language import Declaration, Language

TYPESCRIPT = Language(
    name="typescript",
    fence="typescript",
    grammar=("tree_sitter_typescript", "language_typescript"),
    extensions=(".ts", ".mts", ".cts"),
    interpreters=frozenset({"ts-node", "tsx"}),
    comments=frozenset({"comment", "html_comment", "hash_bang_line"}),
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
    attributes=frozenset({"decorator"}),
    scopes=FUNCTIONS,
    atoms=frozenset({"string", "regex"}),
    decisions=DECISIONS,
)

TSX = replace(
    TYPESCRIPT,
    name="tsx",
    fence="tsx",
    grammar=("tree_sitter_typescript", "language_tsx"),
    extensions=(".tsx",),
    interpreters=frozenset(),
)
