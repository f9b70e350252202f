"""Imports by file name: C and C++, Ruby, Bash."""

from __future__ import annotations

import re
from posixpath import basename, dirname

from holdfast.analysis.graph.imports.layout import join_path
from holdfast.analysis.graph.imports.target import UNRESOLVED, ImportResolver, Target, external_target
from holdfast.syntax.record import ImportedName, Record

_INCLUDE_FOLDERS = frozenset({"lib", "include", "inc", "src", "app"})
"""Names of folders that are usually on the include path."""


class IncludedFiles(ImportResolver):
    """Resolves included file names."""

    def interface(self, _path: str, _record: Record, /) -> object:
        """Return nothing: only the paths of files and settings matter."""

    def resolve(self, path: str, imported: ImportedName) -> Target:
        """Return the file relative to this one, or the only file of the project with that path suffix."""
        written = imported.module  # with its quotes or angle brackets
        is_system = written.startswith("<")
        language = self._layout.records[path].language
        module = written.strip("\"'<>")
        if language == "bash":
            module = re.sub(r"^.*[})\"']/|^\$\w+/", "", module)  # "$(dirname "$0")/lib.sh", $HERE/lib.sh
        file_name = module
        if language == "ruby" and not module.endswith(".rb"):
            file_name += ".rb"
        is_gem = language == "ruby" and not imported.level and not module.startswith(".")

        relative = join_path(dirname(path), file_name)
        if not is_system and not is_gem and relative in self._layout.records:
            is_literal = module == written.strip("\"'")
            return Target((relative,), "*", certainty="exact" if is_literal else "likely")

        candidates = self._on_include_path(file_name, is_quoted=written.startswith('"'))
        if len(candidates) == 1:
            return Target((candidates[0],), "*", certainty="likely")
        if candidates:
            return UNRESOLVED
        if is_gem:
            return external_target(module.partition("/")[0])
        return external_target(module) if is_system else UNRESOLVED

    def _on_include_path(self, file_name: str, *, is_quoted: bool) -> list[str]:
        """Return the files that a name may mean if the usual folders are on the include path."""
        suffix = "/".join(part for part in file_name.split("/") if part not in (".", ".."))
        files = self._layout.with_suffix(suffix)
        if len(files) == 1 and ("/" in suffix or is_quoted):
            return files
        folders = {file: file[: -len(suffix) - 1] for file in files}
        return [
            file for file, folder in folders.items() if not folder or basename(folder) in _INCLUDE_FOLDERS
        ]
