"""Train the model of probable technical debt (self-admitted, in comments).

    python -m scripts.train_debt FOLDER

FOLDER has the comments of several projects with manual labels: `original/PROJECT.csv` and
`corrected/PROJECT.csv` with the columns `Abstract` and `label`. Needs scikit-learn.
"""

from __future__ import annotations

import csv
import gzip
import json
import math
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from holdfast.analysis.debt.marker import marker_in
from holdfast.analysis.debt.model import DebtModel, features
from holdfast.analysis.debt.passage import Passage, passages
from holdfast.analysis.debt.prose import is_prose
from holdfast.syntax.record import Comment

HERE = Path(__file__).resolve().parent
WORDS = HERE / "debt_words.toml"
TARGET = HERE.parent / "src" / "holdfast" / "analysis" / "debt" / "model.json.gz"
SENTENCES = HERE.parent / "tests" / "analysis" / "debt" / "sentences.json"
STRENGTH = 0.2
"""scikit-learn's `C`, the inverse of the regularisation; chosen once for all projects."""
TAG, EMPHASIS = "<tag>", 3
"""A judgement: a marker word within a sentence is rare in the data, but a strong sign of debt."""


class Row(NamedTuple):
    """A labelled comment."""

    text: str
    certain: bool
    prose: bool
    """Whether the model applies to it."""
    original: bool
    corrected: bool


Projects = Mapping[str, Sequence[Row]]
Scores = Mapping[str, Sequence[float]]


def passage(text: str) -> Passage:
    """Return a comment as a passage, splitting its lines, which the data joins by spaces."""
    lines = re.sub(r"[\r\n]+|\s+(?=//)|\s+(?=\*[\s/])", "\n", text)
    return next(passages([Comment(1, 1, 1 + lines.count("\n"), lines)]))


def read_projects(folder: Path) -> dict[str, list[Row]]:
    """Return the comments of each project with both labels."""
    projects: dict[str, list[Row]] = {}
    for path in sorted((folder / "original").glob("*.csv")):
        tables = [_table(folder / kind / path.name) for kind in ("original", "corrected")]
        rows = projects[path.stem] = []
        for (text, original), (same, corrected) in zip(*tables, strict=True):
            assert text == same
            found = passage(text)
            certain = any(marker_in(line.text) for line in found.lines)
            rows.append(Row(found.text, certain, is_prose(found), original, corrected))
    return projects


def _table(path: Path) -> list[tuple[str, bool]]:
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        return [(row["Abstract"], row["label"] == "yes") for row in csv.DictReader(file)]


def vocabulary() -> tuple[dict[str, str], dict[str, str]]:
    """Return the kind of each word, and the sort of each kind."""
    kinds: dict[str, str] = {}
    sorts: dict[str, str] = {}
    for sort, lists in tomllib.loads(WORDS.read_text(encoding="utf-8")).items():
        for kind, words in lists.items():
            sorts[f"<{kind}>"] = f"{{{sort}}}"
            kinds |= dict.fromkeys(words.split(), f"<{kind}>")
    return kinds, sorts


class Trained(NamedTuple):
    """A logistic regression of scikit-learn, its columns, and the model exported from it."""

    regression: Any
    rarity: Mapping[str, float]
    """The inverse document frequency of each feature, by which its column is scaled."""
    model: DebtModel

    def probability(self, text: str) -> float:
        """Return scikit-learn's own probability, which the exported model must reproduce."""
        found = features(text, self.model.kinds, self.model.sorts)
        return float(self.regression.predict_proba(_matrix([found], self.rarity))[0][1])


