"""References between languages: bindings, foreign functions, WebAssembly, type declarations.

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
from holdfast.analysis.graph.imports.layout import below
from holdfast.analysis.graph.imports.target import Certainty
from holdfast.analysis.graph.resolution import Resolution
from holdfast.syntax.record import Definition, Record
from holdfast.syntax.symbols import FUNCTIONS

ReferenceType = Literal["WasmBinding", "FfiCall", "PythonBinding", "TypeDefinition"]


class CrossReference(NamedTuple):
    """A place where code uses, or is exported to, another language."""

    source_file: str
    line: int
    text: str
    reference_type: ReferenceType
    target_file: str | None
    confidence: Certainty


def _by_name(**names: str) -> Mapping[str, ReferenceType]:
    kinds: tuple[ReferenceType, ...] = get_args(ReferenceType)
    return MappingProxyType({name: kind for kind in kinds for name in names.get(kind, "").split()})


_ATTRIBUTES = _by_name(
    PythonBinding="pymodule pyfunction pyclass pymethods",
    WasmBinding="wasm_bindgen JSExport JSImport",
    FfiCall="no_mangle export_name napi UnmanagedCallersOnly DllImport LibraryImport",
)
"""Attributes of Rust and C# that export code to, or import it from, another language."""
_CALLS = _by_name(
    FfiCall="CDLL WinDLL OleDLL PyDLL LoadLibrary dlopen loadLibrary",
    WasmBinding="instantiateStreaming instantiate",
)
_CALL_OWNERS = frozenset(
    {"ctypes", "cdll", "windll", "ffi", "System", "WebAssembly", "Native", "FFI", "process"}
)
"""The objects of such calls, to exclude unrelated functions with the same name."""
_MODULE_MACROS = frozenset({"PYBIND11_MODULE", "NB_MODULE", "BOOST_PYTHON_MODULE"})
_MACROS = _by_name(
    PythonBinding=" ".join((*_MODULE_MACROS, "PyModule_Create", "PyModuleDef_Init")),
    WasmBinding="EMSCRIPTEN_KEEPALIVE EMSCRIPTEN_BINDINGS",
    FfiCall="NAPI_MODULE NODE_API_MODULE NODE_MODULE",
)
_DIRECTIVE = re.compile(r"^//(go:wasmexport|go:wasmimport|export)[ \t]+(\S+)(?:[ \t]+(\S+))?")
_INCLUDED = re.compile(r'#[ \t]*include[ \t]+"([^"\n]+)"')
_JNI = "Java_"
_MAX_USERS = 5
"""How many callers of one exported definition are listed; a judgement."""
_NATIVE_PACKAGES = frozenset(
    {"ffi-napi", "node-gyp-build", "bindings", "koffi", "node-addon-api", "node:ffi", "bun:ffi"}
)
_SCRIPT_ENDS = (".js", ".jsx", ".mjs", ".cjs")
_NATIVE = frozenset({"rust", "c", "cpp", "go"})
_SCRIPTS = frozenset({"javascript", "typescript", "tsx"})


def cross_language_references(scan: Scan, resolution: Resolution) -> list[CrossReference]:
    """Return the references between the languages of a project, by file and line."""
    finder = _ReferenceFinder(scan, resolution)
    found = {item for path, record in scan.files.items() for item in finder.references(path, record)}
    return sorted(found, key=lambda item: (item.source_file, item.line, item.text, item.target_file or ""))


