"""Python."""

from __future__ import annotations

import re
from collections.abc import Iterator
from keyword import kwlist
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Declaration, Flow, Language, Names, text_of
from holdfast.syntax.languages.naming import DeclarationContext, Naming, imported
from holdfast.syntax.record import ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node


def _assigned(node: Node) -> Names:
    left = node.child_by_field_name("left")
    return (text_of(left),) if left is not None and left.type == "identifier" else ()


def _variable(node: Node) -> str:
    right = node.child_by_field_name("right")
    if right is not None and right.type == "lambda":
        return "Function"
    return "Constant" if text_of(node.child_by_field_name("left")).isupper() else "Variable"


def _imports(node: Node) -> Iterator[ImportedName]:
    typing_only = _for_types(node)
    source = node.child_by_field_name("module_name")
    written = text_of(source)
    module = written.lstrip(". ")
    level = written.count(".") - module.count(".")
    if source is not None and any(child.type == "wildcard_import" for child in node.named_children):
        yield imported(node, module, "*", "", False, typing_only)._replace(level=level)
    for child in node.children_by_field_name("name"):
        if node.type == "future_import_statement":
            yield imported(child, "__future__", text_of(child))
            continue
        name = text_of(child.child_by_field_name("name") or child)
        given = text_of(child.child_by_field_name("alias"))
        if source is None:
            row = imported(child, name, "", given or name.split(".")[0], given == name, typing_only)
        else:
            row = imported(child, module, name, given or name, given == name, typing_only)
        yield row._replace(level=level) if level else row


def _for_types(node: Node) -> bool:
    """Return whether an import is inside `if TYPE_CHECKING:`; an unindented one is not."""
    if not node.start_point[1]:
        return False
    within, parent = node, node.parent
    while parent is not None:
        if parent.type == "if_statement" and text_of(parent.child_by_field_name("condition")).endswith(
            "TYPE_CHECKING"
        ):
            body = parent.child_by_field_name("consequence")
            return body is not None and body.start_byte <= within.start_byte < body.end_byte
        within, parent = parent, parent.parent
    return False


def _exported(context: DeclarationContext) -> bool:
    name = context.name
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _listed(node: Node) -> list[str]:
    return re.findall(r"""["'](\w+)["']""", text_of(node))


NAMING = Naming(
    patterns="""
        (string_content) @text
        (expression_statement (string (string_content) @docstring))
        (type (string) @quoted)
        (type (binary_operator (string) @quoted))
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
        (as_pattern_target (identifier) @bound)
        (named_expression name: (identifier) @bound)
        (global_statement (identifier) @outer)
        (nonlocal_statement (identifier) @outer)
        (import_statement) @import
        (import_from_statement) @import
        (future_import_statement) @import
        (decorator (_) @decorator)
        (class_definition superclasses: (argument_list [(identifier) (attribute) (subscript)] @base))
        ([(return_statement) (raise_statement) (break_statement) (continue_statement)] . (_) @dead)
    """,
    rare=(
        (b"exit(", '((call function: (_) @exit) (#any-of? @exit "sys.exit" "exit" "os._exit"))'),
        (
            b"cast(",
            """
            ((call function: (_) @name arguments: (argument_list . (string) @quoted))
             (#any-of? @name "cast" "typing.cast" "t.cast"))
            """,
        ),
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
    characters=b"\"'",
    spaced=((b"=}", b" }"), (b"=!", b" !")),
    calls_in_text=True,
    reserved=frozenset(kwlist),
    imports=_imports,
    exported=_exported,
    listed=_listed,
    unused=frozenset({"import", "variable", "unreachable"}),
    entry=(b"__main__", rb"(?m)^if\s*\(?\s*(?:__name__\s*==|[\"']__main__[\"']\s*==)"),
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
    """,
    operators=(
        "and as assert async await break class continue def del elif else except finally for from global if "
        "import in is lambda match case nonlocal not or pass raise return try while with yield"
    ),
    strings=("python",),
    comments="hash",
    imports="python",
    cumulative=True,
    logical=frozenset({"and", "or"}),
    bare=False,
)


PYTHON = Language(
    name="python",
    fence="python",
    grammar=("tree_sitter_python", "language"),
    extensions=(".py", ".pyi", ".pyw"),
    interpreters=frozenset({"python", "pypy"}),
    comments=frozenset({"comment"}),
    declarations=(
        Declaration("function_definition", "Function", constructor="__init__"),
        Declaration("class_definition", "Class"),
        Declaration("assignment", _variable, _assigned, closures="(assignment right: (lambda))"),
    ),
    wrappers={"decorated_definition": "definition"},
    scopes=frozenset({"lambda"}),
    atoms=frozenset({"string"}),
    naming=NAMING,
    flow=FLOW,
)
