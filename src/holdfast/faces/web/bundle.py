"""Bundles the modules of a view into one script, for MCP hosts that cannot load other files.

The modules are the files that are served over HTTP. Each becomes a function that is called once, after those
of the modules it imports, and returns its exports.

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
_UNSUPPORTED = re.compile(r"^(?:import|export)\b.*|\bimport\s*\(.*", re.MULTILINE)


class Bundle:
    """A module and everything it imports, in dependency order."""

    def __init__(self, entry: str, replacements: Mapping[str, str]) -> None:
        """Start at `entry`; `replacements` replace modules that modules in other folders import."""
        self._folder = dirname(entry)
        self._replacements = replacements
        self._numbers: dict[str, int] = {}
        self._open: list[str] = []
        """The modules being added, outermost first, to detect circular imports."""
        self._texts: list[str] = []
        self._add(entry)

    @property
    def script(self) -> str:
        """Return all modules as one script, safe inside a `<script>` element."""
        return "".join(self._texts).replace("</script", r"<\/script")

    def _add(self, name: str) -> int:
        """Add a module after the modules that it imports, and return its number."""
        if name in self._open:
            raise ValueError(f"{' → '.join([*self._open, name])} is a circular import")
        if name not in self._numbers:
            self._open.append(name)
            text = _IMPORT.sub(lambda match: self._import_statement(name, *match.groups()), static_text(name))
            exported = [exported_name for _, exported_name in _EXPORT.findall(text)]
            text = _EXPORT.sub(r"\1", text)
            if unsupported := _UNSUPPORTED.search(text):
                raise ValueError(f"{name} cannot be put into one document: {unsupported.group()}")
            self._numbers[name] = len(self._numbers)
            body = f"(() => {{\n{text}\nreturn {{ {', '.join(exported)} }};\n}})()"
            self._texts.append(f"const module{self._numbers[name]} = {body};\n")
            self._open.pop()
        return self._numbers[name]

    def _import_statement(self, importer: str, names: str, path: str) -> str:
        """Add an imported module, and return the statement that replaces the import."""
        module = normpath(join(dirname(importer), path))
        if dirname(importer) != self._folder:
            module = self._replacements.get(module, module)
        number = self._add(module)
        if names.startswith("*"):
            return f"const {names.partition(' as ')[2]} = module{number};"
        return f"const {names.replace(' as ', ': ')} = module{number};"


def static_text(name: str) -> str:
    """Return the text of a file of the page."""
    return (resources.files(__package__) / "static").joinpath(*name.split("/")).read_text(encoding="utf-8")
