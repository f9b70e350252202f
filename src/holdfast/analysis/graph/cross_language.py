"""References between languages: bindings, foreign functions, WebAssembly, type declarations.

For example, a Rust function with `#[no_mangle]` and a Python module that calls it through `ctypes` are both
references; the latter has the Rust file as its target.

Contract: every reference has evidence in the record of a file: an attribute, an import, a call, a compiler
directive in a comment, or a linker symbol. Its target is a file if a definition or file of that name exists,
else None.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from posixpath import dirname
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.graph.foreign_exports import (
    GO_DIRECTIVE,
    JNI_PREFIX,
    MODULE_MACROS,
    SCRIPT_LANGUAGES,
    ForeignExports,
    last_part,
)
from holdfast.analysis.graph.imports.layout import join_path
from holdfast.analysis.graph.imports.target import Certainty
from holdfast.analysis.graph.resolution import Resolution
from holdfast.syntax.record import Record
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
_MACROS = _types_by_name(
    PythonBinding=" ".join((*MODULE_MACROS, "PyModule_Create", "PyModuleDef_Init")),
    WasmBinding="EMSCRIPTEN_KEEPALIVE EMSCRIPTEN_BINDINGS",
    FfiCall="NAPI_MODULE NODE_API_MODULE NODE_MODULE",
)
_INCLUDED = re.compile(r'#[ \t]*include[ \t]+"([^"\n]+)"')
_MAX_CALLERS_LISTED = 5
"""Files that call one exported definition: a judgement. A name in more files is hardly specific to it."""
_NATIVE_PACKAGES = frozenset(
    {"ffi-napi", "node-gyp-build", "bindings", "koffi", "node-addon-api", "node:ffi", "bun:ffi"}
)
"""JavaScript packages that load native code."""
_SCRIPT_EXTENSIONS = (".js", ".jsx", ".mjs", ".cjs")


def cross_language_references(scan: Scan, resolution: Resolution) -> list[CrossReference]:
    """Return the references between the languages of a project, by file and line."""
    exports = ForeignExports(scan, resolution)
    references = {
        reference
        for path, record in scan.files.items()
        for find in (*_SEARCHES.get(record.language, ()), _library_loads)
        for reference in find(exports, path, record)
    }
    return sorted(references, key=lambda ref: (ref.source_file, ref.line, ref.text, ref.target_file or ""))


def _attribute_references(exports: ForeignExports, path: str, record: Record) -> Iterator[CrossReference]:
    """Yield definitions in Rust and C# that attributes export or import."""
    for index, definition in enumerate(record.names.definitions):
        for attribute in sorted(exports.attributes(path, index, definition)):
            kind = _ATTRIBUTES.get(attribute)
            if kind is None:
                continue
            text = f"{attribute} {definition.name}"
            callers = exports.callers.get(definition.name, ())
            foreign_callers = [caller for caller in callers if exports.is_foreign(caller, record)]
            for caller in foreign_callers[:_MAX_CALLERS_LISTED]:
                yield CrossReference(path, definition.line, text, kind, caller, "likely")
            if not foreign_callers:
                yield CrossReference(path, definition.line, text, kind, None, "exact")


def _foreign_declarations(exports: ForeignExports, path: str, record: Record) -> Iterator[CrossReference]:
    """Yield functions that are declared here and defined in another language."""
    for index, definition in enumerate(record.names.definitions):
        if definition.kind not in FUNCTIONS or exports.resolution.scope(path).has_body(index):
            continue
        container = definition.container
        if container >= 0 and record.names.definitions[container].kind == "Interface":
            continue  # its implementations define it
        for other in exports.functions.get(definition.name, ()):
            if exports.is_foreign(other, record):
                yield CrossReference(path, definition.line, definition.name, "FfiCall", other, "exact")


