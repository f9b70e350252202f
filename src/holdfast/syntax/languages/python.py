"""The table of Python; `language`, `control_flow` and `naming` describe its fields and capture names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from keyword import kwlist
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Flow, Language
from holdfast.syntax.languages.naming import DeclarationContext, Naming, import_row
from holdfast.syntax.languages.nodes import Names, PartsByChild, text_of
from holdfast.syntax.record import ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node


_PATTERNS = frozenset({"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern"})
"""Patterns of targets. Attributes and subscripts in them declare nothing."""


def _variable_name(node: Node) -> Names:
    target = node.child_by_field_name("left") if node.type == "assignment" else node
    return (text_of(target),) if target is not None and target.type == "identifier" else ()


def _targets(node: Node) -> list[Node]:
    """Return the names that an assignment with several targets assigns: `a, (b, *c) = x`, `a = b = x`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return []
    if right.type != "assignment":
        return _identifiers(left) if left.type != "identifier" else []
    following, value = right.child_by_field_name("left"), right.child_by_field_name("right")
    is_variable = following is not None and value is not None and value.type != "lambda"
    return [*_identifiers(left), *(_identifiers(following) if following and is_variable else ())]


def _identifiers(pattern: Node) -> list[Node]:
    found, open_ = [], [pattern]
    while open_:
        node = open_.pop()
        if node.type == "identifier":
            found.append(node)
        elif node.type in _PATTERNS:
            open_ += node.named_children
    return found


def _variable_kind(node: Node) -> str:
    right = node.child_by_field_name("right")
    if right is not None and right.type == "lambda":
        return "Function"
    return "Constant" if "".join(_variable_name(node)).isupper() else "Variable"


def _read_imports(node: Node) -> Iterator[ImportedName]:
    typing_only = _is_typing_only(node)
    source = node.child_by_field_name("module_name")
    dotted = text_of(source)
    module = dotted.lstrip(". ")
    level = dotted.count(".") - module.count(".")
    if source is not None and any(child.type == "wildcard_import" for child in node.named_children):
        yield import_row(node, module, "*", "", False, typing_only)._replace(level=level)
    for child in node.children_by_field_name("name"):
        if node.type == "future_import_statement":
            yield import_row(child, "__future__", text_of(child))
            continue
        name = text_of(child.child_by_field_name("name") or child)
        alias = text_of(child.child_by_field_name("alias"))
        is_reexported = alias == name
        if source is None:
            row = import_row(child, name, "", alias or name.split(".")[0], is_reexported, typing_only)
        else:
            row = import_row(child, module, name, alias or name, is_reexported, typing_only)
        yield row._replace(level=level) if level else row


def _is_typing_only(node: Node) -> bool:
    """Return whether an import is in the body of `if TYPE_CHECKING:`."""
    if node.start_point[1] == 0:  # not indented, and so outside any `if`
        return False
    parent = node.parent
    while parent is not None:
        condition = text_of(parent.child_by_field_name("condition"))
        if parent.type == "if_statement" and condition.endswith("TYPE_CHECKING"):
            body = parent.child_by_field_name("consequence")
            return body is not None and body.start_byte <= node.start_byte < body.end_byte
        parent = parent.parent
    return False


def _is_exported(context: DeclarationContext) -> bool:
    name = context.name
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _read_exports(node: Node) -> list[str]:
    return re.findall(r"""["'](\w+)["']""", text_of(node))


