"""C#."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Language, Names, named, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

PATTERNS = " ".join(
    f"({kind}_pattern)"
    for kind in ("constant", "declaration", "relational", "or", "and", "recursive", "negated", "type")
)
FUNCTIONS = frozenset({"lambda_expression", "anonymous_method_expression"})


def _field(node: Node) -> Names:
    declaration = next((child for child in node.named_children if child.type == "variable_declaration"), None)
    children = declaration.named_children if declaration is not None else []
    declarator = next((child for child in children if child.type == "variable_declarator"), None)
    return named(declarator) if declarator is not None else ()


def _local(node: Node) -> str | None:
    return "Function" if any(child.type in FUNCTIONS for child in node.named_children) else None


def _operator(node: Node) -> Names:
    return (f"operator {text_of(node.child_by_field_name('operator'))}".strip(),)


def _conversion(node: Node) -> Names:
    return (f"operator {text_of(node.child_by_field_name('type'))}",)


def _indexer(_node: Node) -> Names:
    return ("this[]",)


def _destructor(node: Node) -> Names:
    return tuple(f"~{name}" for name in named(node))


CSHARP = Language(
    name="csharp",
    fence="csharp",
    grammar=("tree_sitter_c_sharp", "language"),
    extensions=(".cs", ".csx"),
    exact=False,
    comments=frozenset({"comment"}),
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
        Declaration("destructor_declaration", "Method", _destructor),
        Declaration("operator_declaration", "Method", _operator),
        Declaration("conversion_operator_declaration", "Method", _conversion),
        Declaration("indexer_declaration", "Property", _indexer),
        Declaration("property_declaration", "Property"),
        Declaration("field_declaration", "Field", _field),
        Declaration("event_field_declaration", "Event", _field),
        Declaration("variable_declarator", _local),
    ),
    scopes=FUNCTIONS,
    atoms=frozenset(
        {"string_literal", "verbatim_string_literal", "raw_string_literal", "character_literal"},
    ),
    decisions=(
        "(if_statement)",
        "(for_statement)",
        "(foreach_statement)",
        "(while_statement)",
        "(do_statement)",
        '(switch_section "case")',
        f"(switch_expression_arm . [{PATTERNS}])",
        "(catch_clause)",
        "(conditional_expression)",
        '(binary_expression operator: ["&&" "||" "??"])',
    ),
)
