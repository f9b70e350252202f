"""The names of Python."""

from __future__ import annotations

import pytest

from tests.syntax.names import attributes, bound, calls, exported, imports_of, names_of, unused, used


def test_every_form_of_import_is_recorded():
    text = """
        from __future__ import annotations
        import os, a.b, a.c as d
        from . import x as y
        from ..pkg.mod import (one,
            two as two)
        from star import *
    """
    assert imports_of("a.py", text) == [
        ("__future__", "annotations", ""),
        ("os", "", "os"),
        ("a.b", "", "a"),
        ("a.c", "", "d"),
        ("", "x", "y"),
        ("pkg.mod", "one", "one"),
        ("pkg.mod", "two", "two"),
        ("star", "*", ""),
    ]
    rows = {row.name: row for row in names_of("a.py", text).imports}
    assert (rows["x"].level, rows["one"].level, rows["two"].line) == (1, 2, 6)
    assert rows["two"].reexported
    assert not rows["one"].reexported


def test_imports_for_types_and_within_functions_say_so():
    names = names_of(
        "a.py",
        """
        import typing
        if typing.TYPE_CHECKING:
            from m import T
        else:
            from m import U
        def f():
            import json
            return json
        """,
    )
    assert [(row.alias, row.typing_only, row.definition) for row in names.imports] == [
        ("typing", False, -1),
        ("T", True, -1),
        ("U", False, -1),
        ("json", False, 0),
    ]


def test_uses_leave_out_declarations_parameters_keywords_strings_and_comments():
    names = names_of(
        "a.py",
        """
        LIMIT = other  # comment
        def run(first, second: Kind = default, *rest, key=1, **more):
            "docstring"
            local = call(keyword=value)
            for item, index in rows:
                with opened as handle:
                    first.attribute.method("string", f"{shown!r:>{width}} hidden {self.deep}")
            return lambda argument: argument
        """,
    )
    assert used(names, "run") - {"r"} == {
        *("Kind", "call", "value", "rows", "opened", "first", "shown", "width", "self", "argument")
    }
    assert attributes(names, "run") == {"attribute", "method", "deep"}
    assert bound(names, "run") == {
        *("first", "second", "rest", "key", "more", "local", "item", "index", "handle")
    }
    assert used(names, "LIMIT") == {"other"}
    assert used(names) == {"default"}  # which is evaluated where the function is defined


def test_uses_belong_to_the_innermost_definition():
    names = names_of(
        "a.py",
        """
        @decorate(setting)
        class Outer(Base, metaclass=Meta):
            field = make()
            def method(self):
                def inner():
                    return größe.höhe + à
                return inner()
        outside()
        """,
    )
    assert used(names, "Outer") == {"decorate", "Base", "Meta"}
    assert used(names, "Outer.field") == {"make"}
    assert used(names, "Outer.method") == {"inner"}
    assert used(names, "Outer.method.inner") == {"größe", "à"}
    assert attributes(names, "Outer.method.inner") == {"höhe"}
    assert used(names) == {"outside", "setting"}  # a decorator's arguments are evaluated there


def test_code_that_runs_at_the_definition_belongs_to_the_code_around_it():
    names = names_of(
        "a.py",
        """
        class Outer(make(base)):
            @deco(setting)
            def method(self, a=first, b: int = second()):
                return lambda c=third: c
        """,
    )
    assert used(names, "Outer.method") == {"deco", "int", "third", "c"}
    assert used(names, "Outer") == {"setting", "first", "second"}
    assert used(names) == {"make", "base"}
    assert ("Outer", "second") in calls(names)


def test_examples_in_docstrings_are_uses():
    names = names_of(
        "a.py",
        """
        def add(a):
            '''Add it to nothing(1).

            >>> add(make("text"))
            4
            >>> for one in found:
            ...     show(one.size)
            '''
        """,
    )
    assert used(names) == {"add", "make", "found", "one", "show"}
    assert attributes(names) == {"size"}