def _macro_references(exports: ForeignExports, path: str, record: Record) -> Iterator[CrossReference]:
    """Yield macros in C and C++ that export code, and implementations of Java native methods (JNI)."""
    for site in record.names.calls:
        if kind := _MACROS.get(site.callee):
            yield CrossReference(path, site.line, site.callee, kind, None, "exact")
    for definition in record.names.definitions:
        if kind := _MACROS.get(definition.name):
            yield CrossReference(path, definition.line, definition.name, kind, None, "exact")
        elif definition.name.startswith(JNI_PREFIX):
            # Two underscores separate the name of an overloaded method from its signature.
            target = exports.java_methods.get(definition.name.partition("__")[0])
            confidence: Certainty = "exact" if target else "likely"
            yield CrossReference(path, definition.line, definition.name, "FfiCall", target, confidence)
    definitions = record.names.definitions
    for use in record.names.uses:
        if "EMSCRIPTEN_KEEPALIVE" in use.names:
            line = definitions[use.definition].line if use.definition >= 0 else 1
            yield CrossReference(path, line, "EMSCRIPTEN_KEEPALIVE", "WasmBinding", None, "likely")


def _go_references(exports: ForeignExports, path: str, record: Record) -> Iterator[CrossReference]:
    """Yield cgo imports and exports in Go."""
    cgo_lines = [imported.line for imported in record.names.imports if imported.module == "C"]
    if cgo_lines:
        for comment in record.comments:
            for header in _INCLUDED.findall(comment.text):
                target = join_path(dirname(path), header)
                file = target if target in exports.files else None
                yield CrossReference(path, comment.line, f'#include "{header}"', "FfiCall", file, "exact")
        yield CrossReference(path, cgo_lines[0], 'import "C"', "FfiCall", None, "exact")
    for comment in record.comments:
        if directive := GO_DIRECTIVE.match(comment.text):
            kind: ReferenceType = "FfiCall" if directive[1] == "export" else "WasmBinding"
            yield CrossReference(path, comment.line, directive[0], kind, None, "exact")


def _python_references(exports: ForeignExports, path: str, record: Record) -> Iterator[CrossReference]:
    """Yield Python imports of extension modules written in another language."""
    for imported in record.names.imports:
        names = {last_part(imported.module), imported.name} & exports.python_modules.keys()
        if not names or exports.resolution.imports.target(path, imported).files:
            continue
        for name in names:
            for target in exports.python_modules[name]:
                text = f"import {name}"
                yield CrossReference(path, imported.line, text, "PythonBinding", target, "likely")


def _script_references(exports: ForeignExports, path: str, record: Record) -> Iterator[CrossReference]:
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
        scripts = [script for script in candidates if script in exports.files]
        if scripts:
            yield CrossReference(path, 1, path.rpartition("/")[2], "TypeDefinition", scripts[0], "exact")


def _library_loads(exports: ForeignExports, path: str, record: Record) -> Iterator[CrossReference]:
    """Yield calls that load a library, with the files whose exported functions this file uses."""
    for site in record.names.calls:
        head, _, name = site.callee.rpartition(".")
        kind = _CALLS.get(name)
        if kind is None:
            continue
        is_imported = any(item.alias == name and item.module in _CALL_OWNERS for item in record.names.imports)
        if not is_imported and _CALL_OWNERS.isdisjoint(head.split(".")):
            continue
        used = {name for use in record.names.uses for name in use.attributes}
        exporting = {file for name in used for file in exports.functions.get(name, ())}
        targets = [file for file in sorted(exporting) if exports.is_foreign(file, record)]
        for target in targets:
            yield CrossReference(path, site.line, site.callee, kind, target, "likely")
        if not targets:
            yield CrossReference(path, site.line, site.callee, kind, None, "exact")


_SEARCHES: Mapping[str, tuple[Callable[[ForeignExports, str, Record], Iterator[CrossReference]], ...]] = {
    "rust": (_attribute_references, _foreign_declarations),
    "csharp": (_attribute_references,),
    "c": (_foreign_declarations, _macro_references),
    "cpp": (_foreign_declarations, _macro_references),
    "go": (_go_references,),
    "python": (_python_references,),
    **dict.fromkeys(SCRIPT_LANGUAGES, (_script_references,)),
}
"""The searches in each language, apart from `_library_loads`, which concerns all."""
