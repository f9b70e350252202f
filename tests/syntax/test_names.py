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


def test_imports_and_exports_stand_in_the_order_of_the_text():
    names = [f"n{number}" for number in range(40)]
    exports = "".join(f"exports.{name} = {name};\n" for name in names)
    assert list(names_of("a.js", exports).exports) == names
    imports = "; ".join(f"import {name}" for name in names)
    assert [row.alias for row in names_of("a.py", imports).imports] == names
