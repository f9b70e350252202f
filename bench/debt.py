"""How well debt is found in projects that the model has not seen, and how fast.

    python -m bench.debt FOLDER

FOLDER is as `scripts/train_debt.py` describes it; the models are trained here, so scikit-learn is needed.
For each project a model is trained on the others, and the threshold is the best one for the others. Shown is
F1 on corrected and on original labels: of the words TODO, FIXME, XXX and HACK anywhere, of markers alone, and
of markers or model.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Sequence
from pathlib import Path

from scripts.train_debt import Projects, Scores, best_threshold, f1, read_projects, unseen_scores

from holdfast.analysis.debt.model import shipped_model

WORDS = re.compile(r"\b(?:todo|fixme|xxx|hack)\b", re.IGNORECASE)
LABELS = ("corrected", "original")


def table(projects: Projects) -> None:
    scores = unseen_scores(projects)
    print("project | comments | debts | words anywhere | markers | markers or model | threshold")
    means: list[Sequence[float]] = []
    for name, rows in projects.items():
        threshold = best_threshold(projects, scores, without=name)
        words = [float(bool(WORDS.search(row.text))) for row in rows]
        certain = [float(row.certain) for row in rows]
        figures = [
            f1(rows, given, at, label)
            for given, at in ((words, 0.5), (certain, 0.5), (scores[name], threshold))
            for label in LABELS
        ]
        means.append(figures)
        debts = [sum(bool(getattr(row, label)) for row in rows) for label in LABELS]
        print(f"{name} | {len(rows)} | {debts} | {shown(figures)} | {threshold:.2f}")
    print(f"mean | {shown([sum(column) / len(means) for column in zip(*means, strict=True)])}")
    unmarked(projects, scores)


def unmarked(projects: Projects, scores: Scores) -> None:
    """Print how often the model is right, and how much it finds, where there is no marker to go by."""
    rows = [
        (row.corrected, score >= threshold)
        for name in projects
        for threshold in [best_threshold(projects, scores, without=name)]
        for row, score in zip(projects[name], scores[name], strict=True)
        if not row.certain
    ]
    right = sum(truth and said for truth, said in rows)
    precision, recall = right / sum(said for _, said in rows), right / sum(truth for truth, _ in rows)
    print(f"model alone, comments without a marker: precision {precision:.3f}, recall {recall:.3f}")


def shown(figures: Sequence[float]) -> str:
    return " | ".join(
        f"{one:.3f} / {other:.3f}" for one, other in zip(figures[::2], figures[1::2], strict=True)
    )


def speed(projects: Projects) -> None:
    model, texts = shipped_model(), [row.text for rows in projects.values() for row in rows]
    began = time.process_time()
    for text in texts:
        model.probability(text)
    print(f"{len(texts) / (time.process_time() - began):,.0f} comments a second")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    folder = parser.parse_args().folder
    if folder is None:
        print("no folder of labelled comments given: nothing to measure")
        return
    projects = read_projects(folder)
    table(projects)
    speed(projects)


if __name__ == "__main__":
    main()
