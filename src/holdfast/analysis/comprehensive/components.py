"""What each analysis adds to a comprehensive one: its section, its findings, its numbers for each file.

One analyser answers one question, whichever tool asks it: nothing is measured here. Answers that follow from
a survey are kept with it, so that asking again costs next to nothing while no file changes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, replace
from functools import partial

from holdfast.analysis.churn.churn import Churn
from holdfast.analysis.context.gathering import Analyser, Material, Part
from holdfast.analysis.context.measurements import Issue
from holdfast.analysis.context.sections import complexities, owed, useless
from holdfast.analysis.dead_code.analyser import became_dead
from holdfast.analysis.dead_code.finding import LEAST, LEVELS
from holdfast.analysis.debt.debt_item import certain_debts
from holdfast.analysis.defects.prediction import Prediction, kept_predictions
from holdfast.analysis.duplicates.clone import COPIES, CloneClass, CloneQuery
from holdfast.analysis.duplicates.clones import kept_clones
from holdfast.analysis.graph.dependency_graph import cached_graph
from holdfast.analysis.room import Analysis
from holdfast.analysis.rules import DEFECT_RULE, DUPLICATE_RULES
from holdfast.analysis.sarif import Finding
from holdfast.analysis.survey import Survey
from holdfast.kernel.errors import Unavailable
from holdfast.kernel.untrusted import visible_in
from holdfast.storage.git.command import Git
from holdfast.storage.git.committed_files import first_parents

CHURN_DAYS = 90
"""How long before the last commit changes count for the gradient."""
_DAY = 86_400
_PLACES = 5


@dataclass(frozen=True)
class Terms:
    """What counts, and how much is told."""

    confidence: float
    min_lines: int
    brief: bool
    """Numbers alone: no findings, and no search for renamed clones."""


def components(terms: Terms) -> dict[str, Analyser]:
    """Return what does each analysis, in the order of the answer."""
    return {
        "duplicates": partial(duplicated, terms),
        "dead_code": partial(unused, terms),
        "defects": partial(risky, terms),
        "complexity": complex_functions,
        "debt": admitted,
        "churn": changed,
        "coupling": coupled,
    }


def duplicated(terms: Terms, material: Material) -> Part:
    """Return the clones of a project, and the share of each file that is in one."""
    room, project = material.room, material.asked.project
    query = CloneQuery(COPIES, terms.min_lines)
    report = kept_clones(room, project, query, material.survey)
    section = {
        "clone_classes": len(report.classes),
        "by_kind": dict(sorted(Counter(one.kind for one in report.classes).items())),
        "duplicate_lines": sum(report.duplicate_lines.values()),
        "total_lines": report.total_lines,
        "duplication": round(report.duplication, 4) if report.total_lines else None,
        "classes": [] if terms.brief else [_clone(one) for one in report.classes[: material.asked.limit]],
    }
    numbers = {
        path: {"duplicated": report.duplicate_lines.get(path, 0) / lines}
        for path, lines in report.lines.items()
        if lines
    }
    issues = () if terms.brief else tuple(map(_copied, report.classes))
    return Part({"duplicates": visible_in(section)}, issues, numbers, {"duplicated": 0.0})


def _clone(one: CloneClass) -> dict[str, object]:
    places = [
        {"file": each.file, "line": each.start_line, "end_line": each.end_line} for each in one.fragments
    ]
    return {"id": one.id, "kind": one.kind, "similarity": one.similarity, "fragments": places}


def _copied(one: CloneClass) -> Issue:
    first, others = one.fragments[0], [f"{each.file}:{each.start_line}" for each in one.fragments[1:]]
    rule = DUPLICATE_RULES[one.kind]
    finding = Finding(
        rule.id,
        rule.level,
        f"{rule.summary} See {', '.join(others[:_PLACES])}{', …' if len(others) > _PLACES else ''}.",
        first.file,
        first.start_line,
        first.end_line,
        thing=one.id,
        properties={"similarity": one.similarity},
    )
    return Issue("duplication", "low", 0, finding)


def unused(terms: Terms, material: Material) -> Part:
    """Return what nothing in the whole repository uses, as sure as the threshold wants it."""
    everything = became_dead(material.room, material.everything, None)
    found = [item for item in everything if item.file in material.survey.files]
    kept = sorted(
        (item for item in found if item.confidence >= terms.confidence),
        key=lambda item: (-item.confidence, item.file, item.line, item.name),
    )
    levels, kinds = Counter(item.level for item in kept), Counter(item.kind for item in kept)
    section = {
        "total": len(kept),
        "by_level": {level: levels[level] for level in LEVELS},
        "by_kind": dict(sorted(kinds.items())),
        "below_threshold": len(found) - len(kept),
        "at_least_medium": sum(item.confidence >= LEAST["medium"] for item in found),
        "findings": [asdict(item) for item in kept[: 0 if terms.brief else material.asked.limit]],
    }
    issues = () if terms.brief else tuple(map(useless, kept))
    return Part({"dead_code": visible_in(section)}, issues)


def risky(terms: Terms, material: Material) -> Part:
    """Return how probable defects are in files that are long enough, as sure as the threshold wants it."""
    room, survey, asked = material.room, material.survey, material.asked
    report = kept_predictions(room, asked.project, survey)
    long = [one for one in report.predictions if survey.files[one.file].code_lines >= terms.min_lines]
    kept = [one for one in long if one.confidence >= terms.confidence]
    risks = Counter(one.risk for one in kept)
    chances = [one.probability for one in report.predictions]
    section = {
        "files": len(kept),
        "by_risk": {risk: risks[risk] for risk in ("High", "Medium", "Low")},
        "below_threshold": len(long) - len(kept),
        "too_short": len(report.predictions) - len(long),
        "mean_probability": round(sum(chances) / len(chances), 4) if chances else None,
        "max_probability": max(chances, default=None),
        "predictions": [_prediction(one) for one in kept[: 0 if terms.brief else asked.limit]],
    }
    high = [] if terms.brief else [one for one in kept if one.risk == "High"]
    return Part({"defects": visible_in(section)}, tuple(map(_at_risk, high)))


def _prediction(one: Prediction) -> dict[str, object]:
    return {
        "file": one.file,
        "probability": one.probability,
        "confidence": one.confidence,
        "risk": one.risk,
        "missing": dict(one.missing),
    }


def _at_risk(one: Prediction) -> Issue:
    words = f"A fix is {one.probability:.0%} probable within a year."
    properties = {"defect_probability": one.probability, "confidence": one.confidence}
    finding = Finding(DEFECT_RULE.id, "warning", words, one.file, thing=one.file, properties=properties)
    return Issue("defect", "medium", 0, finding)


def complex_functions(material: Material) -> Part:
    """Return how complex functions are."""
    part = material.room.once(
        f"complexity {material.asked.project} {material.asked.limit}",
        material.survey,
        lambda: complexities(material),
    )
    report = part.sections["complexity_report"]
    listed = {name: report[name] for name in ("total_violations", "violations", "hotspots")}
    return replace(part, sections={"complexity": report["summary"] | listed})


def admitted(material: Material) -> Part:
    """Return the debts that comments admit by a marker; what a model takes for one is not looked for."""
    found = certain_debts(material.room, material.survey)
    section = {
        "total": len(found),
        "by_severity": dict(sorted(Counter(item.severity for item in found).items())),
        "by_category": dict(sorted(Counter(item.category for item in found).items())),
        "items": [asdict(item) for item in found[: material.asked.limit]],
    }
    return Part({"debt": visible_in(section)}, tuple(map(owed, found)))


def changed(material: Material) -> Part:
    """Return how much files changed in the days before the last commit; its numbers alone."""
    churn = recent_churn(material.room, material.survey, material.asked.project.path)
    if churn is None:
        raise Unavailable("There is no commit, and so no change.")
    numbers = {file.path: {"churn_score": file.score} for file in churn.files}
    return Part({}, numbers=numbers, otherwise={"churn_score": 0.0})


def recent_churn(room: Analysis, survey: Survey, project: str) -> Churn | None:
    """Return what happened to the files of a project in the days before the last commit; None without one."""
    head = room.history.head()
    return room.once(f"churn {project} {head}", survey, lambda: _churn(room, project)) if head else None


def _churn(room: Analysis, project: str) -> Churn:
    with Git(room.repository) as git:
        [(_, committed)] = first_parents(git, 1)
    return room.history.churn(project, max(committed - CHURN_DAYS * _DAY, 0))


def coupled(material: Material) -> Part:
    """Return how many files each one imports, and how many import it; its numbers alone."""
    coupling = cached_graph(material.room, material.survey, "import-graph").coupling()
    numbers = {
        path: {"imported_by": incoming, "imports": outgoing}
        for path, (incoming, outgoing) in coupling.items()
    }
    return Part({}, numbers=numbers, otherwise={"imported_by": 0, "imports": 0})
