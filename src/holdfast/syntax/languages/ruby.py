"""The table of Ruby; `language`, `control_flow` and `naming` describe its fields and capture names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Flow, Language
from holdfast.syntax.languages.naming import Naming, import_row, is_not_private
from holdfast.syntax.languages.nodes import Names, PartsByChild, text_of, title_name
from holdfast.syntax.record import ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node


def _singleton_method_name(node: Node) -> Names:
    return (f"{text_of(node.child_by_field_name('object'))}.{text_of(node.child_by_field_name('name'))}",)


def _singleton_class_name(node: Node) -> Names:
    return (f"<< {text_of(node.child_by_field_name('value'))}",)


def _variable_name(node: Node) -> Names:
    left = node.child_by_field_name("left")
    return (text_of(left),) if left is not None and left.type in ("constant", "identifier") else ()


def _targets(node: Node) -> Sequence[Node]:
    """Return the constants that an assignment with several targets assigns: `A, B = 1, 2`, `A = B = 1`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is not None and left.type == "left_assignment_list":
        return [target for target in left.named_children if target.type == "constant"]
    if left is None or right is None or left.type != "constant" or right.type != "assignment":
        return ()
    following = right.child_by_field_name("left")
    return [left, following] if following is not None and following.type == "constant" else [left]


def _assigned_kind(node: Node) -> str | None:
    if node.type == "constant":
        return "Constant"
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if right is not None:
        method = text_of(right.child_by_field_name("method"))
        if right.type == "lambda" or method in ("lambda", "proc"):
            return "Function"
    return "Constant" if left is not None and left.type == "constant" else None


def _block_name(node: Node) -> Names:
    """Name a block after the call it is passed to: `it "parses"`."""
    arguments = node.child_by_field_name("arguments")
    title = arguments.named_children[0] if arguments is not None else None
    return title_name(f"{text_of(node.child_by_field_name('method'))} {text_of(title)}")


FLOW = Flow(
    patterns="""
        [(if) (unless) (if_modifier) (unless_modifier)] @if
        (elsif) @elif @else
        [(if alternative: (else) @else) (unless alternative: (else) @else) (elsif alternative: (else) @else)]
        [(if consequence: (_) @nest) (unless consequence: (_) @nest) (elsif consequence: (_) @nest)]
        (else) @nest
        [(if_modifier body: (_) @nest) (unless_modifier body: (_) @nest)]
        [(while) (until) (for) (while_modifier) (until_modifier)] @loop
        [(while body: (_) @nest) (until body: (_) @nest) (for body: (_) @nest)]
        [(while_modifier body: (_) @nest) (until_modifier body: (_) @nest)]
        [(case) (case_match)] @switch
        [(when body: (_) @nest) (in_clause body: (_) @nest)]
        [(when) (in_clause)] @case
        [(rescue) (rescue_modifier)] @catch
        (rescue body: (_) @nest)
        [(begin (else) @else @case) (body_statement (else) @else @case)]
        (conditional) @ternary
        (conditional consequence: (_) @nest)
        (conditional alternative: (_) @nest)
        (binary) @logic
        (operator_assignment operator: ["&&=" "||="]) @extra
        [(lambda) (block) (do_block)] @lambda
    """,
    operators=(
        "BEGIN END alias and begin break case class def defined? do else elsif end ensure for if in module "
        "next not or redo rescue retry return super then undef unless until when while yield"
    ),
    string_styles=("heredoc", "double", "single", "backtick"),
    comment_style="hash",
    import_style="ruby",
    logical=frozenset({"&&", "||", "and", "or"}),
)


def _read_imports(node: Node) -> Iterator[ImportedName]:
    method = text_of(node.child_by_field_name("method"))
    arguments = node.child_by_field_name("arguments")
    if arguments is None:
        return
    texts = [text_of(child).strip("'\":") for child in arguments.named_children]
    if method == "autoload" and len(texts) > 1:
        constant, path = texts[:2]
        yield import_row(node, path, constant)
    elif texts:
        row = import_row(node, texts[0], "*")
        yield row._replace(level=1) if method == "require_relative" else row


