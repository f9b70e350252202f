"""Imports by file name: C and C++, Ruby, Bash."""

from __future__ import annotations

import re
from posixpath import basename, dirname

from holdfast.analysis.graph.imports.layout import below
from holdfast.analysis.graph.imports.target import UNRESOLVED, ImportResolver, Target, outside
from holdfast.syntax.record import ImportedName

_ROOTS = frozenset({"lib", "include", "inc", "src", "app"})
"""Folders that usually are on the include path."""


class IncludedFiles(ImportResolver):
    """Resolves included file names."""

    def resolve(self, path: str, imported: ImportedName) -> Target:
        """Return the file relative to this one, or the only file of the project with that path suffix."""
        written = imported.module
        language = self._layout.records[path].language
        module = written.strip("\"'<>")
        if language == "bash":
            module = re.sub(r"^.*[})\"']/|^\$\w+/", "", module)
        ending = ".rb" if language == "ruby" and not module.endswith(".rb") else ""
        beside = below(dirname(path), module + ending)
        bare = language == "ruby" and not imported.level and not module.startswith(".")
        if not written.startswith("<") and not bare and beside in self._layout.records:
            return Target((beside,), "*", "", "exact" if module == written.strip("\"'") else "likely")
        plain = "/".join(part for part in (module + ending).split("/") if part not in (".", ".."))
        found = self._layout.with_suffix(plain)
        folders = {file: file[: -len(plain) - 1] for file in found}
        rooted = [file for file, folder in folders.items() if not folder or basename(folder) in _ROOTS]
        chosen = found if len(found) == 1 and ("/" in plain or written.startswith('"')) else rooted
        if len(chosen) == 1:
            return Target((chosen[0],), "*", "", "likely")
        if written.startswith("<") or bare:
            return UNRESOLVED if chosen else outside(module.partition("/")[0] if bare else module)
        return UNRESOLVED
