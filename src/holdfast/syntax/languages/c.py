"""C, and C++, which builds on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Flow, Language, Names, has_body, text_of
from holdfast.syntax.languages.naming import DeclarationContext, Naming, imported
from holdfast.syntax.record import ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node


TYPES = {
    "struct_specifier": "Struct",
    "union_specifier": "Struct",
    "class_specifier": "Class",
    "enum_specifier": "Enum",
}
DEPTH = 20
"""How many declarators may be nested; a judgement."""


def declarator(node: Node, until: str | None = None) -> Node | None:
    """Follow nested declarators to one of type `until`, or to the innermost."""
    found: Node | None = node
    for _ in range(DEPTH):
        if found is None or found.type == until:
            return found
        inner = found.child_by_field_name("declarator")
        if inner is None and found.type in ("parenthesized_declarator", "reference_declarator"):
            inner = next(iter(found.named_children), None)
        if inner is None:
            return found if until is None else None
        found = inner
    return None


def declared(node: Node) -> Names:
    """Return the qualified name that a declarator declares: `A::run` is `run` of `A`."""
    innermost = declarator(node)
    if innermost is None or innermost.id == node.id:
        return ()
    return tuple(part for part in text_of(innermost).split("::") if part)


def type_defined(node: Node) -> str:
    """Return the kind of the type that a `typedef` names."""
    kind = node.child_by_field_name("type")
    return TYPES.get(kind.type if kind is not None else "", "Class")


def specified(node: Node) -> str | None:
    """Return the kind that a specifier declares, or None if it only mentions a type."""
    return TYPES[node.type] if has_body(node) else None


def prototype(node: Node) -> str | None:
    """Return "Function" for a function prototype, None for a variable."""
    function = declarator(node, "function_declarator")
    inner = function.child_by_field_name("declarator") if function is not None else None
    if inner is None or inner.type == "parenthesized_declarator":
        return None
    return "Function"


DECLARATIONS = (
    Declaration("function_definition", "Function", declared),
    Declaration("declaration", prototype, declared),
    Declaration("struct_specifier", specified),
    Declaration("union_specifier", specified),
    Declaration("enum_specifier", specified),
    Declaration("enumerator", "EnumMember"),
    Declaration("type_definition", type_defined, declared),
    Declaration("preproc_function_def", "Function"),
    Declaration("preproc_def", "Constant"),
)

PATTERNS = """
    (if_statement) @if
    (if_statement consequence: (_) @nest)
    (else_clause) @else
    (else_clause (_) @nest)
    (else_clause (if_statement) @elif)
    [(for_statement) (while_statement) (do_statement)] @loop
    [(for_statement body: (_) @nest) (while_statement body: (_) @nest) (do_statement body: (_) @nest)]
    (switch_statement) @switch
    (switch_statement body: (_) @nest)
    (case_statement "case") @case
    (conditional_expression) @ternary
    (conditional_expression consequence: (_) @nest)
    (conditional_expression alternative: (_) @nest)
    (goto_statement) @jump
    (binary_expression) @logic
    [(preproc_if) (preproc_ifdef)] @switch @inside
    [(preproc_elif) (preproc_else)] @else
"""

FLOW = Flow(
    patterns=PATTERNS,
    operators=(
        "auto break case const continue default do else enum extern for goto if inline register restrict "
        "return sizeof static struct switch typedef union volatile while"
    ),
    imports="include",
)


def _imports(node: Node) -> Iterator[ImportedName]:
    yield imported(node, text_of(node.child_by_field_name("path")), "*")


def _visible(context: DeclarationContext) -> bool:
    return "static" not in context.modifiers


DECLARED = """
    (function_declarator declarator: [(identifier) (field_identifier)] @hidden)
    (pointer_declarator declarator: [(identifier) (field_identifier)] @bound)
    (array_declarator declarator: [(identifier) (field_identifier)] @bound)
    (init_declarator declarator: (identifier) @bound)
    (declaration declarator: (identifier) @bound)
    (parameter_declaration declarator: (identifier) @parameter)
    (parameter_declaration declarator: (pointer_declarator declarator: (identifier) @parameter))
    (parameter_declaration declarator:
      (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @parameter)))
    (parameter_declaration declarator: (array_declarator declarator: (identifier) @parameter))
    (preproc_params (identifier) @parameter)
    (preproc_arg) @quoted
    [(statement_identifier) (escape_sequence)] @hidden
    (string_content) @text
    (char_literal (character) @hidden)
    (preproc_include) @import
    (call_expression function: (_) @callee)
    (storage_class_specifier) @modifier
    (compound_statement
      [(return_statement) (break_statement) (continue_statement) (goto_statement)] . (_) @dead)
    (case_statement [(return_statement) (continue_statement) (goto_statement)] . (_) @dead)
