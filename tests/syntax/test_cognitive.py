"""Cognitive complexity by the rules of SonarSource's white paper, each with the section that says so.

Where other programs count otherwise the case says it: complexipy, gocognit and Sonar's own analysers differ
from each other. For what the paper leaves open, Python and Go follow the analysers that are used most there,
and JavaScript follows rule S3776, which takes every function for itself and leaves `||` and `??` out.
"""

from __future__ import annotations

import pytest

from holdfast.syntax.record import read_record


def cognitive(name: str, text: str) -> int:
    """Return the figure of the first function."""
    record = read_record(name, text.encode())
    assert record is not None
    return record.functions[0].cognitive


def python(body: str) -> int:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return cognitive("a.py", f"def f(a, b, c, d, e):\n{lines}")


@pytest.mark.parametrize(
    ("section", "body", "expected"),
    [
        ("B1: if, else if, else", "if a:\n    pass\nelif b:\n    pass\nelse:\n    pass", 3),
        ("B1: ternary", "return 1 if a else 2", 1),
        ("B1: for, while", "for x in a:\n    pass\nwhile b:\n    pass", 2),
        ("B1: catch", "try:\n    pass\nexcept A:\n    pass\nexcept B:\n    pass\nfinally:\n    pass", 2),
        ("Switches: one for all cases", "match a:\n    case 1:\n        pass\n    case 2:\n        pass", 1),
        ("B1: else of a loop, which complexipy leaves out", "for x in a:\n    pass\nelse:\n    pass", 2),
        ("B1: else of a loop", "while a:\n    pass\nelse:\n    if b:\n        pass", 4),
        (
            "B1: else of a try, which complexipy leaves out",
            "try:\n    pass\nexcept A:\n    pass\nelse:\n    if a:\n        pass",
            4,
        ),
        ("B1 has no comprehensions, which complexipy counts", "return [x for x in a if x]", 0),
        ("Ignore shorthand: a filter's operator still counts", "return [x for x in a if x and b]", 1),
        ("B2: nesting", "if a:\n    for x in b:\n        while c:\n            pass", 6),
        ("B2: else nests", "if a:\n    pass\nelse:\n    if b:\n        pass", 4),
        ("B2: else if nests", "if a:\n    pass\nelif b:\n    if c:\n        pass", 4),
        (
            "B2: catch nests, try and with do not",
            "try:\n    with a:\n        if b:\n            pass\nexcept A:\n    if c:\n        pass",
            4,
        ),
        ("B3: a condition is not nested in itself", "if (1 if a else 2):\n    pass", 2),
        ("B2: ternaries nest", "return 1 if a else (2 if b else 3)", 3),
        ("B2: switch nests", "match a:\n    case 1:\n        if b:\n            pass", 3),
        ("Sequences: like operators are one", "return a and b and c and d", 1),
        ("Sequences: each change is one", "return a and b and c or d or e and a", 3),
        ("Sequences: each change is one, where complexipy counts two", "return a or b and c or d", 3),
        ("Sequences: like operators in parentheses go on", "return a and (b and c)", 1),
        ("Sequences: others in parentheses are their own", "return a and (b or c) and d", 2),
        ("Sequences: negation begins anew", "return a and not (b and c)", 2),
        ("Sequences: a call begins anew, where complexipy goes on", "return a and g(b and c)", 2),
        ("Sequences: everywhere, also in arguments by name, which complexipy leaves out", "g(x=a or b)", 1),
        ("B1: everywhere, also in text, which complexipy leaves out", 'return f"{1 if a else 2}"', 1),
        ("Recursion", "return f(a - 1) + f(a - 2)", 1),
        ("B2: lambdas nest", "return lambda: 1 if a else 2", 2),
        ("B2: nested functions nest", "x = 1\ndef g():\n    if a:\n        pass\nreturn g", 2),
        (
            "B2: nested functions nest below what holds them, where complexipy counts three",
            "if a:\n    def g():\n        if b:\n            pass",
            4,
        ),
        ("A, decorators: only a function and its return", "def g():\n    if a:\n        pass\nreturn g", 1),
        (
            "A, decorators: at every level",
            "def g():\n    def h():\n        if a:\n            pass\n    return h\nreturn g",
            1,
        ),
        ("A, decorators: more than that is no decorator", "def g():\n    if a:\n        pass\nreturn g()", 2),
        (
            "A, decorators: two functions are no decorator",
            "def g():\n    if a:\n        pass\ndef h():\n    pass\nreturn g",
            2,
        ),
        (
            "A class begins anew",
            "if a:\n    class C:\n        def m(self):\n            if b:\n                pass",
            2,
        ),
    ],
)
def test_python_follows_the_white_paper(section: str, body: str, expected: int) -> None:
    assert python(body) == expected, section


