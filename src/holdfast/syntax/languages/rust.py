"""Rust."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Flow, Language, Names, text_of
from holdfast.syntax.languages.naming import DeclarationContext, Naming, imported
from holdfast.syntax.record import ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node


def _without_arguments(node: Node | None) -> str:
    if node is not None and node.type == "generic_type":
        node = node.child_by_field_name("type")
    return text_of(node)


def _implementation(node: Node) -> Names:
    """Name an `impl` block after its type, and its trait if it has one."""
    owner = _without_arguments(node.child_by_field_name("type"))
    trait = node.child_by_field_name("trait")
    return (f"{text_of(trait)} for {owner}" if trait is not None else owner,)


def _closure(node: Node) -> str | None:
    value = node.child_by_field_name("value")
    return "Function" if value is not None and value.type == "closure_expression" else None


def _pattern(node: Node) -> Names:
    return (text_of(node.child_by_field_name("pattern")),)


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
    strings=("rust", "double", "character"),
    imports="rust",
    bare=False,
)


def _imports(node: Node) -> Iterator[ImportedName]:
    offered = any(child.type == "visibility_modifier" for child in node.children)
    name, alias = text_of(node.child_by_field_name("name")), text_of(node.child_by_field_name("alias"))
    if node.type == "mod_item":
        yield imported(node, f"self::{name}", "", name, offered)
    elif node.type == "extern_crate_declaration":
        yield imported(node, name, "", alias or name, offered)
    else:
        for part, path, given in _leaves(node.child_by_field_name("argument")):
            module, _, last = path.rpartition("::")
            module, last = (module, last) if module else (last, "")
            last = "" if last == "self" else last
            own = given or last or module.rpartition("::")[2]
            yield imported(part, module, last, "" if "*" in (last, own) or own == "_" else own, offered)


def _leaves(tree: Node | None) -> Iterator[tuple[Node, str, str]]:
    """Yield the leaves of a `use` tree, each with its full path and alias."""
    waiting = [(tree, "")]
    while waiting:
        node, before = waiting.pop()
        if node is None:
            continue
        path = text_of(node.child_by_field_name("path"))
        if node.type in ("scoped_use_list", "use_list"):
            held = node.child_by_field_name("list") or node
            prefix = before + (f"{path}::" if path else "")
            waiting += [(child, prefix) for child in reversed(held.named_children)]
        elif node.type == "use_as_clause":
            yield node, before + path, text_of(node.child_by_field_name("alias"))
        elif "comment" not in node.type:
            yield node, before + text_of(node), ""


def _exported(context: DeclarationContext) -> bool:
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
    characters=b"\"'",
    arrows=(b"::",),
    reserved=frozenset(
        {"_", "crate", "loop", "match", "move", "mut", "ref", "self", "super", "type", "where"}
    ),
    interpolated=rb"\{([A-Za-z_]\w*)",
    imports=_imports,
    exported=_exported,
    unused=frozenset({"variable", "unreachable"}),
    exits=frozenset({"panic", "unreachable", "todo", "unimplemented", "std.process.exit", "process.exit"}),
    reachable=frozenset(
        {
            *("empty_statement", "function_item", "use_declaration", "const_item", "static_item"),
            *("struct_item", "enum_item", "impl_item", "trait_item", "mod_item", "type_item"),
            "macro_definition",
        }
    ),
    entry=(b"fn main", rb"(?m)^(?:pub\s+)?(?:async\s+)?fn main\("),
)

RUST = Language(
    name="rust",
    fence="rust",
    grammar=("tree_sitter_rust", "language"),
    extensions=(".rs",),
    comments=frozenset({"line_comment", "block_comment"}),
    declarations=(
        Declaration("function_item", "Function"),
        Declaration("function_signature_item", "Function"),
        Declaration("impl_item", "Object", _implementation),
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
        Declaration("let_declaration", _closure, _pattern),
    ),
    attributes=frozenset({"attribute_item"}),
    scopes=frozenset({"closure_expression"}),
    atoms=frozenset({"string_literal", "raw_string_literal", "char_literal"}),
    flow=FLOW,
    naming=NAMING,
)
