"""The files of a project as a tree, annotated with measurements.

Contract: totals cover all files. If there are more than are shown, the folders nearest to the root come first
(breadth-first), and each says how many of its entries are left out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import Field

from holdfast.analysis.context.scorecard import covered_share
from holdfast.analysis.engine.code_finding import CodeFinding
from holdfast.analysis.engine.measurements import FileMeasures, Measurements
from holdfast.kernel.models import Output, optional
from holdfast.kernel.untrusted import UntrustedText


class Annotations(Output):
    """The measurements; what was not measured is left out."""

    code_lines: int | None = optional("Lines with code on them.")
    complexity_score: int | None = optional("Cyclomatic complexity, the sum over functions.")
    cognitive_complexity: int | None = optional("Cognitive complexity, of the most complex function.")
    churn_score: float | None = optional("From 0 to 1, as in analyze_code_churn.")
    commits: int | None = optional("Commits in the period that changed it.")
    satd_items: int | None = optional("Technical debts that its comments admit.")
    dead_code_items: int | None = optional("Unused code, at high confidence.")
    imported_by: int | None = optional("Files that import it.")
    test_coverage: float | None = optional("Percent of lines, from a coverage report.")
    defect_probability: float | None = optional("Probability of a fix within a year, 0 to 1.")
    defect_score: float | None = optional("Composite score as a hotspot, from 0 to 1.")


class TreeNode(Output):
    """A folder or file."""

    name: UntrustedText
    path: UntrustedText
    node_type: Literal["directory", "file"]
    files: int | None = optional("Number of files below a folder.")
    omitted: int | None = optional("Entries of a folder that are not shown.")
    annotations: Annotations = Field(
        description="Measurements of the file, or of all files below the folder."
    )
    children: list[TreeNode] | None = optional("Entries of a folder: folders, then files, by name.")


class FileTree(Output):
    """All files that were analysed."""

    root: TreeNode
    total_files: int
    total_size_bytes: int
    shown: int = Field(description="Number of files and folders shown.")


@dataclass
class _TreeFolder:
    name: str
    path: str
    folders: dict[str, _TreeFolder] = field(default_factory=dict)
    files: list[FileMeasures] = field(default_factory=list)

    def below(self) -> Iterator[FileMeasures]:
        """Yield all files below the folder."""
        yield from self.files
        for folder in self.folders.values():
            yield from folder.below()

    def entries(self) -> list[_TreeFolder | FileMeasures]:
        """Return its folders and files, in order."""
        folders = [self.folders[name] for name in sorted(self.folders)]
        return [*folders, *sorted(self.files, key=lambda file: file.path)]


def file_tree(
    measured: Measurements, top: tuple[str, str], scores: Mapping[str, float], most: int
) -> FileTree:
    """Return a tree of at most `most` nodes, given the project's name and path and hotspot scores."""
    root = _TreeFolder(*top)
    for file in measured.files.values():
        folder = root
        for part in file.path.removeprefix(f"{root.path}/" if root.path else "").split("/")[:-1]:
            path = f"{folder.path}/{part}".lstrip("/")
            folder = folder.folders.setdefault(part, _TreeFolder(part, path))
        folder.files.append(file)
    shown = _shown_paths(root, most)
    return FileTree(
        root=_node(root, measured, scores, shown),
        total_files=len(measured.files),
        total_size_bytes=sum(file.size for file in measured.files.values()),
        shown=len(shown),
    )


def _shown_paths(root: _TreeFolder, most: int) -> set[str]:
    """Return the paths to show, breadth-first."""
    chosen, waiting = {root.path}, deque([root])
    while waiting and len(chosen) < most:
        for entry in waiting.popleft().entries()[: most - len(chosen)]:
            chosen.add(entry.path)
            if isinstance(entry, _TreeFolder):
                waiting.append(entry)
    return chosen


def _node(
    entry: _TreeFolder | FileMeasures, measured: Measurements, scores: Mapping[str, float], shown: set[str]
) -> TreeNode:
    if isinstance(entry, FileMeasures):
        name = entry.path.rpartition("/")[2]
        about = annotated(entry, measured, scores.get(entry.path))
        return TreeNode(name=name, path=entry.path, node_type="file", annotations=about)
    entries = entry.entries()
    children = [_node(child, measured, scores, shown) for child in entries if child.path in shown]
    below = list(entry.below())
    return TreeNode(
        name=entry.name,
        path=entry.path or ".",
        node_type="directory",
        files=len(below),
        omitted=len(entries) - len(children) or None,
        annotations=_folder_annotations(below, measured),
        children=children,
    )


def _counts(findings: tuple[CodeFinding, ...], measured: Measurements) -> tuple[int | None, int | None]:
    kinds = [finding.kind for finding in findings]
    debts = kinds.count("technical-debt") if "satd" in measured.measured else None
    dead = kinds.count("dead-code") if "dead-code" in measured.measured else None
    return debts, dead


def annotated(file: FileMeasures, measured: Measurements, score: float | None) -> Annotations:
    """Return the measurements of a file."""
    debts, dead = _counts(measured.by_file.get(file.path, ()), measured)
    return Annotations(
        code_lines=file.code_lines,
        complexity_score=file.cyclomatic,
        cognitive_complexity=file.cognitive,
        churn_score=file.churn_score,
        commits=file.commits,
        satd_items=debts,
        dead_code_items=dead,
        imported_by=file.imported_by,
        test_coverage=covered_share([file]),
        defect_probability=file.defect_probability,
        defect_score=score,
    )


def _folder_annotations(files: list[FileMeasures], measured: Measurements) -> Annotations:
    findings = tuple(finding for file in files for finding in measured.by_file.get(file.path, ()))
    debts, dead = _counts(findings, measured)
    cyclomatic = [file.cyclomatic for file in files if file.cyclomatic is not None]
    return Annotations(
        code_lines=sum(file.code_lines for file in files),
        complexity_score=sum(cyclomatic) if cyclomatic else None,
        satd_items=debts,
        dead_code_items=dead,
        test_coverage=covered_share(files),
    )
