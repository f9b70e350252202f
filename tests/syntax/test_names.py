"""The names of every language on a source written for the purpose.

Beside each sample stands what is expected of it, a line for each row, made from the output and read through.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.syntax.languages import LANGUAGES, language_of
from holdfast.syntax.record import read_record
from tests.syntax.names import described, names_of

SAMPLES = sorted(
    path for path in (Path(__file__).parent / "names_samples").iterdir() if path.suffix != ".expected"
)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_names_are_those_expected(path):
    record = read_record(path.name, path.read_bytes())
    expected = path.with_name(path.name + ".expected").read_text(encoding="utf-8").splitlines()
    assert described(record.names) == expected
    assert record.syntax_error is None


def test_every_language_has_a_sample_of_its_names():
    others = {language_of(path.name).name for path in SAMPLES}
    assert {language.name for language in LANGUAGES} - others == {
        "python"
    }  # has a module of tests of its own


@pytest.mark.parametrize(
    ("path", "text", "names", "members"),
    [
        ("a.js", 'f("a\\nb".x, c.$el, ...rest, `${d}`)\n', {"f", "c", "rest", "d"}, {"x", "$el"}),
        ("a.rb", "x if !@ready && !done? && a != b\n", {"x", "done?", "a", "b"}, set()),
        ("a.rs", 'const A: u8 = g("\\n".len(), b\'x\', 0..n, r"raw");\n', {"u8", "g", "n"}, {"len"}),
        ("A.cs", '\ufeffclass A { int b = f("\\n", $"{c:F2}"); }\n', {"int", "f", "c"}, set()),
        ("a.php", '<?php f("$x {$y->z}\\n", self::$all);\n', {"f", "$x", "$y", "self"}, {"z", "all"}),
        ("a.kt", "val a = check(b).c(5.d)\n", {"check", "b"}, {"c", "d"}),
        ("a.go", "package p\nvar a = b.\n\tC(d[1:e])\n", {"b", "d", "e"}, {"C"}),
        ("a.sh", 'run "$one" "${two:-3}" four-five\n', {"run", "one", "two", "four-five"}, set()),
    ],
)
def test_names_are_told_from_what_stands_around_them(path, text, names, members):
    uses = names_of(path, text).uses
    assert {name for row in uses for name in row.names} == names
    assert {name for row in uses for name in row.attributes} == members


@pytest.mark.parametrize(
    ("path", "text", "definitions"),
    [
        ("A.java", "class A { int alpha, beta[] = f(); }\n", {"A", "A.alpha", "A.beta"}),
        ("I.java", "interface I { int X = 1, Y = 2; }\n", {"I", "I.X", "I.Y"}),
        ("A.cs", "class A { int alpha, beta; event E c, d; }\n", {"A", "A.alpha", "A.beta", "A.c", "A.d"}),
        ("a.c", "int alpha, *beta = 0;\nvoid f(void) { int a, b; }\n", {"alpha", "beta", "f"}),
        ("b.c", "int f(int), g;\nstruct S { int a, *b; } s, t;\n", {"f", "g", "S", "S.a", "S.b", "s", "t"}),
        ("c.c", "typedef struct S { int a; } T, *P;\n", {"S", "S.a", "T", "P"}),
        ("a.cpp", "class S { int a, *b; };\nint alpha, beta;\n", {"S", "S.a", "S.b", "alpha", "beta"}),
        ("a.go", "package p\nvar alpha, beta int\nconst X, Y = 1, 2\n", {"alpha", "beta", "X", "Y"}),
        ("b.go", "package p\ntype P struct { X, Y int }\n", {"P", "P.X", "P.Y"}),
        ("a.py", "alpha, beta = 1, 2\nalpha2 = beta2 = 3\n", {"alpha", "beta", "alpha2", "beta2"}),
        ("b.py", "(a, [b, *c]), self.d, e[0] = f = x\n", {"a", "b", "c", "f"}),
        ("c.py", "class K:\n    x, y = 1, 2\n    z = w = 3\n", {"K", "K.x", "K.y", "K.z", "K.w"}),
        ("d.py", "p = q = lambda: 1\ndef f():\n    a = b = c, d = 1, 2\n", {"p", "q", "f"}),
        ("a.php", "<?php class A { public $a, $b = 1; }\n", {"A", "A.$a", "A.$b"}),
        ("a.swift", "let a = 1, b = 2\nlet (c, d) = pair\nenum E { case x }\n", {*"abcdE", "E.x"}),
        ("a.rb", "A, B = 1, 2\nC = D = 3\n", set("ABCD")),
    ],
)  # fmt: skip
def test_a_declaration_of_several_names_defines_them_all(path, text, definitions):
    assert {row.path for row in names_of(path, text).definitions} == definitions


def test_names_of_one_declaration_share_its_modifiers_and_the_rest_belongs_to_the_code_around():
    names = names_of("A.java", "class A { @Inject private Engine alpha, beta = new Motor(); }\n")
    assert [(row.path, row.exported, row.decorators) for row in names.definitions[1:]] == [
        ("A.alpha", False, ("Inject",)),
        ("A.beta", False, ("Inject",)),
    ]
    assert {(row.definition, row.names) for row in names.uses} == {(0, ("Engine", "Inject")), (2, ("Motor",))}
    names = names_of("a.c", "static int alpha, beta;\n")
    assert [(row.path, row.exported) for row in names.definitions] == [("alpha", False), ("beta", False)]


def test_names_of_one_declaration_are_not_uses_of_each_other():
    for path, text in (("a.py", "a, b = c, [*d] = x()\n"), ("a.go", "package p\nvar a, b = x()\n")):
        assert {name for row in names_of(path, text).uses for name in row.names} == {"x"}, path


def test_imports_and_exports_stand_in_the_order_of_the_text():
    names = [f"n{number}" for number in range(40)]
    exports = "".join(f"exports.{name} = {name};\n" for name in names)
    assert list(names_of("a.js", exports).exports) == names
    imports = "; ".join(f"import {name}" for name in names)
    assert [row.alias for row in names_of("a.py", imports).imports] == names


def test_declarations_that_augment_other_files_are_uses_of_their_names():
    text = "declare global { interface Window { x: 1 } namespace J { interface K {} } }\ninterface Own {}\n"
    names = names_of("a.ts", text)
    used_names = {(row.definition, name) for row in names.uses for name in row.names}
    paths = [row.path for row in names.definitions]
    assert (-1, "Window") in used_names
    assert (paths.index("J"), "K") in used_names
    assert "Own" not in {name for _, name in used_names}
    names = names_of("a.ts", 'declare module "vue" { interface Comp { y: 1 } }\n')
    assert (0, "Comp") in {(row.definition, name) for row in names.uses for name in row.names}


def test_a_module_may_be_exported_under_a_reserved_or_quoted_name():
    names = names_of("a.js", "export * as default from 'x'\nexport * as 'a b' from 'y'\n")
    assert [(row.module, row.name, row.alias) for row in names.imports] == [
        ("x", "*", "default"),
        ("y", "*", "a b"),
    ]
