"""The measures of each file that the defect model uses, and the feature each belongs to.

Contract: None means not measured. Every measure grows with the risk from 0, and a missing one counts as 0, so
that lacking data never ranks a file higher.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import log1p
from typing import Literal, NamedTuple, get_args

from holdfast.analysis.duplicates.clone import COPY_KINDS, MIN_COPY_LINES, CloneQuery
from holdfast.analysis.duplicates.clones import cached_clones
from holdfast.analysis.engine.scan import Project, Scan
from holdfast.analysis.graph.dependency_graph import cached_graph
from holdfast.analysis.names.quality import name_quality
from holdfast.analysis.room import Analysis
from holdfast.syntax.record import MODULE, Record
from holdfast.syntax.symbols import FUNCTIONS

Feature = Literal["complexity", "churn", "duplication", "coupling", "name_quality", "test_coverage"]
FEATURES: tuple[Feature, ...] = get_args(Feature)
Measures = Mapping[str, float | None]


class Measure(NamedTuple):
    """An input of the model."""

    name: str
    feature: Feature | Literal["size"]
    is_count: bool = True
    """Whether the model uses its logarithm; shares are used as they are."""


MEASURES = (
    Measure("code_lines", "size"),
    Measure("cyclomatic", "complexity"),
    Measure("cognitive", "complexity"),
    Measure("commits", "churn"),
    Measure("recent_commits", "churn"),
    Measure("changed_lines", "churn"),
    Measure("authors", "churn"),
    Measure("fixes", "churn"),
    Measure("commit_risk", "churn"),
    Measure("cloned_share", "duplication", is_count=False),
    Measure("files_with_copies", "duplication"),
    Measure("imported_by", "coupling"),
    Measure("imports", "coupling"),
    Measure("scattered_share", "coupling", is_count=False),
    Measure("poor_names_share", "name_quality", is_count=False),
    Measure("uncovered_share", "test_coverage", is_count=False),
)


def model_input(measure: Measure, measured: float | None) -> float:
    """Return the number that enters the model for a measured value."""
    if not measured:
        return 0.0
    return log1p(measured) if measure.is_count else measured


def static_measures(room: Analysis, project: Project, scan: Scan) -> Mapping[str, Measures]:
    """Return the measures of each file that need no history."""
    return room.cached(f"measures of defects {project}", scan, lambda: _static(room, project, scan))


def _static(room: Analysis, project: Project, scan: Scan) -> dict[str, Measures]:
    coupling = cached_graph(room, scan, "import-graph").coupling()
    duplication = _duplication(room, project, scan)
    found: dict[str, Measures] = {}
    for path, alone in room.cached_by_file("measures of defects", scan, _of_record).items():
        imported_by, imports = coupling.get(path, (0, 0))
        found[path] = {**alone, **duplication.get(path, {}), "imported_by": imported_by, "imports": imports}
    return found


def _duplication(room: Analysis, project: Project, scan: Scan) -> dict[str, Measures]:
    """Return the share of each file with exact or renamed clones, and the number of other files with them."""
    clones = cached_clones(room, project, CloneQuery(COPY_KINDS, MIN_COPY_LINES), scan)
    sharing: defaultdict[str, set[str]] = defaultdict(set)
    for clone in clones.classes:
        paths = {fragment.file for fragment in clone.fragments}
        for path in paths:
            sharing[path] |= paths - {path}
    return {
        path: {
            "cloned_share": clones.duplicate_lines.get(path, 0) / (lines or 1),
            "files_with_copies": len(sharing.get(path, ())),
        }
        for path, lines in clones.lines.items()
    }


def _of_record(_: str, record: Record) -> Measures:
    quality = name_quality(record)
    return {
        "code_lines": record.code_lines,
        "cyclomatic": sum(function.cyclomatic for function in record.functions),
        "cognitive": sum(function.cognitive for function in record.functions),
        "scattered_share": 1 - cohesion(record),
        "poor_names_share": None if quality is None else 1 - quality,
    }


def cohesion(record: Record) -> float:
    """Return the cohesion of a file's functions, from 0 to 1.

    Functions are connected if one uses the name of the other; nested ones count as part of the outermost.
    With `n` functions in `g` connected components (found by union-find), cohesion is 1 - (g - 1) / (n - 1),
    or 1 if n < 2.
    """
    definitions = record.names.definitions
    outermost: list[int] = []
    for index, item in enumerate(definitions):
        around = MODULE if item.container == MODULE else outermost[item.container]
        outermost.append(index if around == MODULE and item.kind in FUNCTIONS else around)
    group = {index: index for index in set(outermost) - {MODULE}}
    if len(group) < 2:
        return 1.0

    def root(index: int) -> int:
        while group[index] != index:
            group[index] = index = group[group[index]]
        return index

    by_name = {definitions[index].name: index for index in sorted(group)}
    for uses in record.names.uses:
        user = MODULE if uses.definition == MODULE else outermost[uses.definition]
        if user != MODULE:
            for name in by_name.keys() & {*uses.names, *uses.attributes}:
                group[root(by_name[name])] = root(user)
    groups = sum(root(index) == index for index in group)
    return 1 - (groups - 1) / (len(group) - 1)