"""

NAMING = Naming(
    patterns=DECLARED
    + """
        (declaration declarator: (init_declarator declarator: (identifier) @local))
        (declaration declarator:
          (init_declarator declarator: (pointer_declarator declarator: (identifier) @local)))
    """,
    reserved=frozenset({"true", "false", "case", "default", "define", "namespace", "auto"}),
    characters=b"\"'",
    arrows=(b"->",),
    imports=_imports,
    exported=_visible,
    unused=frozenset({"variable", "unreachable"}),
    exits=frozenset({"exit", "abort", "_exit", "std.exit", "std.abort", "__builtin_unreachable"}),
    reachable=frozenset({"break_statement"}),
    entry=(b"main", rb"(?m)^(?:int|void)\s+main\s*\("),
)

C = Language(
    name="c",
    fence="c",
    grammar=("tree_sitter_c", "language"),
    extensions=(".c", ".h"),
    exact=False,
    comments=frozenset({"comment"}),
    declarations=(*DECLARATIONS, Declaration("field_declaration", "Field", declared)),
    atoms=frozenset({"string_literal", "char_literal", "system_lib_string"}),
    flow=FLOW,
    naming=NAMING,
)


def _member(node: Node) -> str:
    return "Method" if prototype(node) else "Field"


def _namespace(node: Node) -> Names:
    name = text_of(node.child_by_field_name("name"))
    return tuple(part for part in name.split("::") if part) or ("(anonymous)",)


def _lambda(node: Node) -> str | None:
    value = node.child_by_field_name("value")
    return "Function" if value is not None and value.type == "lambda_expression" else None


def _visible_member(context: DeclarationContext) -> bool:
    """Return whether other files may use it: members are private by default in a class, not in a struct."""
    enclosing = context.enclosing
    if enclosing is not None and enclosing.kind == "Class":
        return bool(context.modifiers & {"public", "protected"})
    return "private" not in context.modifiers and _visible(context)


CPP_NAMING = replace(
    NAMING,
    patterns=DECLARED
    + """
        (raw_string_content) @text
        (declaration type: (primitive_type) declarator: (init_declarator declarator: (identifier) @local))
        (function_declarator declarator: (qualified_identifier name: (identifier) @hidden))
        (optional_parameter_declaration declarator: (identifier) @parameter)
        (parameter_declaration declarator: (reference_declarator (identifier) @parameter))
        (reference_declarator (identifier) @bound)
        (structured_binding_declarator (identifier) @bound)
        (for_range_loop declarator: (identifier) @bound)
        (type_parameter_declaration (type_identifier) @hidden)
        (new_expression type: (_) @callee)
        (attribute name: (identifier) @decorator)
        (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)
        (field_declaration_list (access_specifier) @section)
        (compound_statement (throw_statement) . (_) @dead)
    """,
    arrows=(b"->", b"::"),
    exported=_visible_member,
)

CPP = Language(
    name="cpp",
    fence="cpp",
    grammar=("tree_sitter_cpp", "language"),
    rewritten=(  # an export macro between `class` and the name
        (rb"(?:(?<=\bclass )|(?<=\bstruct ))[A-Z][A-Z0-9_]+(?=\s+\w+\s*(?:final\s*)?[:{])", b""),
    ),
    extensions=(".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++", ".ipp", ".inl", ".C", ".H"),
    exact=False,
    comments=frozenset({"comment"}),
    declarations=(
        *DECLARATIONS,
        Declaration("class_specifier", specified),
        Declaration("namespace_definition", "Namespace", _namespace),
        Declaration("alias_declaration", "Class"),
        Declaration("concept_definition", "Interface"),
        Declaration("field_declaration", _member, declared),
        Declaration("init_declarator", _lambda, declared),
    ),
    wrappers={"template_declaration": "function_definition|class_specifier|struct_specifier|declaration"},
    scopes=frozenset({"lambda_expression"}),
    atoms=frozenset({"string_literal", "raw_string_literal", "char_literal", "system_lib_string"}),
    flow=Flow(
        patterns=f"""{PATTERNS}
            (for_range_loop) @loop
            (for_range_loop body: (_) @nest)
            (catch_clause) @catch
            (catch_clause body: (_) @nest)
            (lambda_expression) @lambda
        """,
        operators=FLOW.operators
        + (
            " "
            "alignof and catch class co_await co_return co_yield concept const_cast constexpr decltype "
            "delete dynamic_cast explicit export final friend mutable namespace new noexcept not operator "
            "or override private protected public reinterpret_cast requires static_cast template throw try "
            "typeid typename using virtual"
        ),
        strings=("cpp", "double", "single"),
        imports="include",
        logical=frozenset({"&&", "||", "and", "or"}),
    ),
    naming=CPP_NAMING,
)
