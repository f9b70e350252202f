from __future__ import annotations

import os
import threading

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
    monkeypatch.setattr(module, "KEPT", 3)
    first = facts("a.py", "first = 1\n")
    for number in range(5):
        facts("a.py", f"x = {number}\n")
    assert facts("a.py", "first = 1\n") is not first
    assert len(module._kept) <= 3


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
