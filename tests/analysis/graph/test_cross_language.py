"""References between languages are found with their evidence, and not without it."""

from __future__ import annotations

import pytest

from holdfast.analysis.graph.cross_language import cross_language_references
from tests.analysis.graph.trees import scan_commit


def references(texts: dict[str, str]) -> set[tuple[str, int, str, str | None]]:
    """Return the place, the kind and the target of each reference."""
    found = cross_language_references(*scan_commit(texts))
    return {(item.source_file, item.line, item.reference_type, item.target_file) for item in found}


def test_python_reaches_a_library_of_c_through_ctypes() -> None:
    texts = {
        "native/add.c": "int add_numbers(int a, int b) { return a + b; }\n",
        "app.py": (
            "import ctypes\n"
            "\n"
            'library = ctypes.CDLL("libadd.so")\n'
            "\n"
            "def add(a, b):\n"
            "    return library.add_numbers(a, b)\n"
        ),
        "other.py": "def CDLL(name): pass\n\nCDLL('x')\n",
    }
    assert references(texts) == {("app.py", 3, "FfiCall", "native/add.c")}


def test_a_loaded_library_that_is_not_in_the_project_has_no_target() -> None:
    assert references({"a.py": 'from ctypes import CDLL\nlibc = CDLL("libc.so.6")\nlibc.puts(b"x")\n'}) == {
        ("a.py", 2, "FfiCall", None)
    }


def test_python_imports_a_module_that_rust_writes() -> None:
    texts = {
        "src/lib.rs": """
            #[pyfunction]
            fn shout(text: &str) -> String { text.to_uppercase() }
            #[pymodule]
            fn _native(m: &Bound<PyModule>) -> PyResult<()> { Ok(()) }
        """,
        "py/kit/__init__.py": "from ._native import shout\nimport json\n",
    }
    assert references(texts) == {
        ("src/lib.rs", 3, "PythonBinding", None),
        ("src/lib.rs", 5, "PythonBinding", None),
        ("py/kit/__init__.py", 1, "PythonBinding", "src/lib.rs"),
    }


def test_a_module_of_pybind11_is_found_from_both_sides() -> None:
    texts = {
        "ext/fast.cpp": (
            '#include <pybind11/pybind11.h>\nPYBIND11_MODULE(fastmath, m) { m.def("add", &add); }\n'
        ),
        "run.py": "import fastmath\n",
    }
    assert references(texts) == {
        ("ext/fast.cpp", 2, "PythonBinding", None),
        ("run.py", 1, "PythonBinding", "ext/fast.cpp"),
    }


def test_methods_of_java_are_found_where_c_writes_them() -> None:
    texts = {
        "java/a/b/My_Class.java": (
            'package a.b;\nclass My_Class { native int go(); static { System.loadLibrary("x"); } }\n'
        ),
        "jni/x.c": (
            "int Java_a_b_My_1Class_go(void *env) { return 1; }\n"
            "int Java_a_b_Gone_go(void *env) { return 1; }\n"
        ),
    }
    assert references(texts) == {
        ("java/a/b/My_Class.java", 2, "FfiCall", None),
        ("jni/x.c", 1, "FfiCall", "java/a/b/My_Class.java"),
        ("jni/x.c", 2, "FfiCall", None),
    }


def test_rust_and_c_find_each_other_by_the_names_that_a_linker_would_look_for() -> None:
    texts = {
        "src/lib.rs": """
            #[no_mangle]
            pub extern "C" fn kit_start() {}
            #[unsafe(no_mangle)]
            pub extern "C" fn kit_stop() {}
            extern "C" { fn c_helper(x: i32) -> i32; }
            trait T { fn c_other(&self); }
        """,
        "c/kit.h": "void kit_start(void);\nvoid unrelated(void);\n",
        "c/main.c": (
            "int c_helper(int x) { return x; }\n"
            "int c_other(int x) { return x; }\n"
            "void run(void) { kit_stop(); }\n"
        ),
    }
    assert references(texts) == {
        ("src/lib.rs", 3, "FfiCall", None),
        ("src/lib.rs", 5, "FfiCall", "c/main.c"),
        ("src/lib.rs", 6, "FfiCall", "c/main.c"),
        ("c/kit.h", 1, "FfiCall", "src/lib.rs"),
    }


def test_go_takes_from_c_and_offers_to_it() -> None:
    texts = {
        "a.go": (
            "package main\n"
            "\n"
            '// #include "kit.h"\n'
            'import "C"\n'
            "\n"
            "//export Offered\n"
            "func Offered() {}\n"
            "\n"
            "// export is a word\n"
        ),
        "kit.h": "int kit(void);\n",
    }
    assert references(texts) == {
        ("a.go", 3, "FfiCall", "kit.h"),
        ("a.go", 4, "FfiCall", None),
        ("a.go", 6, "FfiCall", None),
    }


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("a.rs", "#[wasm_bindgen]\npub fn greet() {}\n", 2),
        ("a.go", "package main\n\n//go:wasmexport add\nfunc add(a, b int32) int32 { return a + b }\n", 3),
        ("a.c", "EMSCRIPTEN_KEEPALIVE int add(int a, int b) { return a + b; }\n", 1),
        ("a.ts", 'import wasm from "./pkg/kit_bg.wasm";\n', 1),
        ("a.js", "async function load(bytes) { return WebAssembly.instantiate(bytes); }\n", 1),
    ],
)
def test_exports_to_webassembly_and_their_loading_are_found(path: str, text: str, line: int) -> None:
    assert references({path: text}) == {(path, line, "WasmBinding", None)}


def test_types_written_for_a_script_name_it() -> None:
    texts = {
        "lib/a.js": "export function f() {}\n",
        "lib/a.d.ts": "export function f(): void;\n",
        "lib/b.d.ts": "",
    }
    assert references(texts) == {("lib/a.d.ts", 1, "TypeDefinition", "lib/a.js")}


def test_code_of_one_language_has_no_references_to_others() -> None:
    assert (
        references({"a.py": "import os\nos.open('x', 0)\n", "b.c": "int add(int a) { return a; }\n"}) == set()
    )


def test_a_module_that_go_imports_is_not_exported_by_go() -> None:
    texts = {
        "clock.go": "package main\n\n//go:wasmimport env now\nfunc now() int64\n",
        "c/env.h": "void env(void);\n",
    }
    assert references(texts) == {("clock.go", 3, "WasmBinding", None)}