def test_a_method_calls_itself_only_through_its_object() -> None:
    """Section "Recursion": complexipy takes a call of another function with the method's name for one."""
    assert cognitive("a.py", "class A:\n    def eval(self, x):\n        return eval(x)\n") == 0
    assert cognitive("a.py", "class A:\n    def walk(self, x):\n        return self.walk(x.next)\n") == 1
    assert cognitive("a.py", "class A:\n    def walk(self, x):\n        return x.walk(self)\n") == 0
    assert cognitive("a.py", 'def f():\n    """Not f() here."""\n    # nor f()\n    return "f()"\n') == 0
    assert cognitive("a.py", "def f():\n    return {'f': f}\n") == 0


@pytest.mark.parametrize(
    ("section", "body", "expected"),
    [
        ("B1: if, else if, else", "if a {\n} else if b {\n} else {\n}", 3),
        ("B2: else nests, as gocognit's rules say too", "if a {\n} else {\nif b {\n}\n}", 4),
        ("B2: else if nests", "if a {\n} else if b {\nif c {\n}\n}", 4),
        (
            "gocognit: switch, select",
            "switch a {\ncase 1:\nif b {\n}\n}\nselect {\ncase <-c:\ndefault:\n}",
            4,
        ),
        ("gocognit: type switch", "switch a.(type) {\ncase int:\nfor {\n}\n}", 3),
        ("Jumps to labels", "L:\nfor {\nfor {\ncontinue L\n}\nbreak L\n}\ngoto L", 6),
        ("Jumps: without labels they are free", "for {\nif a {\nbreak\n}\ncontinue\n}", 3),
        ("Sequences", "_ = a && b && c || d", 2),
        ("gocognit: parentheses begin a sequence", "_ = a && (b && c)", 2),
        ("Sequences: negation begins anew", "_ = a && !(b && c)", 2),
        ("gocognit: function literals nest", "g := func() {\nif a {\n}\n}\ng()", 2),
        ("gocognit: deferred ones too", "defer func() {\nif a {\nfor {\n}\n}\n}()", 5),
        ("Recursion: once for a function", "f(a - 1)\nf(a - 2)", 1),
        (
            "B3: what is before a block is not nested in it",
            "if x := func() bool { return a && b }(); x {\n}",
            2,
        ),
    ],
)
def test_go_follows_the_white_paper_and_gocognit(section: str, body: str, expected: int) -> None:
    assert cognitive("a.go", f"package p\nfunc f(a int) {{\n{body}\n}}\n") == expected, section


def test_a_method_of_go_calls_itself_through_its_receiver() -> None:
    assert cognitive("a.go", "package p\nfunc (t *T) Walk(n int) {\n\tt.Walk(n - 1)\n}\n") == 1
    assert cognitive("a.go", "package p\nfunc (t *T) Walk(n int) {\n\tWalk(n - 1)\n\tn.Walk(t)\n}\n") == 0