class _ReferenceFinder:
    """Indexes what the files of a project export to other languages, and finds its users."""

    def __init__(self, scan: Scan, resolution: Resolution) -> None:
        self._files = scan.files
        self._resolution = resolution
        self._linked: dict[str, list[str]] = defaultdict(list)
        self._modules: dict[str, list[str]] = defaultdict(list)
        self._callers: dict[str, list[str]] = defaultdict(list)
        for path, record in scan.files.items():
            if record.language in _NATIVE:
                self._add_exports(path, record)
        for path, record in scan.files.items() if self._linked else ():
            for name in {site.callee.rpartition(".")[2] for site in record.names.calls}:
                if name in self._linked:
                    self._callers[name].append(path)

    def _add_exports(self, path: str, record: Record) -> None:
        for index, definition in enumerate(record.names.definitions):
            if definition.kind not in FUNCTIONS:
                continue
            marks = self._marks(path, index, definition)
            written_in_c = record.language in ("c", "cpp") and self._resolution.scope(path).has_body(index)
            if written_in_c or not marks.isdisjoint(("no_mangle", "export_name", "wasm_bindgen")):
                self._linked[definition.name].append(path)
            if "pymodule" in marks:
                self._modules[definition.name].append(path)
            elif definition.name in _MODULE_MACROS:  # its first argument is among the used names
                for name in self._resolution.scope(path).used.get(index, ()):
                    self._modules[name].append(path)
        for comment in record.comments if record.language == "go" else ():
            if found := _DIRECTIVE.match(comment.text):
                self._linked[found[2]].append(path)

    def _marks(self, path: str, index: int, definition: Definition) -> set[str]:
        """Return the attributes of a definition; those inside `unsafe(…)` are among the names it uses."""
        marks = {_last(decorator) for decorator in definition.decorators}
        if "unsafe" in marks:
            used = self._resolution.scope(path).used.get(index, ())
            marks.update(name for name in used if name in ("no_mangle", "export_name"))
        return marks

    def references(self, path: str, record: Record) -> Iterator[CrossReference]:
        """Yield the references in a file."""
        language = record.language
        if language in ("rust", "csharp"):
            yield from self._attributes(path, record)
        if language in ("rust", "c", "cpp"):
            yield from self._declared(path, record)
        if language in ("c", "cpp"):
            yield from self._macros(path, record)
        elif language == "go":
            yield from self._go(path, record)
        elif language == "python":
            yield from self._python(path, record)
        elif language in _SCRIPTS:
            yield from self._scripts(path, record)
        yield from self._loads(path, record)

    def _attributes(self, path: str, record: Record) -> Iterator[CrossReference]:
        """Yield definitions in Rust and C# that attributes export or import."""
        for index, definition in enumerate(record.names.definitions):
            for mark in sorted(self._marks(path, index, definition)):
                kind = _ATTRIBUTES.get(mark)
                if kind is None:
                    continue
                text = f"{mark} {definition.name}"
                callers = self._callers.get(definition.name, ())
                users = [user for user in callers if self._is_foreign(user, record)]
                for user in users[:_MAX_USERS]:
                    yield CrossReference(path, definition.line, text, kind, user, "likely")
                if not users:
                    yield CrossReference(path, definition.line, text, kind, None, "exact")

    def _declared(self, path: str, record: Record) -> Iterator[CrossReference]:
        """Yield functions that are declared here and defined in another language."""
        for index, definition in enumerate(record.names.definitions):
            if definition.kind not in FUNCTIONS or self._resolution.scope(path).has_body(index):
                continue
            around = definition.container
            alone = around < 0 or record.names.definitions[around].kind != "Interface"
            for other in self._linked.get(definition.name, ()) if alone else ():
                if self._is_foreign(other, record):
                    yield CrossReference(path, definition.line, definition.name, "FfiCall", other, "exact")

    def _macros(self, path: str, record: Record) -> Iterator[CrossReference]:
        """Yield macros in C and C++ that export code, and implementations of Java native methods (JNI)."""
        for site in record.names.calls:
            if kind := _MACROS.get(site.callee):
                yield CrossReference(path, site.line, site.callee, kind, None, "exact")
        for definition in record.names.definitions:
            if kind := _MACROS.get(definition.name):
                yield CrossReference(path, definition.line, definition.name, kind, None, "exact")
            elif definition.name.startswith(_JNI):
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
        found = {}
        for path, record in self._files.items():
            for item in record.names.definitions if record.language in ("java", "kotlin") else ():
                if item.kind in FUNCTIONS:
                    name = ".".join(filter(None, (record.names.package, item.path)))
                    found[_JNI + name.replace("_", "_1").replace(".", "_")] = path
        return found

    def _go(self, path: str, record: Record) -> Iterator[CrossReference]:
        """Yield cgo imports and exports in Go."""
        if any(imported.module == "C" for imported in record.names.imports):
            line = next(imported.line for imported in record.names.imports if imported.module == "C")
            headers = [(item, name) for item in record.comments for name in _INCLUDED.findall(item.text)]
            for comment, header in headers:
                target = below(dirname(path), header)
                known = target if target in self._files else None
                yield CrossReference(path, comment.line, f'#include "{header}"', "FfiCall", known, "exact")
            yield CrossReference(path, line, 'import "C"', "FfiCall", None, "exact")
        for comment in record.comments:
            if found := _DIRECTIVE.match(comment.text):
                kind: ReferenceType = "FfiCall" if found[1] == "export" else "WasmBinding"
                yield CrossReference(path, comment.line, found[0], kind, None, "exact")

    def _python(self, path: str, record: Record) -> Iterator[CrossReference]:
        """Yield Python imports of extension modules written in another language."""
        for imported in record.names.imports:
            for name in {_last(imported.module), imported.name} if self._modules else ():
                if name in self._modules and not self._resolution.target(path, imported).files:
                    text = f"import {name}"
                    for target in self._modules[name]:
                        yield CrossReference(path, imported.line, text, "PythonBinding", target, "likely")

    def _scripts(self, path: str, record: Record) -> Iterator[CrossReference]:
        """Yield WebAssembly and native modules, and type declarations for a JavaScript file."""
        for imported in record.names.imports:
            module = imported.module.partition("?")[0]
            if module.endswith(".wasm"):
                yield CrossReference(path, imported.line, module, "WasmBinding", None, "exact")
            elif module.endswith(".node") or module in _NATIVE_PACKAGES:
                yield CrossReference(path, imported.line, module, "FfiCall", None, "exact")
        if path.endswith(".d.ts"):
            script = next((path[:-5] + end for end in _SCRIPT_ENDS if path[:-5] + end in self._files), None)
            if script is not None:
                yield CrossReference(path, 1, path.rpartition("/")[2], "TypeDefinition", script, "exact")

    def _loads(self, path: str, record: Record) -> Iterator[CrossReference]:
        """Yield calls that load a library, with the files whose functions are used."""
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
            linked = {other for name in used for other in self._linked.get(name, ())}
            targets = [other for other in sorted(linked) if self._is_foreign(other, record)]
            for target in targets:
                yield CrossReference(path, site.line, site.callee, kind, target, "likely")
            if not targets:
                yield CrossReference(path, site.line, site.callee, kind, None, "exact")

    def _is_foreign(self, path: str, record: Record) -> bool:
        """Return whether a file is in another language; C and C++ count as one, as do scripts."""
        languages = {self._files[path].language, record.language}
        return len(languages) == 2 and languages != {"c", "cpp"} and not languages <= _SCRIPTS


def _last(name: str) -> str:
    """Return the last part of a name joined by dots or colons."""
    return re.split(r"[.:(]", name.rstrip(")"))[-1]
