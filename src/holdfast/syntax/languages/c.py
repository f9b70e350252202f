"""The tables of C, and of C++, which extend them.

See `language` for the fields, and `control_flow` and `naming` for the capture names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Flow, Language
from holdfast.syntax.languages.naming import DeclarationContext, Naming, import_row
from holdfast.syntax.languages.nodes import KindByChild, Names, Several, text_of
from holdfast.syntax.record import ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node


KINDS = {
    "struct_specifier": "Struct",
    "union_specifier": "Struct",
    "class_specifier": "Class",
    "enum_specifier": "Enum",
}
MAX_DECLARATOR_DEPTH = 20
"""How many nested declarators are followed; real declarations have two or three."""


def find_declarator(node: Node, until: str | None = None) -> Node | None:
    """Return the first nested declarator of type `until`, or the innermost declarator if that is None."""
    for _ in range(MAX_DECLARATOR_DEPTH):
        if node.type == until:
            return node
        inner = node.child_by_field_name("declarator")
        if inner is None and node.type in ("parenthesized_declarator", "reference_declarator"):
            inner = node.named_child(0)
        if inner is None:
            return node if until is None else None
        node = inner
    return None


def qualified_name(node: Node) -> Names:
    """Return the qualified name in a declaration: (`A`, `run`) for `A::run`."""
    innermost = find_declarator(node)
    if innermost is None or innermost.id == node.id:
        return ()
    return tuple(part for part in text_of(innermost).split("::") if part)


def specifier_kind(node: Node) -> str | None:
    """Return the kind of type that a specifier defines, or None if it only mentions a type."""
    return KINDS[node.type] if node.child_by_field_name("body") is not None else None


def _is_prototype(node: Node) -> bool:
    """Return whether a declaration, or one of its declarators, is the prototype of a function."""
    function = find_declarator(node, "function_declarator")
    inner = function.child_by_field_name("declarator") if function is not None else None
    return inner is not None and inner.type != "parenthesized_declarator"


def _declared_kind(node: Node) -> str | None:
    if node.type == "declaration" and node.child_by_field_name("type") is None:
        name = "".join(qualified_name(node))
        if name.isupper():
            return None  # a macro that is called, as `TEST_CASE(name);`
    return "Function" if _is_prototype(node) else "Variable"


def _declarators(node: Node) -> Sequence[Node]:
    """Return the declarators of a declaration of several names, or of one that defines its type as well."""
    declarators = node.children_by_field_name("declarator")
    kind = node.child_by_field_name("type")
    defines_type = kind is not None and kind.type in KINDS and specifier_kind(kind) is not None
    return declarators if len(declarators) > 1 or defines_type else ()


def _synonyms(node: Node) -> Sequence[Node]:
    """Return the declarators of a typedef of several names; a type without a name takes the first one."""
    kind = node.child_by_field_name("type")
    has_name = kind is not None and (kind.type not in KINDS or kind.child_by_field_name("name") is not None)
    declarators = node.children_by_field_name("declarator")
    return declarators if has_name and len(declarators) > 1 else ()


DECLARATIONS = (
    Declaration("function_definition", "Function", qualified_name),
    Declaration("declaration", _declared_kind, qualified_name, closures="", parts=_declarators),
    Declaration("struct_specifier", specifier_kind),
    Declaration("union_specifier", specifier_kind),
    Declaration("enum_specifier", specifier_kind),
    Declaration("enumerator", "EnumMember"),
    Declaration("type_definition", KindByChild("type", KINDS, "Class"), qualified_name, parts=_synonyms),
    Declaration("preproc_function_def", "Function"),
    Declaration("preproc_def", "Constant"),
)

FLOW_PATTERNS = """
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
    patterns=FLOW_PATTERNS,
    operators=(
        "auto break case const continue default do else enum extern for goto if inline register restrict "
        "return sizeof static struct switch typedef union volatile while"
    ),
    import_style="include",
)


def _read_imports(node: Node) -> Iterator[ImportedName]:
    yield import_row(node, text_of(node.child_by_field_name("path")), "*")


def _is_exported_from_c(context: DeclarationContext) -> bool:
    return "static" not in context.modifiers


