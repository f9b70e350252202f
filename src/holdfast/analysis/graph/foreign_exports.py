"""What the files of a project export to other languages, by name: the targets of `cross_language.py`."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property

from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.graph.resolution import Resolution
from holdfast.syntax.record import Definition, Record
from holdfast.syntax.symbols import FUNCTIONS

MODULE_MACROS = frozenset({"PYBIND11_MODULE", "NB_MODULE", "BOOST_PYTHON_MODULE"})
"""C++ macros that define a Python extension module, with its name as their first argument."""
GO_DIRECTIVE = re.compile(r"^//(go:wasmexport|go:wasmimport|export)[ \t]+(\S+)(?:[ \t]+(\S+))?")
"""A comment in Go: the directive, then the name of the exported function or the module to import from."""
JNI_PREFIX = "Java_"
"""Starts the name of each C function that implements a native method of Java."""
SCRIPT_LANGUAGES = frozenset({"javascript", "typescript", "tsx"})
_NATIVE_LANGUAGES = frozenset({"rust", "c", "cpp", "go"})


class ForeignExports:
    """The functions and modules of a project that code in another language may use."""

    def __init__(self, scan: Scan, resolution: Resolution) -> None:
        self.files = scan.files
        self.resolution = resolution
        self.functions: defaultdict[str, list[str]] = defaultdict(list)
        """The files that export a function with a symbol for the linker, by its name."""
        self.python_modules: defaultdict[str, list[str]] = defaultdict(list)
        """The files that define a Python extension module, by its name."""
        self.callers: defaultdict[str, list[str]] = defaultdict(list)
        """The files that call a function with the name of one in `functions`, by this name."""
        for path, record in scan.files.items():
            if record.language in _NATIVE_LANGUAGES:
                self._add(path, record)
        for path, record in scan.files.items():
            called = {site.callee.rpartition(".")[2] for site in record.names.calls}
            for name in called & self.functions.keys():
                self.callers[name].append(path)

    def _add(self, path: str, record: Record) -> None:
        for index, definition in enumerate(record.names.definitions):
            if definition.kind not in FUNCTIONS:
                continue
            attributes = self.attributes(path, index, definition)
            is_c_function = record.language in ("c", "cpp") and self.resolution.scope(path).has_body(index)
            if is_c_function or not attributes.isdisjoint(("no_mangle", "export_name", "wasm_bindgen")):
                self.functions[definition.name].append(path)
            if "pymodule" in attributes:
                self.python_modules[definition.name].append(path)
            elif definition.name in MODULE_MACROS:  # its first argument is among the used names
                for name in self.resolution.scope(path).used.get(index, ()):
                    self.python_modules[name].append(path)
        if record.language == "go":
            for comment in record.comments:
                directive = GO_DIRECTIVE.match(comment.text)
                if directive and directive[1] != "go:wasmimport":
                    self.functions[directive[2]].append(path)

    def attributes(self, path: str, index: int, definition: Definition) -> set[str]:
        """Return the attributes of a definition; those inside `unsafe(…)` are among the names it uses."""
        attributes = {last_part(decorator) for decorator in definition.decorators}
        if "unsafe" in attributes:
            used = self.resolution.scope(path).used.get(index, ())
            attributes.update(name for name in used if name in ("no_mangle", "export_name"))
        return attributes

    @cached_property
    def java_methods(self) -> dict[str, str]:
        """The files of Java and Kotlin methods, by their JNI names."""
        files = {}
        for path, record in self.files.items():
            if record.language not in ("java", "kotlin"):
                continue
            for item in record.names.definitions:
                if item.kind in FUNCTIONS:
                    name = ".".join(filter(None, (record.names.package, item.path)))
                    # JNI separates names with underscores, and writes those within a name as `_1`.
                    files[JNI_PREFIX + name.replace("_", "_1").replace(".", "_")] = path
        return files

    def is_foreign(self, path: str, record: Record) -> bool:
        """Return whether a file is in another language; C and C++ count as one, as do script languages."""
        languages = {self.files[path].language, record.language}
        return len(languages) == 2 and languages != {"c", "cpp"} and not languages <= SCRIPT_LANGUAGES


def last_part(name: str) -> str:
    """Return the last name of a path such as `a.b`, `a::b` or `unsafe(a)`."""
    return re.split(r"[.:(]", name.rstrip(")"))[-1]