IN_TURN = {
    "a.py": "def even(n):\n    return not n or odd(n - 1)\ndef odd(n):\n    return n and even(n - 1)\n",
    "a.go": "package p\nfunc even(n int) { odd(n - 1) }\nfunc odd(n int) { even(n - 1) }\n",
    "a.ts": "const even = (n: number) => odd(n - 1);\nfunction odd(n: number) { return even(n - 1) }\n",
    "a.js": "const api = { even(n) { return api.odd(n) }, odd: (n) => [n].some((m) => api.even(m)) };\n",
    "A.java": "class A { int even(int n) { return odd(n); } int odd(int n) { return this.even(n); } }",
    "a.cs": "class A { bool Even(int n) { return Odd(n); } bool Odd(int n) { return this.Even(n); } }",
    "a.rs": "impl A { fn even(&self) -> bool { self.odd() }\n fn odd(&self) -> bool { Self::even(self) } }",
    "a.c": "int odd(int);\nint even(int n) { return odd(n); }\nint odd(int n) { return even(n); }\n",
    "a.cpp": "struct A { int even(int n) { return odd(n); } int odd(int n) { return this->even(n); } };",
    "a.php": "<?php class A { function even() { $this->odd(); } function odd() { self::even(); } }",
    "a.rb": "class A\n  def even(n)\n    odd(n)\n  end\n  def odd(n)\n    self.even(n)\n  end\nend\n",
    "a.kt": "fun even(n: Int): Boolean = odd(n - 1)\nfun odd(n: Int): Boolean { return even(n - 1) }\n",
    "a.swift": "func even() -> Bool { return odd() }\nfunc odd() -> Bool { return even() }\n",
    "a.sh": "even() { odd 1; }\nodd() { even 1; }\n",
}


@pytest.mark.parametrize("name", IN_TURN)
def test_functions_that_call_each_other_in_turn_are_recursive(name: str) -> None:
    """Section B1: "each method in a recursion cycle"; complexipy and gocognit know direct recursion only."""
    record = read_record(name, IN_TURN[name].encode())
    assert record is not None
    assert [row.recursive for row in record.functions] == [True, True]
    assert all(row.cognitive >= 1 for row in record.functions)


RING = "class A:\n    def a(self): {a}\n    def b(self): {b}\n    def c(self): {c}\ndef c(): A.a()\n"


@pytest.mark.parametrize(
    ("a", "b", "c", "expected"),
    [
        ("self.b()", "self.c()", "self.a()", "A.a A.b A.c"),
        ("self.b()", "self.c()", "A.b(self)", "A.b A.c"),  # what only leads to the cycle is not in it
        ("self.b()", "c()", "pass", "A.a A.b c"),  # alone it is the function, not the method
        ("self.b()", "super().a()", "pass", ""),
        ("self.b()", "self.other.a()", "pass", ""),
        ("self.b()", "return self.a", "pass", ""),  # named, not called
        ("self.b()", "self.a()\n    def b(self, again): pass", "pass", ""),  # which b is not told
    ],
)
def test_a_cycle_is_one_of_calls_whose_names_mean_functions_of_the_file(
    a: str, b: str, c: str, expected: str
) -> None:
    record = read_record("a.py", RING.format(a=a, b=b, c=c).encode())
    assert record is not None
    assert " ".join(row.name for row in record.functions if row.recursive) == expected


@pytest.mark.parametrize(
    "text",
    [
        "def f(g):\n    return g()\ndef g():\n    return f(g)\n",
        "def f(x):\n    g = x.g\n    return g()\ndef g():\n    return f(g)\n",
        "def f(g):\n    def h():\n        return g()\n    return h\ndef g():\n    return f(1)\n",
        "def f():\n    def g():\n        return 1\n    return g()\ndef g():\n    return f()\n",
        "const a = { 'f.': function () { return a['f.']() } }",  # a name without a word that could be called
    ],
)
def test_a_name_that_means_something_nearer_closes_no_cycle(text: str) -> None:
    record = read_record("a.js" if "const" in text else "a.py", text.encode())
    assert record is not None
    assert not any(row.recursive for row in record.functions)