NAMING_PATTERNS = """
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
    (attribute_specifier (argument_list (_) @decorator))
    (compound_statement
      [(return_statement) (break_statement) (continue_statement) (goto_statement)] . (_) @dead)
    (case_statement [(return_statement) (continue_statement) (goto_statement)] . (_) @dead)
"""

NAMING = Naming(
    patterns=NAMING_PATTERNS
    + """
        (declaration declarator: (init_declarator declarator: (identifier) @local))
        (declaration declarator:
          (init_declarator declarator: (pointer_declarator declarator: (identifier) @local)))
    """,
    reserved=frozenset({"true", "false", "case", "default", "define", "namespace", "auto"}),
    name_characters=b"\"'",
    member_operators=(b"->",),
    read_imports=_read_imports,
    is_exported=_is_exported_from_c,
    unused=frozenset({"variable", "unreachable"}),
    exits=frozenset({"exit", "abort", "_exit", "std.exit", "std.abort", "__builtin_unreachable"}),
    reachable=frozenset({"break_statement"}),
    entry_point=(b"main", rb"(?m)^(?:int|void)\s+main\s*\("),
)

C = Language(
    name="c",
    grammar=("tree_sitter_c", "language"),
    extensions=(".c", ".h"),
    has_exact_grammar=False,
    declarations=(
        *DECLARATIONS,
        Declaration("field_declaration", "Field", qualified_name, parts=Several("declarator")),
    ),
    atoms=frozenset({"string_literal", "char_literal", "system_lib_string"}),
    flow=FLOW,
    naming=NAMING,
)


def _member_kind(node: Node) -> str:
    return "Method" if _is_prototype(node) else "Field"


def _namespace_name(node: Node) -> Names:
    name = text_of(node.child_by_field_name("name"))
    return tuple(part for part in name.split("::") if part) or ("(anonymous)",)


def _is_exported_from_cpp(context: DeclarationContext) -> bool:
    """Return whether other files may use a declaration. By default only members of a class are private."""
    enclosing = context.enclosing
    if enclosing is not None and enclosing.kind == "Class":
        return bool(context.modifiers & {"public", "protected"})
    return "private" not in context.modifiers and _is_exported_from_c(context)


CPP_NAMING = replace(
    NAMING,
    patterns=NAMING_PATTERNS
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
    member_operators=(b"->", b"::"),
    is_exported=_is_exported_from_cpp,
)

CPP = Language(
    name="cpp",
    grammar=("tree_sitter_cpp", "language"),
    rewrites=(  # an export macro between `class` and the name
        (rb"(?:(?<=\bclass )|(?<=\bstruct ))[A-Z][A-Z0-9_]+(?=\s+\w+\s*(?:final\s*)?[:{])", b""),
    ),
    extensions=(".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++", ".ipp", ".inl", ".C", ".H"),
    has_exact_grammar=False,
    declarations=(
        *DECLARATIONS,
        Declaration("class_specifier", specifier_kind),
        Declaration("namespace_definition", "Namespace", _namespace_name),
        Declaration("alias_declaration", "Class"),
        Declaration("concept_definition", "Interface"),
        Declaration("field_declaration", _member_kind, qualified_name, parts=Several("declarator")),
        Declaration(
            "init_declarator", KindByChild("value", {"lambda_expression": "Function"}, None), qualified_name
        ),
    ),
    wrappers={"template_declaration": "function_definition|class_specifier|struct_specifier|declaration"},
    scopes=frozenset({"lambda_expression"}),
    atoms=frozenset({"string_literal", "raw_string_literal", "char_literal", "system_lib_string"}),
    flow=Flow(
        patterns=f"""{FLOW_PATTERNS}
            (for_range_loop) @loop
            (for_range_loop body: (_) @nest)
            (catch_clause) @catch
            (catch_clause body: (_) @nest)
            (lambda_expression) @lambda
            (optional_parameter_declaration default_value: (_) @elsewhere)
        """,
        operators=(
            f"{FLOW.operators} alignof and catch class co_await co_return co_yield concept const_cast "
            "constexpr decltype delete dynamic_cast explicit export final friend mutable namespace new "
            "noexcept not operator or override private protected public reinterpret_cast requires "
            "static_cast template throw try typeid typename using virtual"
        ),
        string_styles=("cpp", "double", "single"),
        import_style="include",
        logical=frozenset({"&&", "||", "and", "or"}),
    ),
    naming=CPP_NAMING,
)
