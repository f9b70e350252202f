"""How well labels of dead code made by others are met: those of skylos, small projects in Python, Go, Java,
JavaScript and TypeScript with the symbols in them that are used and unused.

A symbol counts as reported if a finding at the default level, medium, names it. An unused file counts as
reported if all definitions in it are.

    HOLDFAST_DEAD_CODE=FOLDER python -m bench.dead_code_labels

The folder is `benchmarks/dead_code` of skylos.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from bench._dead_code_score import Label, Score
from bench._results import Results, absent, parser
from bench.dead_code import Tree
from holdfast.analysis.dead_code.detection import find_dead_code
from holdfast.analysis.dead_code.unused_code import UnusedCode

MANIFESTS = ("manifest.json", "adversarial_manifest.json")
KINDS = {
    "function": {"function", "method"},
    "class": {"class"},
    "variable": {"variable", "local"},
    "import": {"import"},
    "parameter": {"parameter"},
}


def judged(folder: Path, case: dict[str, Any]) -> Score:
    """Return how well the labels of a case were met."""
    tree = Tree.load(folder / case["path"])
    found = find_dead_code(tree.resolution())
    score = Score()
    for expected, dead in (("unused", True), ("used", False)):
        for label in case["expect"].get(expected, ()):
            item = _file_finding(tree, found, label) if label["kind"] == "file" else _finding(found, label)
            what = f"{case['id']}: {label['kind']}"
            named = Label(label["file"], label["symbol"], dead, what)
            score.add(named, item.level, item.reason) if item else score.add(named, None)
    return score


def _finding(found: tuple[UnusedCode, ...], label: dict[str, str]) -> UnusedCode | None:
    name = label["symbol"].rpartition(".")[2]
    fitting = (
        item
        for item in found
        if item.file == label["file"]
        and item.name.rpartition(".")[2] == name
        and item.kind in KINDS[label["kind"]]
    )
    return max(fitting, key=lambda item: item.confidence, default=None)


def _file_finding(tree: Tree, found: tuple[UnusedCode, ...], label: dict[str, str]) -> UnusedCode | None:
    """Return the weakest of the findings on the outer definitions of a file, if all have one."""
    outer = [item for item in tree.records[label["file"]].names.definitions if item.container < 0]
    items = {item.name: item for item in found if item.file == label["file"]}
    findings = [items[item.path] for item in outer if item.path in items]
    return min(findings, key=lambda item: item.confidence) if len(findings) == len(outer) > 0 else None


def main() -> int:
    """Publish how well the labels were met, and print those that were not."""
    given = parser(__doc__).parse_args()
    folder = Path(os.environ.get("HOLDFAST_DEAD_CODE", "/nowhere"))
    if not folder.is_dir():
        return absent("skylos's `benchmarks/dead_code` (HOLDFAST_DEAD_CODE)")
    results = Results("bench.dead_code_labels", "Labels of skylos, of 23 small projects")
    rows, total = [], Score()
    for manifest in MANIFESTS:
        score = Score()
        for case in json.loads((folder / manifest).read_text("utf-8"))["cases"]:
            one = judged(folder, case)
            score.merge(one)
            print(*one.wrong, sep="\n")
        rows.append(score.row(manifest))
        total.merge(score)
    rows.append(total.row("**all**"))
    heads = ("labels", "dead", "live", "precision", "recall", "F1", "precision at high (number)")
    results.table("labels", heads, rows)
    results.bar("dead code, labels of skylos: F1", total.f1, 0.95, better="higher")
    return results.finish(given)


if __name__ == "__main__":
    sys.exit(main())
