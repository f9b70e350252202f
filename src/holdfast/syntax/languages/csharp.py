"""The table of C#; `language`, `control_flow` and `naming` describe its fields and capture names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Flow, Language
from holdfast.syntax.languages.naming import DeclarationContext, Naming, import_row
from holdfast.syntax.languages.nodes import (
    FixedName,
    Names,
    SeveralChildren,
    child_of_type,
    name_field,
    text_of,
)
from holdfast.syntax.record import ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node

CASE_PATTERNS = " ".join(
    f"({kind}_pattern)"
    for kind in ("constant", "declaration", "relational", "or", "and", "recursive", "negated", "type")
)
FUNCTIONS = frozenset({"lambda_expression", "anonymous_method_expression"})


def _field_name(node: Node) -> Names:
    declaration = child_of_type(node, "variable_declaration")
    declarator = child_of_type(declaration, "variable_declarator") if declaration is not None else node
    return name_field(declarator) if declarator is not None else ()


_field_parts = SeveralChildren("variable_declarator", within="variable_declaration")


def _variable_kind(node: Node) -> str | None:
    return "Function" if any(child.type in FUNCTIONS for child in node.named_children) else None


def _operator_name(node: Node) -> Names:
    return (f"operator {text_of(node.child_by_field_name('operator'))}".strip(),)


def _conversion_name(node: Node) -> Names:
    return (f"operator {text_of(node.child_by_field_name('type'))}",)


def _destructor_name(node: Node) -> Names:
    return tuple(f"~{name}" for name in name_field(node))


FLOW = Flow(
    patterns=f"""
        (if_statement) @if
        (if_statement consequence: (_) @nest)
        (if_statement alternative: (_) @else @nest)
        (if_statement alternative: (if_statement) @elif)
        [(for_statement) (foreach_statement) (while_statement) (do_statement)] @loop
        [(for_statement body: (_) @nest) (foreach_statement body: (_) @nest)
         (while_statement body: (_) @nest) (do_statement body: (_) @nest)]
        [(switch_statement) (switch_expression)] @switch
        (switch_section) @nest
        (switch_section "case" @case)
        (switch_expression_arm) @nest
        (switch_expression_arm . [{CASE_PATTERNS}]) @case
        (catch_clause) @catch
        (catch_clause body: (_) @nest)
        (conditional_expression) @ternary
        (conditional_expression consequence: (_) @nest)
        (conditional_expression alternative: (_) @nest)
        (binary_expression) @logic
        (goto_statement) @jump
        [(lambda_expression) (anonymous_method_expression)] @lambda
        (accessor_declaration body: (_)) @unit
        [(property_declaration value: (arrow_expression_clause) @unit)
         (indexer_declaration value: (arrow_expression_clause) @unit)]
    """,
    operators=(
        "abstract as async await break case catch checked class const continue default delegate do else "
        "enum event explicit extern finally fixed for foreach get goto if implicit in init interface "
        "internal is lock namespace new operator out override params private protected public readonly "
        "record ref return sealed set sizeof stackalloc static struct switch throw try typeof unchecked "
        "unsafe using var virtual volatile when where while with yield"
    ),
    string_styles=("triple", "verbatim", "double", "single"),
    import_style="using",
    coalescing=frozenset({"??"}),
)


def _read_imports(node: Node) -> Iterator[ImportedName]:
    alias = node.child_by_field_name("name")
    path = text_of(node.named_children[-1]) if node.named_children else ""
    is_global = any(child.type == "global" for child in node.children)
    if alias is None:
        yield import_row(node, path, "*", "", is_global)
    else:
        module, _, name = path.rpartition(".")
        yield import_row(node, module, name, text_of(alias), is_global)


def _is_exported(context: DeclarationContext) -> bool:
    """Return whether other files may use a declaration. By default types are internal and members private."""
    enclosing = context.enclosing
    if "private" in context.modifiers:
        return False
    if enclosing is None or enclosing.kind in ("Namespace", "Interface", "Enum"):
        return True
    return bool(context.modifiers & {"public", "internal", "protected"})


NAMING = Naming(
    patterns="""
        [(string_literal_content) (string_content) (raw_string_content) (verbatim_string_literal)] @text
        [(interpolation_format_clause) (implicit_parameter) (escape_sequence)] @hidden
        (file_scoped_namespace_declaration name: (_) @package)
        (namespace_declaration name: (_) @package)
        (using_directive) @import
        (parameter name: (identifier) @parameter)
        (parameter_list name: (identifier) @parameter)
        (variable_declarator name: (identifier) @bound)
        (local_declaration_statement (variable_declaration (variable_declarator name: (identifier) @local)))
        (local_declaration_statement "using"
          (variable_declaration (variable_declarator name: (identifier) @kept)))
        (declaration_pattern name: (identifier) @bound)
        (catch_declaration name: (identifier) @bound)
        (foreach_statement left: (identifier) @bound)
        (type_parameter name: (identifier) @hidden)
        (argument name: (identifier) @hidden)
        (labeled_statement . (identifier) @hidden)
        (goto_statement (identifier) @hidden)
        (invocation_expression function: (_) @callee)
        (object_creation_expression type: (_) @callee)
        (attribute name: (_) @decorator)
        (base_list (_) @base)
        (modifier) @modifier
        (block [(return_statement) (throw_statement) (break_statement) (continue_statement) (goto_statement)]
          . (_) @dead)
        (switch_section [(return_statement) (throw_statement) (break_statement)] . (_) @dead)
    """,
    read_imports=_read_imports,
    is_exported=_is_exported,
    unused=frozenset({"variable", "unreachable"}),
    exits=frozenset({"Environment.Exit"}),
    reachable=frozenset({"local_function_statement", "break_statement", "empty_statement"}),
    entry_point=(b"Main", rb"\bstatic\s+(?:async\s+)?(?:void|int|Task(?:<int>)?)\s+Main\s*\("),
)

CSHARP = Language(
    name="csharp",
    grammar=("tree_sitter_c_sharp", "language"),
    extensions=(".cs", ".csx"),
    has_exact_grammar=False,
    declarations=(
        Declaration("namespace_declaration", "Namespace"),
        Declaration("class_declaration", "Class"),
        Declaration("record_declaration", "Class"),
        Declaration("struct_declaration", "Struct"),
        Declaration("interface_declaration", "Interface"),
        Declaration("enum_declaration", "Enum"),
        Declaration("enum_member_declaration", "EnumMember"),
        Declaration("delegate_declaration", "Function"),
        Declaration("method_declaration", "Method"),
        Declaration("local_function_statement", "Function"),
        Declaration("constructor_declaration", "Constructor"),
        Declaration("destructor_declaration", "Method", _destructor_name),
        Declaration("operator_declaration", "Method", _operator_name),
        Declaration("conversion_operator_declaration", "Method", _conversion_name),
        Declaration("indexer_declaration", "Property", FixedName("this[]")),
        Declaration("property_declaration", "Property"),
        Declaration("field_declaration", "Field", _field_name, parts=_field_parts),
        Declaration("event_field_declaration", "Event", _field_name, parts=_field_parts),
        Declaration("variable_declarator", _variable_kind),
    ),
    scopes=FUNCTIONS,
    atoms=frozenset({"string_literal", "verbatim_string_literal", "raw_string_literal", "character_literal"}),
    flow=FLOW,
    naming=NAMING,
)
