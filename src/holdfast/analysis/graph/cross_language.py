"""References between languages: bindings, foreign functions, WebAssembly, type declarations.

For example, a Rust function with `#[no_mangle]` and a Python module that calls it through `ctypes` are both
references; the latter has the Rust file as its target.

Contract: every reference has evidence in the record of a file: an attribute, an import, a call, a compiler
directive in a comment, or a linker symbol. Its target is a file if a definition or file of that name exists,
else None.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from posixpath import dirname
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.graph.imports.layout import join_path
from holdfast.analysis.graph.imports.target import Certainty
from holdfast.analysis.graph.resolution import Resolution
from holdfast.syntax.record import Definition, Record
from holdfast.syntax.symbols import FUNCTIONS

ReferenceType = Literal["WasmBinding", "FfiCall", "PythonBinding", "TypeDefinition"]


class CrossReference(NamedTuple):
    """A place where code refers to another language, or is exported to one."""

    source_file: str
    line: int
    text: str
    reference_type: ReferenceType
    target_file: str | None
    confidence: Certainty


def _types_by_name(**names: str) -> Mapping[str, ReferenceType]:
    """Return the type of reference for each name, given the names of each type."""
    kinds: tuple[ReferenceType, ...] = get_args(ReferenceType)
    return MappingProxyType({name: kind for kind in kinds for name in names.get(kind, "").split()})


_ATTRIBUTES = _types_by_name(
    PythonBinding="pymodule pyfunction pyclass pymethods",
    WasmBinding="wasm_bindgen JSExport JSImport",
    FfiCall="no_mangle export_name napi UnmanagedCallersOnly DllImport LibraryImport",
)
"""Attributes of Rust and C# that export code to, or import it from, another language."""
_CALLS = _types_by_name(
    FfiCall="CDLL WinDLL OleDLL PyDLL LoadLibrary dlopen loadLibrary",
    WasmBinding="instantiateStreaming instantiate",
)
"""Functions that load a library."""
_CALL_OWNERS = frozenset(
    {"ctypes", "cdll", "windll", "ffi", "System", "WebAssembly", "Native", "FFI", "process"}
)
"""The objects of these calls, to exclude unrelated functions with the same name."""
_MODULE_MACROS = frozenset({"PYBIND11_MODULE", "NB_MODULE", "BOOST_PYTHON_MODULE"})
_MACROS = _types_by_name(
    PythonBinding=" ".join((*_MODULE_MACROS, "PyModule_Create", "PyModuleDef_Init")),
    WasmBinding="EMSCRIPTEN_KEEPALIVE EMSCRIPTEN_BINDINGS",
    FfiCall="NAPI_MODULE NODE_API_MODULE NODE_MODULE",
)
_GO_DIRECTIVE = re.compile(r"^//(go:wasmexport|go:wasmimport|export)[ \t]+(\S+)(?:[ \t]+(\S+))?")
_INCLUDED = re.compile(r'#[ \t]*include[ \t]+"([^"\n]+)"')
_JNI_PREFIX = "Java_"
_MAX_CALLERS_LISTED = 5
"""Files that call one exported definition: a judgement. A name in more files is hardly specific to it."""
_NATIVE_PACKAGES = frozenset(
    {"ffi-napi", "node-gyp-build", "bindings", "koffi", "node-addon-api", "node:ffi", "bun:ffi"}
)
"""JavaScript packages that load native code."""
_SCRIPT_EXTENSIONS = (".js", ".jsx", ".mjs", ".cjs")
_NATIVE_LANGUAGES = frozenset({"rust", "c", "cpp", "go"})
_SCRIPT_LANGUAGES = frozenset({"javascript", "typescript", "tsx"})


def cross_language_references(scan: Scan, resolution: Resolution) -> list[CrossReference]:
    """Return the references between the languages of a project, by file and line."""
    finder = _ReferenceFinder(scan, resolution)
    found = {item for path, record in scan.files.items() for item in finder.references(path, record)}
    return sorted(found, key=lambda item: (item.source_file, item.line, item.text, item.target_file or ""))


