"""Packages that each file declares: Go, Java, Kotlin, C# and PHP.

Go packages are folders of a module that `go.mod` names; PHP classes are also found by the PSR-4 autoloading
rules in `composer.json`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from posixpath import dirname

from holdfast.analysis.graph.imports.included_files import IncludedFiles
from holdfast.analysis.graph.imports.layout import Layout, join_path
from holdfast.analysis.graph.imports.target import UNRESOLVED, ImportResolver, Target, external_target
from holdfast.syntax.record import MODULE, ImportedName

_MODULE_LINE = re.compile(r'^\s*module\s+"?([^\s"/][^\s"]*)', re.MULTILINE)


class GoModules(ImportResolver):
    """Resolves Go imports to the folders of the project's modules."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self._homes: dict[str, str] = {}
        """The folder of each module, by its path."""
        for path in layout.settings("go.mod"):
            module_line = _MODULE_LINE.search(layout.text(path) or "")
            if module_line:
                self._homes.setdefault(module_line[1], dirname(path))
            else:
                layout.damaged[path] = "it has no module line"
        self._longest_first = sorted(self._homes, key=len, reverse=True)

    def resolve(self, _path: str, imported: ImportedName) -> Target:
        """Return the files of the imported package."""
        for module in self._longest_first:
            if imported.module == module or imported.module.startswith(module + "/"):
                folder = join_path(self._homes[module], imported.module[len(module) :].lstrip("/"))
                files = tuple(
                    file
                    for file in self._layout.by_folder.get(folder, [])
                    if file.endswith(".go") and not file.endswith("_test.go")
                )
                return Target(files, certainty="exact") if files else UNRESOLVED
        return external_target(imported.module)


class NamedPackages(ImportResolver):
    """Resolves imports in Java and Kotlin, in C#, or in PHP."""

    def __init__(self, layout: Layout, *languages: str) -> None:
        super().__init__(layout)
        self._packages: dict[str, list[str]] = defaultdict(list)
        """The files of each package."""
        self._definitions: dict[str, list[str]] = defaultdict(list)
        """The files that define each top-level name, by package and name."""
        for path in layout.files_in(*languages):
            for package, names in self._declared_names(path).items():
                self._packages[package].append(path)
                for name in names:
                    self._definitions[f"{package}.{name}" if package else name].append(path)
        self._included = IncludedFiles(layout)
        self._prefixes = self._psr4() if "php" in languages else []

    def _declared_names(self, path: str) -> dict[str, list[str]]:
        names = self._layout.records[path].names
        package = names.package.replace("\\", ".")
        declared: dict[str, list[str]] = {package: []}
        for item in names.definitions:
            if item.container == MODULE:
                if item.kind != "Namespace":
                    declared[package].append(item.name)
                continue
            container = names.definitions[item.container]
            if container.kind == "Namespace":
                declared.setdefault(container.path.replace("\\", "."), []).append(item.name)
        return declared

    def _psr4(self) -> list[tuple[str, str]]:
        """Return the namespace prefixes and folders of the autoloading rules, the longest prefix first."""
        prefixes: list[tuple[str, str]] = []
        for path in self._layout.settings("composer.json"):
            document = self._layout.json(path)
            for section in ("autoload", "autoload-dev"):
                rules = document.get(section)
                table = rules.get("psr-4") if isinstance(rules, dict) else None
                if not isinstance(table, dict):
                    continue
                for prefix, value in table.items():
                    namespace = prefix.strip("\\").replace("\\", ".")
                    folders = value if isinstance(value, list) else [value]
                    prefixes += [
                        (namespace, join_path(dirname(path), folder))
                        for folder in folders
                        if isinstance(folder, str)
                    ]
        return sorted(prefixes, key=lambda rule: (-len(rule[0]), rule[1]))

    def resolve(self, path: str, imported: ImportedName) -> Target:
        """Return the file of a class or function, or all files of a package."""
        if "/" in imported.module or imported.module.endswith(".php"):
            return self._included.resolve(path, imported)
        module = imported.module.strip("\\").replace("\\", ".")
        if imported.name == "*" and module in self._packages:
            return Target(tuple(self._packages[module]), "*", certainty="exact")
        parts = [part for part in (*module.split("."), imported.name) if part and part != "*"]
        for end in range(len(parts), 0, -1):  # the parts after a class are its members
            files = self._definitions.get(".".join(parts[:end])) or self._autoloaded_file(parts[:end])
            if files:
                symbol = ".".join(parts[end - 1 :])
                return Target(tuple(files), symbol, "", "exact" if len(files) == 1 else "likely")
        return UNRESOLVED if module in self._packages else external_target(module or imported.name)

    def _autoloaded_file(self, parts: list[str]) -> list[str]:
        """Return the file of a PHP class by the autoloading rules, in a list."""
        name = ".".join(parts)
        for prefix, folder in self._prefixes:
            if not prefix or name.startswith(prefix + "."):
                file = join_path(folder, name[len(prefix) :].lstrip(".").replace(".", "/") + ".php")
                if file in self._layout.records:
                    return [file]
        return []
