from __future__ import annotations

import gc
import os
import threading
import weakref

import pytest

from holdfast.syntax import facts as module
from holdfast.syntax.facts import facts


def test_the_same_text_is_read_once_and_another_again():
    text = f"def f():\n    return {os.getpid()}\n"
    assert facts("a.py", text) is facts("b/c.py", text)
    assert facts("a.py", text) is not facts("a.py", text + "\n")
    assert [symbol.name for symbol in facts("a.py", text).symbols] == ["f"]


def test_the_same_text_in_another_language_is_another_fact():
    text = "class A {}\n"
    assert facts("a.java", text).language is not facts("a.ts", text).language


def test_a_file_in_no_known_language_has_no_facts():
    assert facts("notes.txt", "def f(): pass\n").symbols == ()
    assert facts("notes.txt", "").language is None


def test_a_refused_text_says_why():
    refused = facts("a.py", "x" * 5_000_001)
    assert refused.symbols == ()
    assert "5000001 characters" in refused.skipped


def test_what_is_kept_is_bounded(monkeypatch):
    monkeypatch.setattr(module, "MAX_CACHED_TEXTS", 3)
    first = facts("a.py", "first = 1\n")
    found = [weakref.ref(facts("a.py", f"x = {number}\n")) for number in range(5)]
    assert facts("a.py", "first = 1\n") is not first
    gc.collect()
    assert len([one for one in found if one() is not None]) <= 3


def test_threads_read_side_by_side():
    seen = []
    threads = [
        threading.Thread(target=lambda n=n: seen.append(facts("a.go", f"package p\n\nfunc F{n}() {{}}\n")))
        for n in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one.symbols[0].name for one in seen) == sorted(f"F{n}" for n in range(20))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("#pragma once\nint add(int, int);\n", "c"),
        ('#ifdef __cplusplus\nextern "C" {\n#endif\nvoid run(void);\n', "c"),
        ("/* the class of\n   using words */\nint using_it(void);\n", "c"),
        ("namespace a::b {\nint add(int, int);\n}\n", "cpp"),
        ("class EXPORT Point : public Base {\n public:\n  int x;\n};\n", "cpp"),
        ("template <class T>\nT twice(T value);\n", "cpp"),
        ("#include <string>\nstd::string name();\n", "cpp"),
        ("#import <Foundation/Foundation.h>\n@interface Point : NSObject\n@end\n", None),
    ],
)
def test_a_header_is_of_the_language_that_it_is_written_in(text, language):
    found = facts("include/point.h", text).language
    assert (found and found.name) == language


MACROS = (
    "TEST_BEGIN(test_hash)\n{\n\tint a = 1;\n}\nTEST_END\n\n"
    "int main(void)\n{\n\treturn test(\n\t    test_hash);\n}\n"
)
ZSH = "alias -g G='| grep'\nprint ${(U)name} ${${file/#$HOME/~}%/}\n() {\n}\n"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("hash.c", MACROS),
        ("Names.kt", "class Names {\n  companion object { fun q() {} }\n}\n"),
        ("names.zsh", ZSH),
    ],
)
def test_what_a_grammar_cannot_read_of_correct_source_is_no_fault_of_the_source(path, text):
    found = facts(path, text)
    assert found.problems, "the grammar reads it by now; another example is needed"
    assert found.syntax_error(path) is None


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "def f():\n    return 1\n\ndef g(:\n"),
        ("a.js", "function f() {}\nfunction g( {\n"),
        ("a.ts", "function f() {}\nfunction g( {\n"),
        ("a.tsx", "function f() {}\nfunction g( {\n"),
        ("A.java", "class A { void f() {} }\nclass B {\n"),
        ("a.go", "package p\n\nfunc f() {}\nfunc g( {\n"),
        ("a.rs", "fn f() {}\nfn g( {\n"),
        ("a.rb", "def f\nend\ndef g(\n"),
        ("a.php", "<?php\nfunction f() {}\nfunction g( {\n"),
        ("a.c", "int f( {\n  return 0 }\n"),
        ("a.cpp", "class A {\n  int f( {\n"),
        ("A.cs", "class A {\n  int F( { return 1 }\n"),
        ("a.kt", "fun f( {\n  return }\n"),
        ("a.sh", "f() {\n  if true; then\n}\n"),
    ],
)
def test_broken_source_is_told_in_every_language_that_can_be_judged(path, text):
    problem = facts(path, text).syntax_error(path)
    assert problem is not None
    assert problem.line >= 1


def test_a_text_that_takes_long_is_read_in_another_process(monkeypatch):
    path, text = "a.py", "def f():\n    return (\n        1)\n" + "x = [1]\n" * 100
    here = facts(path, text)
    module._cache.clear()
    monkeypatch.setattr(module, "_PROMPT_SECONDS", 0.0)
    assert facts(path, text) == here
    assert here.symbols


def test_a_text_that_takes_too_long_is_skipped():
    found = facts("a.java", "class A { " * 100_000 + "}" * 100_000)
    assert found.symbols == ()
    assert found.skipped is not None