@pytest.mark.parametrize(
    ("section", "body", "expected"),
    [
        ("B1: if, else if, else", "if (a) {} else if (b) {} else {}", 3),
        ("B1: without braces", "if (a) x(); else if (b) y(); else z();", 3),
        (
            "B1: loops",
            "for (;;) {} for (const x in a) {} for (const x of a) {} while (a) {} do {} while (b)",
            5,
        ),
        ("Switches", "switch (a) { case 1: case 2: if (b) {} default: }", 3),
        ("Catches", "try { if (a) {} } catch (e) { if (b) {} } finally { if (c) {} }", 5),
        ("B1: ternary", "return a ? (b ? 1 : 2) : 3", 3),
        ("Jumps to labels", "o: for (;;) { for (;;) { if (a) continue o; break o } }", 8),
        ("S3776: sequences of && alone", "return a && b && c || d || e && f", 2),
        ("S3776: || and ?? are free", "return a || b ?? c", 0),
        ("S3776: sequences go on in parentheses", "return a && (b && (c && d))", 1),
        ("Sequences: negation begins anew", "return a && !(b && c)", 2),
        ("S3776: functions count for themselves", "xs.map(x => { if (x) {} }); if (a) {}", 1),
        ("A, JavaScript: a function that only declares", "function g() { if (a) { if (b) {} } } return g", 0),
        ("Ignore shorthand: optional chains", "return a?.b?.c ?? d", 0),
        ("Recursion", "return f(a - 1)", 1),
    ],
)
def test_typescript_follows_the_white_paper_and_s3776(section: str, body: str, expected: int) -> None:
    assert cognitive("a.ts", f"function f(a: number) {{ {body} }}\n") == expected, section
    assert cognitive("a.js", f"function f(a) {{ {body} }}\n") == expected, section


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return a && b!.c && d", 1),
        ("return a && b! === c!.d && e!", 1),
        ("return a && b!.c || d && e!", 2),
        ("return a!.b(c && d) && e", 2),
    ],
)
def test_a_sequence_of_typescript_goes_on_after_a_value_that_is_not_null(body: str, expected: int) -> None:
    assert cognitive("a.ts", f"function f() {{ {body} }}\n") == expected, body


def test_functions_inside_functions_of_typescript_begin_without_nesting() -> None:
    record = read_record("a.ts", b"function f() { if (a) { xs.map(x => { if (x) { } else { } }) } }\n")
    assert record is not None
    assert [(row.name, row.cognitive) for row in record.functions] == [("f", 1), ("f.<anonymous>", 2)]


def test_what_decides_which_element_is_shown_is_free() -> None:
    shown = "function F() { return <p>{a && b && <B/>}{a && b || c}{a && (b ? <B/> : <C/>)}</p> }"
    assert cognitive("a.tsx", shown) == 3  # && of the second, ternary and && of the third


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.js", f"function f() {{ return {' && '.join(['a'] * 20_000)} }}"),
        ("a.go", f"package p\nfunc f() bool {{ return {' && '.join(['a'] * 20_000)} }}"),
        ("a.py", f"def f():\n    return {'(a and ' * 5_000}b{')' * 5_000}\n"),
    ],
)
def test_thousands_of_operators_are_one_sequence(name: str, text: str) -> None:
    """An expression nested thousands of levels deep is read like any other."""
    assert cognitive(name, text) == 1


@pytest.mark.parametrize(
    ("body", "expected"),
    [("return a && (b || c) || d;", 2), ("return a && (b && c);", 1), ("return a && !(b || c);", 2)],
)
def test_a_sequence_of_java_goes_on_in_parentheses_like_in_sonar(body: str, expected: int) -> None:
    assert cognitive("A.java", f"class A {{ boolean f() {{ {body} }} }}\n") == expected, body
