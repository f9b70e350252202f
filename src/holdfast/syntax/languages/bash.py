"""The table of Bash; `language`, `control_flow` and `naming` describe its fields and capture names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Flow, Language
from holdfast.syntax.languages.naming import Naming, import_row
from holdfast.syntax.languages.nodes import text_of
from holdfast.syntax.record import ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node


def _read_imports(node: Node) -> Iterator[ImportedName]:
    argument = node.child_by_field_name("argument")
    if argument is not None:
        yield import_row(node, text_of(argument).strip("'\""), "*")


NAMING = Naming(
    patterns="""
        [(string_content) (raw_string) (heredoc_content)] @text
        ((command name: (command_name (word) @name)) @import (#any-of? @name "source" "."))
        (variable_assignment name: (variable_name) @hidden)
        (command name: (command_name) @callee)
    """,
    name_characters=b"-",
    read_imports=_read_imports,
    unused=frozenset({"unreachable"}),
    exits=frozenset({"return", "exit", "break", "continue"}),
    reachable=frozenset({"function_definition"}),
)

FLOW = Flow(
    patterns="""
        (if_statement) @if @inside
        (elif_clause) @elif @else
        (else_clause) @else
        [(for_statement) (c_style_for_statement) (while_statement)] @loop
        [(for_statement body: (_) @nest) (c_style_for_statement body: (_) @nest)
         (while_statement body: (_) @nest)]
        (case_statement) @switch
        (case_item) @nest
        ((case_item value: (_) @_value) @case (#not-eq? @_value "*"))
        (ternary_expression) @ternary
        [(list) (binary_expression)] @logic
    """,
    operators=(
        "case declare do done elif else esac export fi for function if in local readonly select then unset "
        "until while"
    ),
    string_styles=("heredoc", "double", "raw_single"),
    comment_style="shell",
    import_style="source",
)


BASH = Language(
    name="bash",
    grammar=("tree_sitter_bash", "language"),
    extensions=(".sh", ".bash", ".bats", ".ksh", ".zsh"),
    has_exact_grammar=False,
    dialects=(".zsh", ".zshrc", ".ksh"),
    filenames=frozenset({".bashrc", ".bash_profile", ".profile", ".zshrc", "PKGBUILD"}),
    interpreters=frozenset({"sh", "bash", "dash", "ksh", "zsh", "ash"}),
    declarations=(Declaration("function_definition", "Function"),),
    atoms=frozenset({"string", "raw_string", "heredoc_body"}),
    flow=FLOW,
    naming=NAMING,
)
