"""The files of a project as a tree, with the measurements of each file and the totals of each folder.

Contract: totals cover all files, shown or not. A tree that is too large is cut breadth-first: the folders
nearest to the root are shown, and each says how many of its entries are left out.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import basename
from typing import Literal

from pydantic import Field

from holdfast.analysis.engine.measurements import FileMeasurements, ProjectMeasurements, coverage_percent
from holdfast.kernel.models import Output, optional
from holdfast.kernel.untrusted import UntrustedText


class Annotations(Output):
    """The measurements of a file or folder; those that were not made are left out."""

    code_lines: int | None = optional("Lines with code on them.")
    complexity_score: int | None = optional("Cyclomatic complexity, the sum over functions.")
    cognitive_complexity: int | None = optional("Cognitive complexity, of the most complex function.")
    churn_score: float | None = optional("From 0 to 1, as in analyze_code_churn.")
    commits: int | None = optional("Commits in the period that changed it.")
    satd_items: int | None = optional("Items of technical debt that comments admit.")
    dead_code_items: int | None = optional("Unused code, at high confidence.")
    imported_by: int | None = optional("Files that import it.")
    test_coverage: float | None = optional("Percent of lines, from a coverage report.")
    defect_probability: float | None = optional("Probability of a fix within a year, 0 to 1.")
    # The specification fixes this name, although the score is that of a file to improve and not of defects.
    defect_score: float | None = optional("Composite score as a file to improve, from 0 to 1.")


class TreeNode(Output):
    """A folder or file."""

    name: UntrustedText
    path: UntrustedText
    node_type: Literal["directory", "file"]
    files: int | None = optional("Number of files below a folder.")
    omitted: int | None = optional("Entries of a folder that are not shown.")
    annotations: Annotations = Field(description="Measurements of the file, or of all files in the folder.")
    children: list[TreeNode] | None = optional("Entries of a folder: folders, then files, by name.")


class FileTree(Output):
    """All files that were analysed."""

    root: TreeNode
    total_files: int
    total_size_bytes: int
    shown: int = Field(description="Number of files and folders shown.")


@dataclass
class _TreeFolder:
    """A folder with its entries, shown or not."""

    name: str
    path: str
    folders: dict[str, _TreeFolder] = field(default_factory=dict)
    files: list[FileMeasurements] = field(default_factory=list)

    def files_below(self) -> Iterator[FileMeasurements]:
        yield from self.files
        for folder in self.folders.values():
            yield from folder.files_below()

    def entries(self) -> list[_TreeFolder | FileMeasurements]:
        """Return its folders, then its files, each by name."""
        folders = [self.folders[name] for name in sorted(self.folders)]
        return [*folders, *sorted(self.files, key=lambda file: file.path)]


def file_tree(
    measured: ProjectMeasurements, folder: str, scores: Mapping[str, float], max_nodes: int
) -> FileTree:
    """Return a tree of at most `max_nodes` nodes below a folder that contains all measured files.

    `scores` has the hotspot score of each file that is a hotspot.
    """
    root = _TreeFolder(basename(folder) or ".", folder)
    for file in measured.files.values():
        parent = root
        for part in file.path.removeprefix(f"{folder}/" if folder else "").split("/")[:-1]:
            path = f"{parent.path}/{part}".lstrip("/")
            parent = parent.folders.setdefault(part, _TreeFolder(part, path))
        parent.files.append(file)
    shown = _paths_to_show(root, max_nodes)
    return FileTree(
        root=_tree_node(root, measured, scores, shown),
        total_files=len(measured.files),
        total_size_bytes=sum(file.size_bytes for file in measured.files.values()),
        shown=len(shown),
    )


def _paths_to_show(root: _TreeFolder, max_nodes: int) -> set[str]:
    """Return the paths of the first `max_nodes` folders and files, breadth-first."""
    shown, queue = {root.path}, deque([root])
    while queue and len(shown) < max_nodes:
        for entry in queue.popleft().entries()[: max_nodes - len(shown)]:
            shown.add(entry.path)
            if isinstance(entry, _TreeFolder):
                queue.append(entry)
    return shown


def _tree_node(
    entry: _TreeFolder | FileMeasurements,
    measured: ProjectMeasurements,
    scores: Mapping[str, float],
    shown: set[str],
) -> TreeNode:
    if isinstance(entry, FileMeasurements):
        name = basename(entry.path)
        annotations = _file_annotations(entry, measured, scores.get(entry.path))
        return TreeNode(name=name, path=entry.path, node_type="file", annotations=annotations)
    entries = entry.entries()
    children = [_tree_node(child, measured, scores, shown) for child in entries if child.path in shown]
    files = list(entry.files_below())
    return TreeNode(
        name=entry.name,
        path=entry.path or ".",
        node_type="directory",
        files=len(files),
        omitted=len(entries) - len(children) or None,
        annotations=_folder_annotations(files, measured),
        children=children,
    )


def _file_annotations(
    file: FileMeasurements, measured: ProjectMeasurements, score: float | None
) -> Annotations:
    return Annotations(
        code_lines=file.code_lines,
        complexity_score=file.cyclomatic,
        cognitive_complexity=file.cognitive,
        churn_score=file.churn_score,
        commits=file.commits,
        imported_by=file.importer_count,
        test_coverage=coverage_percent([file]),
        defect_probability=file.defect_probability,
        defect_score=score,
        **_finding_counts([file], measured),
    )


def _folder_annotations(files: Sequence[FileMeasurements], measured: ProjectMeasurements) -> Annotations:
    """Return the measurements that add up over files; a commit may change several, and a maximum of one file
    or a probability for it says nothing about the folder."""
    cyclomatic = [file.cyclomatic for file in files if file.cyclomatic is not None]
    return Annotations(
        code_lines=sum(file.code_lines for file in files),
        complexity_score=sum(cyclomatic) if cyclomatic else None,
        test_coverage=coverage_percent(files),
        **_finding_counts(files, measured),
    )


def _finding_counts(
    files: Sequence[FileMeasurements], measured: ProjectMeasurements
) -> dict[str, int | None]:
    """Return the numbers of debt items and of unused code in files; None if not measured."""
    kinds = Counter(each.kind for file in files for each in measured.findings_by_file.get(file.path, ()))
    return {
        "satd_items": kinds["technical-debt"] if "satd" in measured.analyses else None,
        "dead_code_items": kinds["dead-code"] if "dead-code" in measured.analyses else None,
    }
