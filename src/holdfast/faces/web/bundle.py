"""Bundles the modules of a view into one script, for MCP hosts whose sandbox cannot load other files.

The files are those served over HTTP. Each module becomes a function that is called once and returns its
exports, after the modules that it imports.

Contract, checked for every module:
- Imports are static, of names or of a whole module, and not circular.
- Exports are functions, classes and constants, because importers get a copy of the value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources
from posixpath import dirname, join, normpath

_IMPORT = re.compile(r'^import\s+([^;"]+?)\s+from\s+"([^"]+)";[ \t]*$', re.MULTILINE)
_EXPORT = re.compile(r"^export\s+((?:async\s+)?(?:function|class|const)\s+(\w+))", re.MULTILINE)
_LEFT_OVER = re.compile(r"^(?:import|export)\b.*|\bimport\s*\(.*", re.MULTILINE)


class Bundle:
    """A module and everything it imports, in dependency order."""

    def __init__(self, entry: str, replacements: Mapping[str, str]) -> None:
        """Start at `entry`; `replacements` are for modules that other folders import."""
        self._folder = dirname(entry)
        self._replacements = replacements
        self._numbers: dict[str, int] = {}
        self._open: list[str] = []
        self._texts: list[str] = []
        self._add(entry)

    @property
    def script(self) -> str:
        """Return all modules as one script, safe inside a `<script>` element."""
        return "".join(self._texts).replace("</script", r"<\/script")

    def _add(self, name: str) -> int:
        if name in self._open:
            raise ValueError(f"{' → '.join([*self._open, name])} is a circular import")
        if name not in self._numbers:
            self._open.append(name)
            text = _IMPORT.sub(lambda found: self._imported(name, *found.groups()), static_text(name))
            exported = [found[1] for found in _EXPORT.findall(text)]
            text = _EXPORT.sub(r"\1", text)
            if left := _LEFT_OVER.search(text):
                raise ValueError(f"{name} cannot be put into one document: {left.group()}")
            self._numbers[name] = len(self._numbers)
            body = f"(() => {{\n{text}\nreturn {{ {', '.join(exported)} }};\n}})()"
            self._texts.append(f"const module{self._numbers[name]} = {body};\n")
            self._open.pop()
        return self._numbers[name]

    def _imported(self, importer: str, names: str, path: str) -> str:
        wanted = normpath(join(dirname(importer), path))
        if dirname(importer) != self._folder:
            wanted = self._replacements.get(wanted, wanted)
        number = self._add(wanted)
        if names.startswith("*"):
            return f"const {names.partition(' as ')[2]} = module{number};"
        return f"const {names.replace(' as ', ': ')} = module{number};"


def static_text(name: str) -> str:
    """Return a file of the page."""
    return (resources.files(__package__) / "static").joinpath(*name.split("/")).read_text(encoding="utf-8")