NAMING = Naming(
    patterns="""
        (string_content) @text
        (expression_statement (string (string_content) @docstring))
        (type (string) @quoted)
        (type (binary_operator (string) @quoted))
        ((subscript subscript: (string) @quoted) (#match? @quoted "^.[A-Z_\\\\[]"))
        ((list (string) @quoted) (#match? @quoted "^.[A-Z]"))
        (parameters
          [(identifier) @parameter
           (_ name: (identifier) @parameter)
           (typed_parameter . [(identifier) @parameter (_ (identifier) @parameter)])
           (list_splat_pattern (identifier) @parameter)
           (dictionary_splat_pattern (identifier) @parameter)])
        (lambda_parameters (identifier) @hidden)
        (lambda_parameters (_ name: (identifier) @hidden))
        (for_in_clause left: (identifier) @hidden)
        (assignment left: (identifier) @local right: (_))
        (assignment left: (identifier) @bound type: (_) !right)
        (for_statement left: (identifier) @bound)
        (pattern_list (identifier) @bound)
        (tuple_pattern (identifier) @bound)
        (list_pattern (identifier) @bound)
        [(pattern_list (list_splat_pattern (identifier) @bound))
         (tuple_pattern (list_splat_pattern (identifier) @bound))
         (list_pattern (list_splat_pattern (identifier) @bound))]
        (as_pattern_target (identifier) @bound)
        (named_expression name: (identifier) @bound)
        (global_statement (identifier) @outer)
        (nonlocal_statement (identifier) @outer)
        (import_statement) @import
        (import_from_statement) @import
        (future_import_statement) @import
        (decorator (_) @decorator)
        (decorator (call arguments: (_) @outside))
        (function_definition parameters: (parameters
          [(default_parameter value: (_) @outside) (typed_default_parameter value: (_) @outside)]))
        (class_definition superclasses: (argument_list (call) @outside))
        (class_definition superclasses: (argument_list [(identifier) (attribute) (subscript)] @base))
        ([(return_statement) (raise_statement) (break_statement) (continue_statement)] . (_) @dead)
    """,
    conditional_patterns=(
        (b"exit(", '((call function: (_) @exit) (#any-of? @exit "sys.exit" "exit" "os._exit"))'),
        (
            b"cast(",
            """
            ((call function: (_) @name arguments: (argument_list . (string) @quoted))
             (#any-of? @name "cast" "typing.cast" "t.cast"))
            """,
        ),
        (b"TypeAlias", '((assignment type: (_) @name right: (string) @quoted) (#match? @name "TypeAlias$"))'),
        (
            b"__all__",
            """
            ((assignment left: (identifier) @name right: (_) @export) (#eq? @name "__all__"))
            ((augmented_assignment left: (identifier) @name right: (_) @export) (#eq? @name "__all__"))
            ((call function: (attribute object: (identifier) @name) arguments: (_) @export)
             (#eq? @name "__all__"))
            """,
        ),
    ),
    name_characters=b"\"'",
    replacements=((b"=}", b" }"), (b"=!", b" !")),
    calls_in_text=True,
    reserved=frozenset(kwlist),
    read_imports=_read_imports,
    is_exported=_is_exported,
    read_exports=_read_exports,
    unused=frozenset({"import", "variable", "unreachable"}),
    entry_point=(b"__main__", rb"(?m)^if\s*\(?\s*(?:__name__\s*==|[\"']__main__[\"']\s*==)"),
)


FLOW = Flow(
    patterns="""
        (if_statement) @if
        (elif_clause) @elif @else
        (if_statement alternative: (else_clause) @else)
        [(if_statement consequence: (block) @nest) (elif_clause consequence: (block) @nest)]
        (else_clause body: (block) @nest)
        [(for_statement) (while_statement)] @loop
        [(for_statement body: (block) @nest) (while_statement body: (block) @nest)]
        [(for_statement alternative: (else_clause) @else @extra)
         (while_statement alternative: (else_clause) @else @extra)]
        (try_statement (else_clause) @else @case)
        (except_clause) @catch
        (except_clause (block) @nest)
        (match_statement) @switch
        (match_statement body: (block) @nest)
        (case_clause) @case
        (case_clause !guard . (case_pattern . [(dotted_name . (identifier) .) "_"] .) . ":") @default
        (conditional_expression) @ternary @inside
        (boolean_operator) @logic
        (for_in_clause) @extra
        [(list_comprehension (if_clause) @extra) (set_comprehension (if_clause) @extra)
         (dictionary_comprehension (if_clause) @extra) (generator_expression (if_clause) @extra)]
        (assert_statement) @extra @opaque
        (lambda) @lambda
        (class_definition) @class
        (function_definition parameters: (_) @elsewhere)
    """,
    operators=(
        "and as assert async await break class continue def del elif else except finally for from global if "
        "import in is lambda match case nonlocal not or pass raise return try while with yield"
    ),
    string_styles=("python",),
    comment_style="hash",
    import_style="python",
    counts_inner_functions=True,
    logical=frozenset({"and", "or"}),
    has_implicit_receiver=False,
)


PYTHON = Language(
    name="python",
    grammar=("tree_sitter_python", "language"),
    extensions=(".py", ".pyi", ".pyw"),
    interpreters=frozenset({"python", "pypy"}),
    declarations=(
        Declaration("function_definition", "Function", constructor="__init__"),
        Declaration("class_definition", "Class"),
        Declaration(
            "assignment",
            _variable_kind,
            _variable_name,
            closures="(assignment right: (lambda))",
            parts=PartsByChild({"left": _PATTERNS, "right": frozenset({"assignment"})}, _targets),
        ),
    ),
    wrappers={"decorated_definition": "definition"},
    scopes=frozenset({"lambda"}),
    atoms=frozenset({"string"}),
    naming=NAMING,
    flow=FLOW,
)
