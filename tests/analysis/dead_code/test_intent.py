"""Code that nothing uses, yet somebody means to stay: marked, checked by a compiler, or read by tests."""

from __future__ import annotations

from textwrap import dedent

from tests.analysis.dead_code.made import dead, findings


def test_a_mark_for_the_next_line_or_the_whole_file_keeps_what_is_unused() -> None:
    marked = """
        export function f() {
            // eslint-disable-next-line no-unused-vars
            const kept = 1
            const lost = 2
        }
    """
    files = {
        "line.js": marked,
        "file.js": f"/* eslint-disable no-unused-vars */\n{dedent(marked)}",
        "names.py": "# ruff: noqa: F401\nimport os\n",
        "one.py": "import os  # noqa: F401\nimport re\n",
    }

    found = {f"{one.file}: {one.name}": one.level for one in findings(files) if one.kind != "function"}

    assert found == {
        "line.js: kept": "low",
        "line.js: lost": "high",
        "file.js: kept": "low",
        "file.js: lost": "low",
        "names.py: os": "low",
        "one.py: re": "high",
    }


def test_what_a_type_test_declares_is_not_surely_dead() -> None:
    text = """
        test("variables", () => {
            const x: number = bar();
            // @ts-expect-error
            const y: string = bar();
        });
        type _Check = string | number;
    """

    for path, level in (
        ("type-tests/query.ts", "medium"),
        ("__benches__/query.ts", "medium"),
        ("query.ts", "high"),
    ):
        found = dead({path: text})
        assert (found["x"], found["y"]) == (level, level)
        assert found["_Check"] == "medium"


def test_a_local_react_is_used_by_markup() -> None:
    text = "mock('./a', () => {\n  const React = require('react')\n  return () => <b>x</b>\n})\n"

    files = {"a.jsx": text, "b.tsx": text, "c.js": text.replace("<b>x</b>", "1")}

    assert {(one.file, one.name) for one in findings(files)} == {("c.js", "React")}


def test_a_macro_may_configure_a_header_from_elsewhere_that_follows_it() -> None:
    text = "#define _GNU_SOURCE\n#include <stdio.h>\n#define LOST 1\nint main() { return 0; }\n"

    assert dead({"tests/shim.c": text}) == {"_GNU_SOURCE": "medium", "LOST": "high"}


def test_a_package_of_go_among_tests_that_nothing_imports_may_be_their_input() -> None:
    files = {
        "go.mod": "module kelp\n",
        "test/missing/missing.go": "package missing\n\ntype thing any\n",
        "test/helped/helped.go": "package helped\n\nfunc Help() {}\n\ntype thing any\n",
        "main_test.go": 'package main\n\nimport "kelp/test/helped"\n\nfunc TestX(t *T) { helped.Help() }\n',
    }

    found = {one.file: one.level for one in findings(files) if one.name == "thing"}

    assert found == {"test/missing/missing.go": "medium", "test/helped/helped.go": "high"}


def test_an_import_makes_a_file_of_declarations_a_module() -> None:
    text = 'import type { Kept } from "kelp"\ndeclare module "kelp" { interface More {} }\n'
    found = {one.file: one.level for one in findings({"a.d.ts": text, "a.ts": text}) if one.kind == "import"}

    assert found == {"a.d.ts": "medium", "a.ts": "high"}


def test_annotations_of_java_use_local_variables_and_fields() -> None:
    text = """
        class A {
            @Getter
            private final int read = 1;
            private final int lost = 1;
            private static final Object[] serialPersistentFields = {};
            public static void main(String[] args) {
                @Cleanup
                Object closed = open();
                @Cleanup Object closedToo = open();
                Object forgotten = open();
            }
        }
    """

    assert dead({"A.java": text}) == {"A.lost": "high", "forgotten": "high"}


def test_names_that_getattr_looks_up_in_a_module_are_not_surely_dead() -> None:
    files = {
        "kelp/shots.py": "ASANA = 1\n",
        "main.py": "from kelp import shots\nprint([getattr(shots, k.upper()) for k in 'ab'])\n",
    }

    assert dead(files)["ASANA"] == "medium"


def test_examples_and_subclasses_of_what_a_framework_finds_are_not_surely_dead() -> None:
    files = {
        "java-examples/src/AddFunction.java": "public class AddFunction { int value; }\n",
        "crawl/base.py": "import scrapy\n\nclass Base(scrapy.Spider):\n    pass\n",
        "crawl/spiders/one.py": "from ..base import Base\n\nclass One(Base):\n    pass\n",
        "crawl/spiders/__init__.py": "",
        "crawl/__init__.py": "",
    }

    assert set(dead(files).values()) == {"medium"}


def test_a_variable_that_a_nested_function_hides_is_not_surely_dead() -> None:
    text = """
        let last: number | undefined;
        export async function current(page: Page) {
            await page.wait((last) => last !== 1, last);
            last = await page.evaluate(() => 1);
            return last;
        }
    """

    assert dead({"lib/page.ts": text}).get("last") != "high"


def test_a_name_in_a_string_may_be_an_import_that_types_need() -> None:
    files = {
        "a.py": 'import typing\nfrom b import Case, Lost\nT = typing.TypeVar("T", bound="Case")\nprint(T)\n'
    }

    assert dead(files) == {"Case": "medium", "Lost": "high"}


def test_a_remark_for_staticcheck_keeps_a_function() -> None:
    text = "package main\n\n//lint:ignore U1000 later\nfunc kept() {}\n\nfunc lost() {}\n\nfunc main() {}\n"

    assert dead({"main.go": text}) == {"lost": "high"}


def test_an_import_in_a_try_shows_whether_a_module_is_there() -> None:
    text = """
        try:
            import croniter
            HAS = True
        except ImportError:
            HAS = False
        try:
            import lost
        except ImportError:
            pass
        try:
            import utmp
        except ImportError:
            HAS = False
        print(HAS)
    """

    assert dead({"a.py": text}) == {"lost": "high"}


def test_functions_that_getattr_finds_in_their_own_module_are_not_surely_dead() -> None:
    text = """
        import sys
        def _linux_add(): return 1
        def add(os_name): return getattr(sys.modules[__name__], f"_{os_name}_add")()
        print(add("linux"))
    """

    assert dead({"a.py": text}) == {"_linux_add": "medium"}


def test_what_a_reader_of_a_test_or_an_example_may_look_at_is_not_surely_dead() -> None:
    local = "def test_a():\n    result = run()\n"
    java = "class Rules { void apply() { String made = make(); } }\n"
    files = {
        "tests/test_a.py": local,
        "docs/src/Rules.java": java,
        "src/test/java/Bad.java": "class Bad {}\n",
    }

    assert {one.name: one.level for one in findings(files) if one.kind in ("local", "class")} == {
        "result": "medium",
        "made": "medium",
        "Rules": "medium",
        "Bad": "medium",
    }


def test_protected_members_are_for_subclasses_which_may_be_elsewhere() -> None:
    text = "export class Base { protected tree() { return 1 } private lost() { return 1 } }\nnew Base()\n"

    assert dead({"src/a.ts": text}) == {"Base.tree": "medium", "Base.lost": "high"}


def test_methods_of_anonymous_objects_in_kotlin_implement_what_others_call() -> None:
    text = """
        fun main() {
            walk(object : Visitor() {
                override fun visit(path: String): Int { return 1 }
            })
            fun lost() = 1
        }
    """

    assert dead({"main.kt": text}) == {"main.lost": "high"}
