"""Finds the source file that a path in a report file stands for, as each tool writes paths in its own way."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from posixpath import basename


class SourceFinder:
    """The source files of a project, found by the paths that report files use."""

    def __init__(self, root: str, sources: Iterable[str]) -> None:
        """`sources` are paths from `root`, the absolute path of the repository."""
        self._root = root.rstrip("/") + "/"
        self._by_name: defaultdict[str, list[str]] = defaultdict(list)
        for source in sources:
            self._by_name[basename(source)].append(source)

    def find(self, reported_path: str, report_folder: str) -> str | None:
        """Return the source file that a path in a report file in `report_folder` stands for; None if unclear.

        The path may start at the root, at that folder, or at other folders above or below the root. If it
        ends with several source paths, the longest is meant; if several source paths end with it, none is.
        """
        path = reported_path.replace("\\", "/").removeprefix("./")
        if path.startswith("/"):
            path = path.removeprefix(self._root).lstrip("/")
        same_name = self._by_name.get(basename(path), [])
        for candidate in (path, f"{report_folder}/{path}"):
            if candidate in same_name:
                return candidate
        # Go prepends a module's name, and a build in a container has another root.
        ends_of_path = [source for source in same_name if f"/{path}".endswith(f"/{source}")]
        if ends_of_path:
            return max(ends_of_path, key=len)
        # JaCoCo leaves out the folders above the packages.
        ending_with_path = [source for source in same_name if source.endswith(f"/{path}")]
        return ending_with_path[0] if len(ending_with_path) == 1 else None
