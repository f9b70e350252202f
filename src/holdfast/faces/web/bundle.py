"""A view of the page as one HTML document that loads nothing: for hosts whose sandbox lets nothing in.

The same files as over HTTP: each module becomes a function that is called once and returns what it exports,
in an order in which everything imported is there already.

Contract, held against every module that gets in:
- Imports are static, of named things or of a whole module, and come in no circle.
- Exports are functions, classes and constants: values that stay what they are, since importers get a copy.
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
    """The modules that one module needs, in order."""

    def __init__(self, entry: str, instead: Mapping[str, str]) -> None:
        """Begin at `entry`; for modules outside its folder some others stand in."""
        self._folder = dirname(entry)
        self._instead = instead
        self._numbers: dict[str, int] = {}
        self._open: list[str] = []
        self._texts: list[str] = []
        self._take(entry)

    @property
    def script(self) -> str:
        """Return all modules as one script that can stand inside a document."""
        return "".join(self._texts).replace("</script", r"<\/script")

    def _take(self, name: str) -> int:
        if name in self._open:
            raise ValueError(f"{' → '.join([*self._open, name])} is a circle")
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
            wanted = self._instead.get(wanted, wanted)
        number = self._take(wanted)
        if names.startswith("*"):
            return f"const {names.partition(' as ')[2]} = module{number};"
        return f"const {names.replace(' as ', ': ')} = module{number};"


def static_text(name: str) -> str:
    """Return a file of the page."""
    return (resources.files(__package__) / "static").joinpath(*name.split("/")).read_text(encoding="utf-8")
