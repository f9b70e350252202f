"""The measures of a file that the defect model uses as inputs, and those of them that need no history.

Contract: None means not measured. Every measure is 0 or positive and grows with the risk. A missing measure
counts as 0, so that missing data never ranks a file higher.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from math import log1p
from typing import Literal, NamedTuple, get_args

from holdfast.analysis.duplicates.clone import COPY_KINDS, MIN_MODEL_LINES, CloneQuery
from holdfast.analysis.duplicates.clones import project_clones
from holdfast.analysis.engine.scan import Project, Scan
from holdfast.analysis.graph.dependency_graph import cached_graph
from holdfast.analysis.names.quality import name_quality
from holdfast.analysis.room import Analysis
from holdfast.kernel.call import current_call
from holdfast.syntax.record import MODULE, Record
from holdfast.syntax.symbols import FUNCTIONS

Feature = Literal["complexity", "churn", "duplication", "coupling", "name_quality", "test_coverage"]
"""A group of measures; results show features, the model uses measures."""
FEATURES: tuple[Feature, ...] = get_args(Feature)
Measures = Mapping[str, float | None]
"""The measured values of one file, by the name of the measure."""


class Measure(NamedTuple):
    """An input of the model."""

    name: str
    feature: Feature | Literal["size"]
    is_count: bool = True
    """Whether it is a count, of which the model uses the logarithm, or a share, which it uses as it is."""


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
    return room.cached(
        f"measures of defects {project}", scan, lambda: _compute_static_measures(room, project, scan)
    )


def _compute_static_measures(room: Analysis, project: Project, scan: Scan) -> dict[str, Measures]:
    coupling = cached_graph(room, scan, "import-graph").coupling()
    duplication = _duplication(room, project, scan)
    by_file: dict[str, Measures] = {}
    for path, measures in room.cached_by_file(
        "measures of defects", scan, _record_measures, on_disk=True
    ).items():
        imported_by, imports = coupling.get(path, (0, 0))
        coupling_measures = {"imported_by": imported_by, "imports": imports}
        by_file[path] = {**measures, **duplication.get(path, {}), **coupling_measures}
    return by_file


def _duplication(room: Analysis, project: Project, scan: Scan) -> dict[str, Measures]:
    """Return, for each file, the share of exact or renamed clones, and how many other files have copies."""
    tokens = room.scan_tokens(project, stats=scan.stats)
    clones = project_clones(room, tokens, project, CloneQuery(COPY_KINDS, min_lines=MIN_MODEL_LINES))
    groups_of: defaultdict[str, list[int]] = defaultdict(list)
    for index, clone in enumerate(clones.groups):
        for path in {fragment.file for fragment in clone.fragments}:
            groups_of[path].append(index)

    @cache  # many files have their copies in the same groups
    def files_in(groups: tuple[int, ...]) -> int:
        current_call().check()
        return len({fragment.file for index in groups for fragment in clones.groups[index].fragments})

    return {
        path: {
            "cloned_share": clones.duplicate_lines.get(path, 0) / (lines or 1),
            "files_with_copies": files_in(tuple(groups_of[path])) - 1 if path in groups_of else 0,
        }
        for path, lines in clones.line_counts.items()
    }


def _record_measures(_: str, record: Record) -> Measures:
    """Return the measures of a file that follow from its own record."""
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

    Two functions are connected if one uses the name of the other; a nested function is part of the outermost
    one around it. With `n` functions in `g` connected components (found by union-find), cohesion is
    1 - (g - 1) / (n - 1), or 1 if n < 2.
    """
    definitions = record.names.definitions
    outermost: list[int] = []
    """For each definition the index of the outermost function around it, or `MODULE`."""
    for index, definition in enumerate(definitions):
        enclosing = MODULE if definition.container == MODULE else outermost[definition.container]
        is_outermost = enclosing == MODULE and definition.kind in FUNCTIONS
        outermost.append(index if is_outermost else enclosing)
    parents = {index: index for index in set(outermost) - {MODULE}}
    if len(parents) < 2:
        return 1.0

    def root(index: int) -> int:
        while parents[index] != index:
            parents[index] = index = parents[parents[index]]
        return index

    by_name = {definitions[index].name: index for index in sorted(parents)}
    for uses in record.names.uses:
        user = MODULE if uses.definition == MODULE else outermost[uses.definition]
        if user != MODULE:
            for name in by_name.keys() & {*uses.names, *uses.attributes}:
                parents[root(by_name[name])] = root(user)
    components = sum(root(index) == index for index in parents)
    return 1 - (components - 1) / (len(parents) - 1)
