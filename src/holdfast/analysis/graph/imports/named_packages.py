"""Packages that each file declares: Go, Java, Kotlin, C# and PHP.

Go packages are folders of a module that `go.mod` names; PHP classes are also found by the PSR-4 autoloading
rules in `composer.json`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from posixpath import dirname

from holdfast.analysis.graph.imports.included_files import IncludedFiles
from holdfast.analysis.graph.imports.layout import Layout, below
from holdfast.analysis.graph.imports.target import UNRESOLVED, ImportResolver, Target, outside
from holdfast.syntax.record import MODULE, ImportedName

_MODULE_LINE = re.compile(r'^\s*module\s+"?([^\s"/][^\s"]*)', re.MULTILINE)


class GoModules(ImportResolver):
    """Resolves Go imports to the folders of the project's modules."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self._homes: dict[str, str] = {}
        for path in layout.settings("go.mod"):
            found = _MODULE_LINE.search(layout.text(path) or "")
            if found:
                self._homes.setdefault(found[1], dirname(path))
            else:
                layout.damaged[path] = "it has no module line"
        self._longest_first = sorted(self._homes, key=len, reverse=True)

    def resolve(self, _path: str, imported: ImportedName) -> Target:
        """Return the files of the imported package."""
        for module in self._longest_first:
            if imported.module == module or imported.module.startswith(module + "/"):
                folder = below(self._homes[module], imported.module[len(module) :].lstrip("/"))
                files = self._layout.by_folder.get(folder, [])
                found = tuple(
                    file for file in files if file.endswith(".go") and not file.endswith("_test.go")
                )
                return Target(found, "", "", "exact") if found else UNRESOLVED
        return outside(imported.module)


class NamedPackages(ImportResolver):
    """Resolves imports in Java and Kotlin, in C#, or in PHP."""

    def __init__(self, layout: Layout, *languages: str) -> None:
        super().__init__(layout)
        self._packages: dict[str, list[str]] = defaultdict(list)
        self._offered: dict[str, list[str]] = defaultdict(list)
        for path in layout.of(*languages):
            for package, names in self._declared(path).items():
                self._packages[package].append(path)
                for name in names:
                    self._offered[f"{package}.{name}" if package else name].append(path)
        self._included = IncludedFiles(layout)
        self._prefixes = self._psr4() if "php" in languages else []

    def _declared(self, path: str) -> dict[str, list[str]]:
        """Return the top-level names of a file's package and of each namespace in it."""
        names = self._layout.records[path].names
        package = names.package.replace("\\", ".")
        found: dict[str, list[str]] = {package: []}
        for item in names.definitions:
            around = item.container
            if around == MODULE and item.kind != "Namespace":
                found[package].append(item.name)
            elif around != MODULE and names.definitions[around].kind == "Namespace":
                inner = names.definitions[around].path.replace("\\", ".")
                found.setdefault(inner, []).append(item.name)
        return found

    def _psr4(self) -> list[tuple[str, str]]:
        found = []
        for path in self._layout.settings("composer.json"):
            document = self._layout.json(path)
            for section in ("autoload", "autoload-dev"):
                rules = document.get(section)
                table = rules.get("psr-4") if isinstance(rules, dict) else None
                for prefix, folders in table.items() if isinstance(table, dict) else ():
                    several = folders if isinstance(folders, list) else [folders]
                    places = [below(dirname(path), folder) for folder in several if isinstance(folder, str)]
                    found += [(prefix.strip("\\").replace("\\", "."), place) for place in places]
        return sorted(found, key=lambda rule: (-len(rule[0]), rule[1]))

    def resolve(self, path: str, imported: ImportedName) -> Target:
        """Return the file of a class or function, or all files of a package."""
        if "/" in imported.module or imported.module.endswith(".php"):
            return self._included.resolve(path, imported)
        module = imported.module.strip("\\").replace("\\", ".")
        if imported.name == "*" and module in self._packages:
            return Target(tuple(self._packages[module]), "*", "", "exact")
        parts = [part for part in (*module.split("."), imported.name) if part and part != "*"]
        for end in range(len(parts), 0, -1):  # the parts after a class are its members
            files = self._offered.get(".".join(parts[:end])) or self._by_rule(parts[:end])
            if files:
                return Target(
                    tuple(files), ".".join(parts[end - 1 :]), "", "exact" if len(files) == 1 else "likely"
                )
        return UNRESOLVED if module in self._packages else outside(module or imported.name)

    def _by_rule(self, parts: list[str]) -> list[str]:
        name = ".".join(parts)
        for prefix, folder in self._prefixes:
            if not prefix or name.startswith(prefix + "."):
                file = below(folder, name[len(prefix) :].lstrip(".").replace(".", "/") + ".php")
                if file in self._layout.records:
                    return [file]
        return []