def train(projects: Projects, threshold: float = 0.25) -> Trained:
    """Return a model of the corrected labels, trained on the comments without a marker."""
    kinds, sorts = vocabulary()
    rows = _distinct(projects)
    texts = [features(row.text, kinds, sorts) for _, row, _ in rows]
    documents = Counter(name for text in texts for name in text)
    # Features of a single project do not generalise.
    origins = {(feature, name) for (name, _, _), text in zip(rows, texts, strict=True) for feature in text}
    shared = Counter(feature for feature, _ in origins)
    rarity = {
        name: math.log(len(texts) / (documents[name] + 1)) + 1
        for name, count in sorted(shared.items())
        if count > 1
    }
    rarity[TAG] *= EMPHASIS
    regression = import_module("sklearn.linear_model").LogisticRegression(
        C=STRENGTH, solver="liblinear", max_iter=1000, random_state=0
    )
    times = [math.sqrt(times) for _, _, times in rows]
    regression.fit(_matrix(texts, rarity), [row.corrected for _, row, _ in rows], sample_weight=times)
    weights = zip(rarity, regression.coef_[0], strict=True)
    model = DebtModel(
        bias=round(float(regression.intercept_[0]), 4),
        threshold=threshold,
        kinds=kinds,
        sorts=sorts,
        weights={name: round(float(weight) * rarity[name], 3) for name, weight in weights},
    )
    return Trained(regression, rarity, model)


def _distinct(projects: Projects) -> list[tuple[str, Row, int]]:
    """Return the distinct comments of each project that the model applies to, with their counts."""
    found: dict[tuple[str, str, bool], list[Row]] = {}
    for name, rows in projects.items():
        for row in rows:
            if row.prose and not row.certain:
                words = re.sub(r"\W+", " ", row.text.lower()).strip()
                found.setdefault((name, words, row.corrected), []).append(row)
    return [(name, same[0], len(same)) for (name, _, _), same in found.items()]


def _matrix(texts: Iterable[Iterable[str]], rarity: Mapping[str, float]) -> Any:
    places = {name: place for place, name in enumerate(rarity)}
    values: list[float] = []
    columns: list[int] = []
    ends = [0]
    for text in texts:
        known = sorted(name for name in text if name in rarity)
        values += [rarity[name] / math.sqrt(len(known)) for name in known]
        columns += [places[name] for name in known]
        ends.append(len(values))
    shape = (len(ends) - 1, len(rarity))
    return import_module("scipy.sparse").csr_matrix((values, columns, ends), shape=shape)


def unseen_scores(projects: Projects) -> dict[str, list[float]]:
    """Return the probabilities of each project's comments by a model trained on the other projects."""
    scores = {}
    for held in projects:
        model = train({name: rows for name, rows in projects.items() if name != held}).model
        scores[held] = [
            1.0 if row.certain else model.probability(row.text) if row.prose else 0.0
            for row in projects[held]
        ]
    return scores


def f1(rows: Sequence[Row], scores: Sequence[float], threshold: float, label: str) -> float:
    """Return the F1 score at a threshold; a comment with a marker has score 1."""
    predicted = [score >= threshold for score in scores]
    truth = [bool(getattr(row, label)) for row in rows]
    both = sum(one and other for one, other in zip(predicted, truth, strict=True))
    return 2 * both / max(1, sum(predicted) + sum(truth))


def best_threshold(projects: Projects, scores: Scores, *, without: str = "") -> float:
    """Return the threshold for the best F1 on comments without markers, of all projects but one.

    For calibrated probabilities the optimal threshold is half of the optimal F1 (Lipton, Elkan and
    Narayanaswamy 2014, https://arxiv.org/abs/1402.1892). That estimate depends less on the sample than the
    best threshold found.
    """
    unmarked = [
        (row, score)
        for name in projects
        if name != without
        for row, score in zip(projects[name], scores[name], strict=True)
        if not row.certain
    ]
    rows, probabilities = [row for row, _ in unmarked], [score for _, score in unmarked]
    return round(max(f1(rows, probabilities, step / 100, "corrected") for step in range(10, 61)) / 2, 3)


def main() -> None:
    """Write the model trained on all projects, and scikit-learn's probabilities for the test's sentences."""
    projects = read_projects(Path(sys.argv[1]))
    trained = train(projects, best_threshold(projects, unseen_scores(projects)))
    document = json.dumps(vars(trained.model), separators=(",", ":"), sort_keys=True)
    TARGET.write_bytes(gzip.compress(document.encode("ascii"), mtime=0))
    sentences = {
        text: round(trained.probability(text), 4) for text in json.loads(SENTENCES.read_text("utf-8"))
    }
    SENTENCES.write_text(json.dumps(sentences, indent=2) + "\n", encoding="utf-8")
    size, model = TARGET.stat().st_size, trained.model
    print(f"{len(model.weights):,} weights, threshold {model.threshold}, {size:,} bytes")


if __name__ == "__main__":
    main()
