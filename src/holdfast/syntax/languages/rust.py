"""The table of Rust; `language`, `control_flow` and `naming` describe its fields and capture names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Flow, Language
from holdfast.syntax.languages.naming import DeclarationContext, Naming, import_row
from holdfast.syntax.languages.nodes import KindByChild, NameIn, Names, text_of
from holdfast.syntax.record import ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node


def _without_type_arguments(node: Node | None) -> str:
    if node is not None and node.type == "generic_type":
        node = node.child_by_field_name("type")
    return text_of(node)


def _implementation_name(node: Node) -> Names:
    """Name an `impl` block after its type, and its trait if it has one."""
    owner = _without_type_arguments(node.child_by_field_name("type"))
    trait = node.child_by_field_name("trait")
    return (f"{text_of(trait)} for {owner}" if trait is not None else owner,)


FLOW = Flow(
    patterns="""
        (if_expression) @if
        (if_expression consequence: (_) @nest)
        (else_clause) @else
        (else_clause (_) @nest)
        (else_clause (if_expression) @elif)
        [(while_expression) (for_expression)] @loop
        (loop_expression) @switch
        [(while_expression body: (_) @nest) (for_expression body: (_) @nest)]
        (loop_expression body: (_) @nest)
        (match_expression) @switch
        (match_arm) @nest
        (match_arm pattern: (match_pattern (_))) @case
        (let_declaration alternative: (block) @nest) @if
        (binary_expression) @logic
        (let_chain) @jump
        (let_chain "&&" @extra)
        (break_expression (label)) @jump
        (continue_expression (label)) @jump
        (closure_expression) @lambda
    """,
    operators=(
        "as async await break const continue crate dyn else enum extern fn for if impl in let loop match "
        "mod move mut pub ref return static struct super trait type union unsafe use where while"
    ),
    string_styles=("rust", "double", "character"),
    import_style="rust",
    has_implicit_receiver=False,
)


def _read_imports(node: Node) -> Iterator[ImportedName]:
    is_public = any(child.type == "visibility_modifier" for child in node.children)
    name, alias = text_of(node.child_by_field_name("name")), text_of(node.child_by_field_name("alias"))
    if node.type == "mod_item":
        yield import_row(node, f"self::{name}", "", name, is_public)
    elif node.type == "extern_crate_declaration":
        yield import_row(node, name, "", alias or name, is_public)
    else:
        for leaf, path, leaf_alias in _leaves(node.child_by_field_name("argument")):
            module, _, member = path.rpartition("::")
            if not module:
                module, member = member, ""
            if member == "self":
                member = ""
            bound = leaf_alias or member or module.rpartition("::")[2]
            if bound in ("*", "_") or member == "*":
                bound = ""
            yield import_row(leaf, module, member, bound, is_public)


def _leaves(tree: Node | None) -> Iterator[tuple[Node, str, str]]:
    """Yield the leaves of a `use` tree, each with its full path and alias."""
    pending = [(tree, "")]
    while pending:
        node, prefix = pending.pop()
        if node is None:
            continue
        path = text_of(node.child_by_field_name("path"))
        if node.type in ("scoped_use_list", "use_list"):
            members = node.child_by_field_name("list") or node
            member_prefix = f"{prefix}{path}::" if path else prefix
            pending += [(child, member_prefix) for child in reversed(members.named_children)]
        elif node.type == "use_as_clause":
            yield node, prefix + path, text_of(node.child_by_field_name("alias"))
        elif "comment" not in node.type:
            yield node, prefix + text_of(node), ""


def _is_exported(context: DeclarationContext) -> bool:
    enclosing = context.enclosing
    if enclosing is not None and (enclosing.kind in ("Interface", "Enum") or enclosing.bases):
        return True
    return any(word.startswith(("pub", "macro_rules")) for word in context.modifiers)


NAMING = Naming(
    patterns="""
        (string_content) @text
        [(lifetime) (label) (escape_sequence)] @hidden
        [(use_declaration) (extern_crate_declaration)] @import
        (mod_item !body) @import
        (parameter pattern: (identifier) @parameter)
        (closure_parameters (identifier) @hidden)
        (closure_parameters (parameter pattern: (identifier) @hidden))
        (tuple_pattern (identifier) @bound)
        (for_expression pattern: (identifier) @bound)
        (let_declaration pattern: (identifier) @local)
        (field_pattern name: (field_identifier) @hidden)
        (shorthand_field_identifier) @bound
        (field_initializer field: (field_identifier) @hidden)
        (type_parameter name: (type_identifier) @hidden)
        (associated_type name: (type_identifier) @hidden)
        (call_expression function: (_) @callee)
        (macro_invocation macro: (_) @callee)
        (attribute_item (attribute . (_) @decorator))
        (impl_item trait: (_) @base)
        (trait_item bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @base))
        (visibility_modifier) @modifier
        (macro_definition "macro_rules!" @modifier)
        (block
          (expression_statement [(return_expression) (break_expression) (continue_expression)]) . (_) @dead)
    """,
    name_characters=b"\"'",
    member_operators=(b"::",),
    reserved=frozenset(
        {"_", "crate", "loop", "match", "move", "mut", "ref", "self", "super", "type", "where"}
    ),
    interpolated_name=rb"\{([A-Za-z_]\w*)",
    read_imports=_read_imports,
    is_exported=_is_exported,
    unused=frozenset({"variable", "unreachable"}),
    exits=frozenset({"panic", "unreachable", "todo", "unimplemented", "std.process.exit", "process.exit"}),
    reachable=frozenset(
        {
            *("empty_statement", "function_item", "use_declaration", "const_item", "static_item"),
            *("struct_item", "enum_item", "impl_item", "trait_item", "mod_item", "type_item"),
            "macro_definition",
        }
    ),
    entry_point=(b"fn main", rb"(?m)^(?:pub\s+)?(?:async\s+)?fn main\("),
)

RUST = Language(
    name="rust",
    grammar=("tree_sitter_rust", "language"),
    extensions=(".rs",),
    comments=frozenset({"line_comment", "block_comment"}),
    declarations=(
        Declaration("function_item", "Function"),
        Declaration("function_signature_item", "Function"),
        Declaration("impl_item", "Object", _implementation_name),
        Declaration("struct_item", "Struct"),
        Declaration("union_item", "Struct"),
        Declaration("enum_item", "Enum"),
        Declaration("enum_variant", "EnumMember"),
        Declaration("trait_item", "Interface"),
        Declaration("mod_item", "Module"),
        Declaration("macro_definition", "Function"),
        Declaration("type_item", "Class"),
        Declaration("const_item", "Constant"),
        Declaration("static_item", "Constant"),
        Declaration("field_declaration", "Field"),
        Declaration(
            "let_declaration",
            KindByChild("value", {"closure_expression": "Function"}, None),
            NameIn("pattern"),
        ),
    ),
    attributes=frozenset({"attribute_item"}),
    scopes=frozenset({"closure_expression"}),
    atoms=frozenset({"string_literal", "raw_string_literal", "char_literal"}),
    flow=FLOW,
    naming=NAMING,
)
