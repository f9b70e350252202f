"""How well debt is found in projects that the model has not seen, and how fast.

    python -m bench.debt [FOLDER]

FOLDER, or the one that `HOLDFAST_DEBT` names, is as `scripts/train_debt.py` describes it. Models are trained
here, with scikit-learn of an environment in the cache. For each project a model is trained on the others, and
the threshold is the best one for the others. Shown is F1 on corrected and on original labels: of the words
TODO, FIXME, XXX and HACK anywhere, of these or the field's plain baseline (TF-IDF of words and pairs with a
logistic regression), of our markers alone, and of markers or our model.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path

from scripts.train_debt import Projects, Row, Scores, best_threshold, f1, read_projects, unseen_scores

from bench._peers import Peers, folders
from bench._results import Results, absent, parser
from holdfast.analysis.debt.model import shipped_model

WORDS = re.compile(r"\b(?:todo|fixme|xxx|hack)\b", re.IGNORECASE)
LABELS = ("corrected", "original")
WAYS = ("words anywhere", "words or TF-IDF", "markers", "markers or model")
BARS = (0.78, 0.71)
CORPUS = "Comments of seven Java projects (the set of Maldonado and others, MIT licence), {:,} of them"


def table(results: Results, projects: Projects) -> None:
    """Add F1 of every project left out in turn."""
    scores = unseen_scores(projects)
    rows: list[list[str | int]] = []
    found: list[list[float]] = []
    for name, comments in projects.items():
        words = [float(bool(WORDS.search(row.text))) for row in comments]
        certain = [float(row.certain) for row in comments]
        threshold = best_threshold(projects, scores, without=name)
        ways = (
            (words, 0.5),
            (baseline(projects, name, words), 0.5),
            (certain, 0.5),
            (scores[name], threshold),
        )
        found.append([f1(comments, given, at, label) for given, at in ways for label in LABELS])
        debts = " / ".join(str(sum(bool(getattr(row, label)) for row in comments)) for label in LABELS)
        rows.append([name, len(comments), debts, *pairs(found[-1])])
    means = [sum(column) / len(found) for column in zip(*found, strict=True)]
    results.table(
        "projects", ("project", "comments", "debts", *WAYS), [*rows, ["**mean**", "", "", *pairs(means)]]
    )
    for place, (label, bar) in enumerate(zip(LABELS, BARS, strict=True)):
        against = f"words or TF-IDF: {means[2 + place]:.3f}"
        results.bar(
            f"debt: mean F1, {label} labels", means[-2 + place], bar, better="higher", against=against
        )
    results.table("parts", ("comments", "said to be debt", "are debt %", "found %"), parts(projects, scores))


def baseline(projects: Projects, left_out: str, words: Sequence[float]) -> list[float]:
    """Return what the baseline, trained on the other projects, or a word says of a project's comments."""
    known: list[Row] = [row for name, rows in projects.items() if name != left_out for row in rows]
    vectors = import_module("sklearn.feature_extraction.text").TfidfVectorizer(
        ngram_range=(1, 2), min_df=2, sublinear_tf=True
    )
    regression = import_module("sklearn.linear_model").LogisticRegression(
        C=10, class_weight="balanced", solver="liblinear", random_state=0
    )
    regression.fit(vectors.fit_transform(row.text for row in known), [row.corrected for row in known])
    told = regression.predict_proba(vectors.transform(row.text for row in projects[left_out]))[:, 1]
    return [max(float(score), word) for score, word in zip(told, words, strict=True)]


def parts(projects: Projects, scores: Scores) -> list[tuple[str, int, str, str]]:
    """Return how often markers and model are right, and how much of their part they find."""
    rows = [
        (row.certain, row.corrected, row.certain or score >= threshold)
        for name in projects
        for threshold in [best_threshold(projects, scores, without=name)]
        for row, score in zip(projects[name], scores[name], strict=True)
    ]
    found = []
    for certain, what in ((True, "with a marker"), (False, "without a marker, by the model")):
        part = [(truth, said) for marked, truth, said in rows if marked is certain]
        said, right = sum(said for _, said in part), sum(truth and said for truth, said in part)
        share = right / max(1, sum(truth for truth, _ in part))
        found.append((what, said, f"{100 * right / said:.1f}", f"{100 * share:.1f}"))
    return found


def pairs(figures: Sequence[float]) -> Iterable[str]:
    return (f"{one:.3f} / {other:.3f}" for one, other in zip(figures[::2], figures[1::2], strict=True))


def speed(projects: Projects) -> None:
    model, texts = shipped_model(), [row.text for rows in projects.values() for row in rows]
    began = time.process_time()
    for text in texts:
        model.probability(text)
    print(f"{len(texts) / (time.process_time() - began):,.0f} comments a second")


def main() -> int:
    arguments = parser(__doc__)
    arguments.add_argument("folder", type=Path, nargs="?", default=next(iter(folders("HOLDFAST_DEBT")), None))
    options = arguments.parse_args()
    if options.folder is None:
        return absent("a folder of labelled comments (HOLDFAST_DEBT)")
    peers = Peers("training", ["scikit-learn"])
    peers.importable()
    projects = read_projects(options.folder)
    results = Results("bench.debt", CORPUS.format(sum(map(len, projects.values()))), peers.versions())
    table(results, projects)
    speed(projects)
    return results.finish(options)


if __name__ == "__main__":
    sys.exit(main())
