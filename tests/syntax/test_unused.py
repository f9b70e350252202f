"""What a file alone shows to be without use: what must be told, and what must not."""

from __future__ import annotations

import pytest

from tests.syntax.names import names_of, unused


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "try:\n    import numpy\nexcept ImportError:\n    numpy = None\n"),
        ("a.py", "if new:\n    from copy import replace\nelse:\n    def replace(): ...\n"),
        ("a.py", "class A:\n    from m import walk\n"),
        ("a.py", "def f():\n    x = g()  # NOQA\n"),
        ("a.py", "def f(out):\n    out = 1\n"),
        ("a.py", "from m import Kind\nx = cast('list[Kind]', y)\n"),
        ("a.py", "from m import null, case\nnull.x(case.y)\n"),
        ("a.py", "def f(x: dict[str, Kind]=1, y:Other=2): return x, y, f(z=1)\nfrom m import Kind, Other\n"),
        ("a.js", "import assert from 'assert'\nimport async from 'async'\nassert(async.map)\n"),
        ("a.js", "import React from 'react'\nexport const a = <p>x</p>\n"),
        ("a.ts", "import { T } from 'm'\n/** Uses {@link T}. */\nexport const a = 1\n"),
        ("a.ts", "import './polyfill'\nexport { x } from './x'\n"),
        (
            "a.js",
            "function f(a) { if (a) return 1; else g(); switch (a) { case 1: return 2; case 3: g() } }\n",
        ),
        ("A.java", "import a.b.C;\nimport a.*;\nclass A { C c; void f() { int unusedResult = c.x(); } }\n"),
        ("a.c", "void f(void) { goto in; while (1) {\nin:\n  g(); } }\n"),
        ("a.c", "#define USE(x) (x + work)\nvoid f(void) { int work = 1; USE(2); }\n"),
        ("a.c", "int f(int x) {\n  return 1;\n#ifdef X\n  g();\n#endif\n}\n"),
        ("a.rs", 'fn f() { let x = 1; println!("{x}"); #[cfg(unix)] return; g(); }\n'),
        ("a.kt", 'import a.getValue\nfun f() { val x = 1; println("$x") }\n'),
        ("a.kt", 'import a.b\nfun f() { val x = 1; check(x).b("y") }\n'),
        ("a.kt", "import a.b\nfun f() { val `in` = 1; g(`in`, 5.b) }\n"),
        ("a.kt", "import a.b\nfun f( { ) class\n"),
        ("a.rb", "def f\n  raise <<-E\n  text\n  E\nend\n"),
        ("a.swift", "func f() {\n#if A\n  return 1\n#else\n  return 2\n#endif\n}\n"),
        ("A.cs", "class A { void F() { using var x = G(); return; end: H(); } }\n"),
        ("a.php", "<?php\nfunction f(&$out) { $out = 1; $x = 2; include 'view.php'; }\n"),
        ("a.rb", "def f\n  return 1 if x\n  g\nrescue\n  h\nensure\n  i\nend\n"),
        ("a.sh", "cat <<E ||\nx\nE\nexit 1\necho y\n"),
        ("a.go", 'package a\nfunc f() error {\n\tlog.Fatalf("x")\n\treturn nil\n}\n'),
        ("a.go", 'package a\nfunc f() error {\n\tos.Exit(1)\n\tpanic("not reached")\n}\n'),
        ("A.java", "class A { int f() { System.exit(1); return 0; } }\n"),
        ("a.py", "import sys\ndef f():\n    sys.exit(1)\n    return 2\n"),
        ("a.go", "package a\nfunc f() error {\n\tos.Exit(1) // as told\n\treturn nil\n}\n"),
        ("A.java", "class A { void f() { int possiblyIgnoredError = g(); } }\n"),
        ("a.go", 'package a\nimport "a/go-yaml"\nfunc f() { return\n}\nfunc g() { x := 1; h() }\n'),
        ("a.swift", 'func f() { let x = 1; print("\\(x)") }\n'),
    ],
)
def test_what_may_be_meant_is_not_told(path, text):
    assert unused(names_of(path, text)) == []


@pytest.mark.parametrize(
    ("path", "text", "told"),
    [
        ("a.py", "try:\n    import numpy\nexcept ImportError:\n    pass\n", ("import", "numpy", 2)),
        ("a.py", "def f():\n    x = g()\n", ("variable", "x", 2)),
        ("a.js", "import assert from 'assert'\n", ("import", "assert", 1)),
        ("a.ts", "import { T } from 'm'\n// no T\nexport const a = 1\n", ("import", "T", 1)),
        ("a.js", "function f(a) { if (a) { return 1; g() } }\n", ("unreachable", "", 1)),
        ("A.java", "import a.b.C;\nclass A { }\n", ("import", "C", 1)),
        ("a.c", "void f(void) { goto out;\n g();\nout: h(); }\n", ("unreachable", "", 2)),
        ("a.c", "void f(void) { int work = 1; }\n", ("variable", "work", 1)),
        ("a.rs", "fn f() { let x = 1; return; g(); }\n", ("unreachable", "", 1)),
        ("a.kt", "import a.b\nfun f() { }\n", ("import", "b", 1)),
        ("A.cs", "class A { void F() { var x = G(); } }\n", ("variable", "x", 1)),
        ("a.php", "<?php\nfunction f() { $x = 2; }\n", ("variable", "$x", 2)),
        ("a.rb", "def f\n  return 1\n  g\nend\n", ("unreachable", "", 3)),
        ("a.sh", "f() { exit 1\n echo y\n}\n", ("unreachable", "", 2)),
        ("a.go", "package a\nfunc f() { panic(1)\n g()\n}\n", ("unreachable", "", 3)),
        ("a.swift", "func f() { let x = 1 }\n", ("variable", "x", 1)),
    ],
)
def test_what_is_without_use_is_told(path, text, told):
    assert told in unused(names_of(path, text))