def test_definitions_say_who_may_see_them_and_what_they_build_on():
    names = names_of(
        "a.py",
        """
        @app.route("/x")
        @cached
        def view(): ...
        def _private():
            def local(): ...
        class Model(base.Model, Generic[T], metaclass=Meta):
            def __str__(self): ...
            def _hidden(self): ...
        _SECRET = 1
        """,
    )
    rows = {row.path: row for row in names.definitions}
    assert rows["view"].decorators == ("app.route", "cached")
    assert (rows["view"].start_line, rows["view"].line) == (2, 4)
    assert rows["Model"].bases == ("base.Model", "Generic")
    assert names.definitions[rows["Model.__str__"].container].name == "Model"
    assert exported(names) == {"view", "Model", "Model.__str__"}


def test_calls_name_what_is_called_with_dots():
    names = names_of(
        "a.py",
        """
        @wraps(f)
        def g(self):
            os.path.join(a, self.b())
            make(g()).save()
            rows[0].delete()
            (lambda: 0)()
        """,
    )
    assert calls(names) == [
        ("g", "wraps"),
        ("g", "os.path.join"),
        ("g", "self.b"),
        ("g", ".save"),
        ("g", "make"),
        ("g", "g"),
        ("g", ".delete"),
    ]


def test_lists_of_exports_are_read_and_added_up():
    text = '__all__ = ["a"] + m.__all__\n__all__ += ("b",)\n__all__.extend(["c"])\n__all__.append("d")\n'
    assert set(names_of("a.py", text).exports) == {"a", "b", "c", "d"}


def test_words_are_names_in_short_strings_and_never_in_docstrings():
    text = '''
        def f():
            """documented"""
            getattr(x, "method"); path("app.views.index", "two words", r"users/<int:pk>")
    '''
    assert names_of("a.py", text).words == (
        "app",
        "app.views.index",
        "index",
        "int",
        "method",
        "pk",
        "users",
        "views",
    )


def test_unused_imports_are_told_and_used_ones_are_not():
    names = names_of(
        "a.py",
        """
        from __future__ import annotations
        import os, sys, re as re
        import a.b
        from m import listed, quoted, nested, dead, deep
        import kept  # noqa: F401
        __all__ = ["listed"]
        def f(x: "quoted", y: dict[str, "list[nested]"]):
            import deep
            import json
            sys.exit()
        deep
        def json(): ...
        json()
        """,
    )
    assert unused(names) == [
        ("import", "os", 3),
        ("import", "a", 4),
        ("import", "dead", 5),
        ("import", "deep", 9),
        ("import", "json", 10),
    ]


@pytest.mark.parametrize(
    "body",
    [
        "x = 1; return x",
        "x = 1; x += 1",
        "_x = 1",
        "x, y = 1, 2",
        "global x; x = 1",
        "for x in y: pass",
        "x = 1; return locals()",
        "x = 1; return f'{x}'",
        "x = 1; del x",
        "x: int",
    ],
)
def test_a_variable_that_may_be_meant_is_not_told(body):
    assert unused(names_of("a.py", f"def f(y):\n    {body}\n")) == []


def test_variables_that_nothing_reads_are_told_once_where_they_are_assigned_first():
    names = names_of(
        "a.py",
        """
        def f():
            dead = 1
            dead = 2
            shared = captured = 3
            typed: int = 4
            def g():
                nonlocal shared
                shared = 5
                return captured
            return g
        class A:
            field = 1
        """,
    )
    assert unused(names) == [("variable", "dead", 3), ("variable", "typed", 6)]


def test_statements_that_are_never_reached_are_told_to_the_end_of_their_block():
    names = names_of(
        "a.py",
        """
        import sys
        def f(x):
            if x:
                raise ValueError
                # why
                a()
                b()
            for y in x:
                continue
            while x:
                break
                pass
            sys.exit(1)
            c()
        def g():
            return
            yield
        """,
    )
    assert [(row.kind, row.line, row.end_line) for row in names.unused] == [
        ("unreachable", 7, 8),
        ("unreachable", 13, 13),
        ("unreachable", 15, 15),
    ]


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ('if __name__ == "__main__":\n    run()\n', True),
        ("#!/usr/bin/env python\nx = 1\n", True),
        ('def f():\n    return "if __name__ == 1"\n', False),
    ],
)
def test_a_file_made_to_be_run_is_told(text, entry):
    assert names_of("a.py", text).is_entry is entry