class _ReferenceFinder:
    """Indexes what files export to other languages, and finds the references between languages."""

    def __init__(self, scan: Scan, resolution: Resolution) -> None:
        self._files = scan.files
        self._resolution = resolution
        self._linkable: dict[str, list[str]] = defaultdict(list)
        """The files that export a function to other languages, by its name."""
        self._modules: dict[str, list[str]] = defaultdict(list)
        """The files that define a Python extension module, by its name."""
        self._callers: dict[str, list[str]] = defaultdict(list)
        """The files that call a function with the name of an exported one."""
        for path, record in scan.files.items():
            if record.language in _NATIVE_LANGUAGES:
                self._add_exports(path, record)
        for path, record in scan.files.items():
            called = {site.callee.rpartition(".")[2] for site in record.names.calls}
            for name in called & self._linkable.keys():
                self._callers[name].append(path)

    def _add_exports(self, path: str, record: Record) -> None:
        for index, definition in enumerate(record.names.definitions):
            if definition.kind not in FUNCTIONS:
                continue
            attributes = self._attributes(path, index, definition)
            written_in_c = record.language in ("c", "cpp") and self._resolution.scope(path).has_body(index)
            if written_in_c or not attributes.isdisjoint(("no_mangle", "export_name", "wasm_bindgen")):
                self._linkable[definition.name].append(path)
            if "pymodule" in attributes:
                self._modules[definition.name].append(path)
            elif definition.name in _MODULE_MACROS:  # its first argument is among the used names
                for name in self._resolution.scope(path).used.get(index, ()):
                    self._modules[name].append(path)
        if record.language == "go":
            for comment in record.comments:
                if directive := _GO_DIRECTIVE.match(comment.text):
                    self._linkable[directive[2]].append(path)

    def _attributes(self, path: str, index: int, definition: Definition) -> set[str]:
        """Return the attributes of a definition; those inside `unsafe(…)` are among the names it uses."""
        attributes = {_last_part(decorator) for decorator in definition.decorators}
        if "unsafe" in attributes:
            used = self._resolution.scope(path).used.get(index, ())
            attributes.update(name for name in used if name in ("no_mangle", "export_name"))
        return attributes

    def references(self, path: str, record: Record) -> Iterator[CrossReference]:
        language = record.language
        if language in ("rust", "csharp"):
            yield from self._attribute_references(path, record)
        if language in ("rust", "c", "cpp"):
            yield from self._foreign_declarations(path, record)
        if language in ("c", "cpp"):
            yield from self._macro_references(path, record)
        elif language == "go":
            yield from self._go_references(path, record)
        elif language == "python":
            yield from self._python_references(path, record)
        elif language in _SCRIPT_LANGUAGES:
            yield from self._script_references(path, record)
        yield from self._library_loads(path, record)

    def _attribute_references(self, path: str, record: Record) -> Iterator[CrossReference]:
        """Yield definitions in Rust and C# that attributes export or import."""
        for index, definition in enumerate(record.names.definitions):
            for attribute in sorted(self._attributes(path, index, definition)):
                kind = _ATTRIBUTES.get(attribute)
                if kind is None:
                    continue
                text = f"{attribute} {definition.name}"
                callers = self._callers.get(definition.name, ())
                foreign_callers = [caller for caller in callers if self._is_foreign(caller, record)]
                for caller in foreign_callers[:_MAX_CALLERS_LISTED]:
                    yield CrossReference(path, definition.line, text, kind, caller, "likely")
                if not foreign_callers:
                    yield CrossReference(path, definition.line, text, kind, None, "exact")

    def _foreign_declarations(self, path: str, record: Record) -> Iterator[CrossReference]:
        """Yield functions that are declared here and defined in another language."""
        for index, definition in enumerate(record.names.definitions):
            if definition.kind not in FUNCTIONS or self._resolution.scope(path).has_body(index):
                continue
            container = definition.container
            if container >= 0 and record.names.definitions[container].kind == "Interface":
                continue  # its implementations define it
            for other in self._linkable.get(definition.name, ()):
                if self._is_foreign(other, record):
                    yield CrossReference(path, definition.line, definition.name, "FfiCall", other, "exact")

    def _macro_references(self, path: str, record: Record) -> Iterator[CrossReference]:
        """Yield macros in C and C++ that export code, and implementations of Java native methods (JNI)."""
        for site in record.names.calls:
            if kind := _MACROS.get(site.callee):
                yield CrossReference(path, site.line, site.callee, kind, None, "exact")
        for definition in record.names.definitions:
            if kind := _MACROS.get(definition.name):
                yield CrossReference(path, definition.line, definition.name, kind, None, "exact")
            elif definition.name.startswith(_JNI_PREFIX):
                target = self._java_methods.get(definition.name.partition("__")[0])
                confidence: Certainty = "exact" if target else "likely"
                yield CrossReference(path, definition.line, definition.name, "FfiCall", target, confidence)
        definitions = record.names.definitions
        for use in record.names.uses:
            if "EMSCRIPTEN_KEEPALIVE" in use.names:
                line = definitions[use.definition].line if use.definition >= 0 else 1
                yield CrossReference(path, line, "EMSCRIPTEN_KEEPALIVE", "WasmBinding", None, "likely")

    @cached_property
    def _java_methods(self) -> dict[str, str]:
        """The files of Java and Kotlin methods, by their JNI names."""
        files = {}
        for path, record in self._files.items():
            if record.language not in ("java", "kotlin"):
                continue
            for item in record.names.definitions:
                if item.kind in FUNCTIONS:
                    name = ".".join(filter(None, (record.names.package, item.path)))
                    files[_JNI_PREFIX + name.replace("_", "_1").replace(".", "_")] = path
        return files

    def _go_references(self, path: str, record: Record) -> Iterator[CrossReference]:
        """Yield cgo imports and exports in Go."""
        cgo_lines = [imported.line for imported in record.names.imports if imported.module == "C"]
        if cgo_lines:
            for comment in record.comments:
                for header in _INCLUDED.findall(comment.text):
                    target = join_path(dirname(path), header)
                    file = target if target in self._files else None
                    yield CrossReference(path, comment.line, f'#include "{header}"', "FfiCall", file, "exact")
            yield CrossReference(path, cgo_lines[0], 'import "C"', "FfiCall", None, "exact")
        for comment in record.comments:
            if directive := _GO_DIRECTIVE.match(comment.text):
                kind: ReferenceType = "FfiCall" if directive[1] == "export" else "WasmBinding"
                yield CrossReference(path, comment.line, directive[0], kind, None, "exact")

    def _python_references(self, path: str, record: Record) -> Iterator[CrossReference]:
        """Yield Python imports of extension modules written in another language."""
        for imported in record.names.imports:
            names = {_last_part(imported.module), imported.name} & self._modules.keys()
            if not names or self._resolution.import_target(path, imported).files:
                continue
            for name in names:
                for target in self._modules[name]:
                    text = f"import {name}"
                    yield CrossReference(path, imported.line, text, "PythonBinding", target, "likely")

    def _script_references(self, path: str, record: Record) -> Iterator[CrossReference]:
        """Yield WebAssembly and native modules, and type declarations for a JavaScript file."""
        for imported in record.names.imports:
            module = imported.module.partition("?")[0]
            if module.endswith(".wasm"):
                yield CrossReference(path, imported.line, module, "WasmBinding", None, "exact")
            elif module.endswith(".node") or module in _NATIVE_PACKAGES:
                yield CrossReference(path, imported.line, module, "FfiCall", None, "exact")
        if path.endswith(".d.ts"):
            stem = path.removesuffix(".d.ts")
            candidates = [stem + extension for extension in _SCRIPT_EXTENSIONS]
            scripts = [script for script in candidates if script in self._files]
            if scripts:
                yield CrossReference(path, 1, path.rpartition("/")[2], "TypeDefinition", scripts[0], "exact")

    def _library_loads(self, path: str, record: Record) -> Iterator[CrossReference]:
        """Yield calls that load a library, with the files whose exported functions this file uses."""
        for site in record.names.calls:
            head, _, name = site.callee.rpartition(".")
            kind = _CALLS.get(name)
            if kind is None:
                continue
            is_imported = any(
                item.alias == name and item.module in _CALL_OWNERS for item in record.names.imports
            )
            if not is_imported and _CALL_OWNERS.isdisjoint(head.split(".")):
                continue
            used = {name for use in record.names.uses for name in use.attributes}
            exporting = {file for name in used for file in self._linkable.get(name, ())}
            targets = [file for file in sorted(exporting) if self._is_foreign(file, record)]
            for target in targets:
                yield CrossReference(path, site.line, site.callee, kind, target, "likely")
            if not targets:
                yield CrossReference(path, site.line, site.callee, kind, None, "exact")

    def _is_foreign(self, path: str, record: Record) -> bool:
        """Return whether a file is in another language; C and C++ count as one, as do script languages."""
        languages = {self._files[path].language, record.language}
        return len(languages) == 2 and languages != {"c", "cpp"} and not languages <= _SCRIPT_LANGUAGES


def _last_part(name: str) -> str:
    return re.split(r"[.:(]", name.rstrip(")"))[-1]
