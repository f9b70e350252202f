"""The table of Go; `language`, `control_flow` and `naming` describe its fields and capture names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Flow, Language
from holdfast.syntax.languages.naming import DeclarationContext, Naming, import_row
from holdfast.syntax.languages.nodes import KindByChild, Names, Several, name_field, text_of
from holdfast.syntax.record import ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node

KINDS = {"struct_type": "Struct", "interface_type": "Interface"}


def _method_name(node: Node) -> Names:
    """Qualify the name of a method by its receiver: (`Server`, `Run`) for `(s *Server) Run`."""
    receiver = text_of(node.child_by_field_name("receiver")).strip("() \t\n,")
    kind = receiver.split("[")[0].split()[-1:] or [""]
    owner = kind[0].lstrip("*")
    return ((owner,) if owner else ()) + name_field(node)


def _variable_kind(node: Node) -> str:
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    if value is not None and [child.type for child in value.named_children] == ["func_literal"]:
        return "Function"
    return "Variable"


def _assigned_function_name(node: Node) -> Names:
    return (text_of(node.child_by_field_name("left")),) if _variable_kind(node) == "Function" else ()


def _subtest_name(node: Node) -> Names:
    """Name a function literal after the call it is passed to, and its title: `t.Run("empty")`."""
    arguments = node.child_by_field_name("arguments")
    title = text_of(arguments.named_children[0]) if arguments is not None else ""
    return (f"{text_of(node.child_by_field_name('function'))}({title})",)


FLOW = Flow(
    patterns="""
        (if_statement) @if
        (if_statement consequence: (_) @nest)
        (if_statement alternative: (_) @else @nest)
        (if_statement alternative: (if_statement) @elif)
        (for_statement) @loop
        (for_statement body: (_) @nest)
        [(expression_switch_statement) (type_switch_statement) (select_statement)] @switch
        [(expression_case) (type_case) (communication_case)] @case @nest
        (default_case) @nest
        (binary_expression) @logic
        (break_statement (label_name)) @jump
        (continue_statement (label_name)) @jump
        (goto_statement) @jump
        (func_literal) @lambda
    """,
    operators=(
        "break case chan const continue default defer else fallthrough for func go goto if import interface "
        "map package range return select struct switch type var"
    ),
    string_styles=("double", "character", "raw_backtick"),
    import_style="go",
    counts_inner_branches=True,
    parentheses="none",
    has_implicit_receiver=False,
)


def _read_imports(node: Node) -> Iterator[ImportedName]:
    module = text_of(node.child_by_field_name("path")).strip('"`')
    alias = node.child_by_field_name("name")
    if alias is None:
        yield import_row(node, module, "", _guess_package_name(module))
    elif alias.type == "dot":
        yield import_row(node, module, "*")
    else:
        yield import_row(node, module, "", "" if alias.type == "blank_identifier" else text_of(alias))


def _guess_package_name(module: str) -> str:
    """Guess the name of a package from its path, without a version."""
    parts = [part for part in module.split("/") if not re.fullmatch(r"v\d+", part)] or [module]
    return re.sub(r"\.v\d+$", "", parts[-1]).removeprefix("go-")


def _is_exported(context: DeclarationContext) -> bool:
    return context.name[:1].isupper()


NAMING = Naming(
    patterns="""
        [(interpreted_string_literal_content) (raw_string_literal_content)] @text
        (package_clause (package_identifier) @package)
        (import_spec) @import
        (parameter_declaration name: (identifier) @parameter)
        (variadic_parameter_declaration name: (identifier) @parameter)
        (type_parameter_declaration name: (identifier) @hidden)
        (short_var_declaration left: (expression_list (identifier) @bound))
        (range_clause left: (expression_list (identifier) @bound))
        (type_switch_statement alias: (expression_list (identifier) @bound))
        (var_spec (identifier) @bound)
        (const_spec (identifier) @bound)
        (field_declaration name: (field_identifier) @hidden)
        [(label_name) (escape_sequence)] @hidden
        (call_expression function: (_) @callee)
        (field_declaration !name type: (_) @base)
        (interface_type (type_elem (_) @base))
        (statement_list
          [(return_statement) (break_statement) (continue_statement) (goto_statement)] . (_) @dead)
    """,
    reserved=frozenset(
        {
            *("true", "false", "nil", "go", "range", "case", "default", "type", "map", "chan", "select"),
            "fallthrough",
        }
    ),
    read_imports=_read_imports,
    is_exported=_is_exported,
    unused=frozenset({"unreachable"}),
    exits=frozenset({"panic", "os.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln", "runtime.Goexit"}),
    reachable=frozenset({"empty_statement"}),
    entry_point=(b"func main", rb"(?ms)^package main\b.*^func main\(\s*\)"),
)

GO = Language(
    name="go",
    grammar=("tree_sitter_go", "language"),
    extensions=(".go",),
    declarations=(
        Declaration("function_declaration", "Function"),
        Declaration("method_declaration", "Method", _method_name),
        Declaration("type_spec", KindByChild("type", KINDS, "Class")),
        Declaration("type_alias", "Class"),
        Declaration("method_elem", "Method"),
        Declaration("field_declaration", "Field", parts=Several("name")),
        Declaration("const_spec", "Constant", parts=Several("name")),
        Declaration("var_spec", _variable_kind, parts=Several("name")),
        Declaration("short_var_declaration", _variable_kind, _assigned_function_name),
        Declaration(
            "call_expression",
            "Function",
            _subtest_name,
            "(call_expression arguments: (argument_list . (interpreted_string_literal) (func_literal)))",
        ),
    ),
    wrappers={
        "type_declaration": "type_spec",
        "const_declaration": "const_spec",
        "var_declaration": "var_spec",
    },
    scopes=frozenset({"func_literal"}),
    atoms=frozenset({"interpreted_string_literal", "raw_string_literal"}),
    flow=FLOW,
    naming=NAMING,
)