def _without_receiver(name: str) -> str:
    return name.rpartition(".")[2]


NAMING = Naming(
    patterns="""
        [(string_content) (simple_symbol) (bare_symbol) (bare_string) (heredoc_content)] @text
        [(hash_key_symbol) (escape_sequence)] @hidden
        ((call !receiver method: (identifier) @name arguments: (argument_list . [(string) (simple_symbol)]))
          @import (#any-of? @name "require" "require_relative" "load" "autoload"))
        (method_parameters (identifier) @parameter)
        (method_parameters (_ name: (identifier) @parameter))
        (block_parameters (identifier) @hidden)
        (block_parameters (_ name: (identifier) @hidden))
        (lambda_parameters (identifier) @hidden)
        (assignment left: (identifier) @bound)
        (assignment left: (constant) @hidden)
        (left_assignment_list (identifier) @bound)
        (exception_variable (identifier) @bound)
        (for pattern: (identifier) @bound)
        (call) @invocation
        (superclass (_) @base)
        ((call !receiver method: (identifier) @name
          arguments: (argument_list [(constant) (scope_resolution)] @base))
          (#any-of? @name "include" "extend" "prepend"))
        ((body_statement (identifier) @section)
          (#any-of? @section "private" "protected" "public" "module_function"))
        ((call !receiver method: (identifier) @name
          arguments: (argument_list [(simple_symbol) @concealed (method name: (_) @concealed)
                                     (singleton_method name: (_) @concealed)]))
          (#any-of? @name "private" "private_class_method" "private_constant"))
        (body_statement [(return) (break) (next) (redo) (retry)] . (_) @dead)
        (then [(return) (break) (next) (redo) (retry)] . (_) @dead)
        (do [(return) (break) (next) (redo) (retry)] . (_) @dead)
        (block_body [(return) (break) (next) (redo) (retry)] . (_) @dead)
    """,
    name_characters=b"?!@",
    replacements=((b"!=", b"  "), (b"#{", b"  ")),
    member_operators=(b"::",),
    reserved=frozenset({"true", "false", "nil", "end", "module", "when", "next", "redo", "retry", "self"}),
    callee_field="method",
    read_imports=_read_imports,
    is_exported=is_not_private,
    unused=frozenset({"unreachable"}),
    exits=frozenset({"raise", "exit", "abort", "fail", "exit!"}),
    reachable=frozenset({"rescue", "ensure", "else", "method", "class", "module", "empty_statement"}),
    entry_point=(b"__FILE__", rb"__FILE__\s*==\s*\$(?:0|PROGRAM_NAME)"),
    definition_name=_without_receiver,
)

RUBY = Language(
    name="ruby",
    grammar=("tree_sitter_ruby", "language"),
    extensions=(".rb", ".rake", ".gemspec", ".ru"),
    filenames=frozenset({"Rakefile", "Gemfile", "Guardfile", "Vagrantfile", "Podfile"}),
    interpreters=frozenset({"ruby"}),
    declarations=(
        Declaration("module", "Module"),
        Declaration("class", "Class"),
        Declaration("singleton_class", "Class", _singleton_class_name),
        Declaration("method", "Method", constructor="initialize"),
        Declaration("singleton_method", "Method", _singleton_method_name),
        Declaration(
            "assignment",
            _assigned_kind,
            _variable_name,
            parts=PartsByChild(
                {"left": frozenset({"left_assignment_list"}), "right": frozenset({"assignment"})}, _targets
            ),
        ),
        Declaration(
            "call",
            "Function",
            _block_name,
            "(call arguments: (argument_list . [(string) (simple_symbol)]) block: [(block) (do_block)])",
        ),
    ),
    scopes=frozenset({"lambda"}),
    atoms=frozenset({"string", "regex", "simple_symbol"}),
    flow=FLOW,
    naming=NAMING,
)
