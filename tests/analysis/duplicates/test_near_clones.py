"""Gapped and semantic clones: what was changed in places, what is only built alike, and what is neither."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Mapping
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from holdfast.analysis.duplicates.clone import CloneKind, CloneQuery, FragmentGroup
from holdfast.analysis.duplicates.clone_report import CloneReport
from holdfast.analysis.duplicates.clones import clones_in_files
from holdfast.analysis.duplicates.gpu_use import GpuUse
from holdfast.analysis.engine.product import TOKENS, SourceText
from holdfast.syntax.record import read_record
from tests.analysis.duplicates.test_sketch import OF_BOTH

GAPPED: frozenset[CloneKind] = frozenset({"gapped"})
SEMANTIC: frozenset[CloneKind] = frozenset({"semantic"})
FOR_GAPPED = CloneQuery(GAPPED)
LANGUAGES = {"py": "python", "js": "javascript", "ts": "typescript", "java": "java"}

ORIGINAL = """\
def load_accounts(path, limit):
    accounts = {}
    with open(path, encoding="utf-8") as source:
        for number, row in enumerate(source):
            name, _, balance = row.partition(",")
            if not name.strip():
                continue
            accounts[name.strip()] = int(balance)
            if number >= limit:
                break
    return accounts
"""
CHANGED = """\
def load_accounts(path, limit, log):
    accounts = {}
    log.info("reading %s", path)
    with open(path, encoding="utf-8") as source:
        for number, row in enumerate(source):
            name, _, balance = row.partition(",")
            accounts[name.strip()] = int(balance)
            log.debug("%s has %s", name, balance)
            if number >= limit:
                break
    log.info("done")
    return accounts
"""
OTHER = """\
class Window:
    def draw(self, canvas, theme):
        canvas.clear(theme.background)
        canvas.border(self.width - 1, self.height - 1, style=theme.border)
        for child in self.children[::-1]:
            child.draw(canvas.inside(child.x, child.y), theme)
        return canvas.flush(when=self.clock() + 0.1)
"""
BUILT_ALIKE = """\
def fetch_scores(place, most):
    scores = {}
    with connect(place, secure="yes") as stream:
        for index, line in numbered(stream):
            player, rest, points = line.split(";")
            if not player.lower():
                continue
            scores[player.lower()] = float(points)
            if index >= most:
                return
    return scores
"""


def found(files: Mapping[str, str], wanted: CloneQuery = FOR_GAPPED) -> CloneReport:
    streams, records = {}, {}
    for path, text in sorted(files.items()):
        parts = TOKENS.make(SourceText(path, LANGUAGES[path.rpartition(".")[2]], text.encode()))
        record = read_record(path, text.encode())
        assert parts is not None
        assert record is not None
        streams[path], records[path] = TOKENS.restore(parts), record
    return clones_in_files(streams, wanted, lambda: records)


def places(classes: Iterable[FragmentGroup]) -> list[list[tuple[str, int, int]]]:
    return [[one[:3] for one in each.fragments] for each in classes]


def lines(number: int, word: str) -> str:
    """Return so many lines of a function, other ones for each word."""
    source = random.Random(word)
    text = []
    for _ in range(number):
        one, two, three, four = (source.choice("abcdefghij") + word for _ in range(4))
        text.append(
            source.choice([
                f"{one} = {two}.{three}()", f"{one}({two}, {three} + 1)", f"{one}[{two}] -= {three}",
                f"{one} = [{two}, *{three}]", f"{one}.{two} = {three} or {four}", f"yield {one}, {two}",
                f"{one} = {two} * {three} - {four}", f"{one}.{two}({three}={four})", f"del {one}[{two}].x",
                f"{one}, {two} = {three}({four})", f"raise {one}({two}, {three})", f"assert {one} > {two}",
            ])
        )  # fmt: skip
    return "".join(f"    {line}\n" for line in text)


@pytest.mark.requirement("analysis-128")
def test_a_copy_with_lines_put_in_and_taken_out_is_a_gapped_clone() -> None:
    report = found({"a.py": ORIGINAL, "b.py": "import x\n\n\n" + CHANGED, "c.py": OTHER})

    assert places(report.groups) == [[("a.py", 1, 11), ("b.py", 4, 15)]]
    only = report.groups[0]
    assert only.kind == "gapped"
    assert [one.similarity for one in only.fragments] == [1.0, only.similarity]
    assert 0.6 < only.similarity < 0.95
    assert (report.duplicate_lines, report.gapped_lines) == ({}, {"a.py": 11, "b.py": 12})


def test_the_similarity_is_the_share_of_tokens_that_stay_in_order() -> None:
    report = found({"a.py": ORIGINAL, "b.py": CHANGED})
    tokens = [one.tokens for one in report.groups[0].fragments]
    # Of the original's tokens all but nine, on the two lines that ask for a name, are still there in order.
    assert report.groups[0].similarity == round(2 * (tokens[0] - 9) / sum(tokens), 4)


@pytest.mark.requirement("analysis-129")
def test_code_that_is_only_built_alike_is_a_semantic_lead_with_its_score_and_no_duplicate() -> None:
    files = {"a.py": ORIGINAL, "b.py": BUILT_ALIKE, "c.py": OTHER}
    report = found(files, CloneQuery(GAPPED | SEMANTIC, threshold=0.9))

    assert [one.kind for one in report.groups] == ["semantic"]
    assert places(report.groups) == [[("a.py", 1, 11), ("b.py", 1, 11)]]
    assert 0.9 <= report.groups[0].similarity < 1
    assert report.code.share == 0


def test_a_copy_of_half_a_long_function_is_found_as_a_block() -> None:
    block = "    if ready:\n" + lines(18, "k").replace("    ", "        ")
    changed = block.splitlines(keepends=True)
    del changed[5:7]
    files = {
        "a.py": f"def first(x):\n{lines(20, 'p')}{block}{lines(4, 'q')}",
        "b.py": f"def second(y, z):\n{lines(5, 'r')}{''.join(changed)}{lines(22, 's')}",
    }

    assert places(found(files).groups) == [[("a.py", 22, 40), ("b.py", 7, 23)]]


def test_blocks_inside_of_functions_that_are_alike_are_not_told_again() -> None:
    block = "    if ready:\n" + lines(18, "k").replace("    ", "        ")
    text = f"def first(x):\n{lines(10, 'p')}{block}{lines(8, 'q')}"
    changed = text.replace("    ", "    log(x)\n    ", 1)

    assert places(found({"a.py": text, "b.py": changed}).groups) == [[("a.py", 1, 38), ("b.py", 1, 39)]]


def test_likeness_makes_no_chain() -> None:
    parts = [lines(8, word) for word in "klmnop"]
    files = {
        f"{number}.py": "def function(x):\n" + "".join(parts[number : number + 3]) for number in range(4)
    }
    classes = places(found(files).groups)

    assert classes
    for one in classes:
        numbers = sorted(int(path[0]) for path, _, _ in one)
        assert numbers[-1] - numbers[0] == 1


def test_equal_functions_and_renamed_ones_are_left_to_the_other_kinds() -> None:
    renamed = ORIGINAL.replace("accounts", "totals").replace("row", "line")

    assert found({"a.py": ORIGINAL, "b.py": ORIGINAL}, CloneQuery(GAPPED | SEMANTIC)).groups == ()
    assert found({"a.py": ORIGINAL, "b.py": renamed}, CloneQuery(GAPPED | SEMANTIC)).groups == ()


def test_every_copy_of_equal_functions_is_in_the_class() -> None:
    report = found({"a.py": ORIGINAL, "b.py": ORIGINAL, "c.py": CHANGED})

    assert [one.file for one in report.groups[0].fragments] == ["a.py", "b.py", "c.py"]
    assert [one.similarity == 1 for one in report.groups[0].fragments] == [True, True, False]


def test_threshold_and_least_lines_decide() -> None:
    files = {"a.py": ORIGINAL, "b.py": CHANGED}

    assert CloneQuery().effective_thresholds == {"gapped": 0.697, "semantic": 0.85}
    assert CloneQuery(SEMANTIC, threshold=0.5).effective_thresholds == {"semantic": 0.5}
    assert len(found(files, CloneQuery(GAPPED, threshold=0.85)).groups) == 1
    assert found(files, CloneQuery(GAPPED, threshold=1.0, min_lines=12)).groups == ()
    similarity = found(files).groups[0].similarity
    assert len(found(files, CloneQuery(GAPPED, threshold=similarity / 0.82 - 0.01)).groups) == 1
    assert found(files, CloneQuery(GAPPED, threshold=similarity / 0.82 + 0.01)).groups == ()


def test_a_looser_alignment_is_a_lead() -> None:
    rows = ORIGINAL.splitlines(keepends=True)
    changed = "".join([*rows[:2], "    log.info('reading %s of %s', path, limit)\n" * 6, *rows[2:8]])
    changed += "            if number + 1 > limit * 2:\n                raise TooLong(path, number)\n"
    files = {"a.py": ORIGINAL, "b.py": changed, "c.py": OTHER}

    [lead] = found(files, CloneQuery()).groups
    assert lead.kind == "semantic"
    assert 0.578 <= lead.similarity < 0.697
    assert found(files, CloneQuery(GAPPED)).groups == ()


def test_functions_that_share_only_what_is_frequent_in_the_project_are_leads() -> None:
    def command(name: str, option: str) -> str:
        return (
            f"def {name}(self, path):\n    arguments = self.git.command('{name}').option({option})\n"
            "    self.log.action(self.texts.actions)\n    with self.waiting(self.texts.status):\n"
            f"        error = self.git.run(arguments.{name}(path))\n    if error is not None:\n"
            f"        return self.{option}(error)\n    return None\n\n\n"
        )

    others = "".join(command(f"do{n}", f"opt{n}.x(a{n}, [b{n}])") + lines(3, f"w{n}") for n in range(40))
    pair = {"a.py": command("fetch", "force.y(2)"), "b.py": command("prune", "dry + self.z")}
    alone = found(pair, CloneQuery()).groups
    among_others = found({**pair, "c.py": others}, CloneQuery()).groups

    assert [group.kind for group in alone] == ["gapped"]
    assert not any(group.kind == "gapped" and "a.py" in str(group.fragments) for group in among_others)


def test_equal_files_that_are_too_short_for_a_clone_are_leads() -> None:
    short = "class Start(Base):\n    def run(self):\n        self.go(1)\n\n\nSTART = Start()\nSTART.run()\n"
    renamed = short.replace("Start", "Stop")

    [lead] = found({"a.py": short, "b.py": renamed}, CloneQuery()).groups
    assert (lead.kind, places([lead])) == ("semantic", [[("a.py", 1, 7), ("b.py", 1, 7)]])
    assert found({"a.py": short, "b.py": renamed + "x = 1\n"}, CloneQuery()).groups == ()


def test_a_lower_threshold_also_compares_pairs_with_less_in_common() -> None:
    first, second = (lines(6, "k") + "".join(lines(4, word + side) for word in "klmnop") for side in "xy")
    files = {"a.py": f"def function(x):\n{first}", "b.py": f"def function(x):\n{second}"}

    assert found(files, CloneQuery(GAPPED | SEMANTIC, threshold=0.85)).groups == ()
    assert len(found(files, CloneQuery(GAPPED | SEMANTIC, threshold=0.2)).groups) == 1


def test_languages_are_compared_only_where_a_copy_may_stand_in_the_other() -> None:
    body = "".join(
        f"  this.{word}(x, y.{word}[{at}]);\n" for at, word in enumerate(("one", "two", "three", "four"))
    )
    text = f"function f(x, y) {{\n{body}  return x;\n}}\n"
    changed = text.replace("  return", "  z();\n  return")
    java = "class A {\n" + changed.replace("function f(x, y)", "int f(int x, B y)") + "}\n"

    assert places(found({"a.js": text, "b.ts": changed}).groups) == [[("a.js", 1, 7), ("b.ts", 1, 8)]]
    assert found({"a.js": text, "b.java": java}).groups == ()


@pytest.mark.requirement("analysis-130")
def test_all_kinds_together_hold_what_each_finds_alone() -> None:
    files = {"a.py": ORIGINAL, "b.py": CHANGED, "c.py": BUILT_ALIKE, "d.py": OTHER, "e.py": ORIGINAL}
    together = found(files, CloneQuery(threshold=0.9))

    for kind in ("exact", "renamed", "gapped", "semantic"):
        alone = found(files, CloneQuery(frozenset({kind}), threshold=0.9)).groups
        assert set(alone) <= set(together.groups)
        assert alone or kind == "renamed"


@pytest.mark.requirement("analysis-132")
def test_a_gpu_that_is_asked_for_and_missing_is_told_and_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    files = {"a.py": ORIGINAL, "b.py": CHANGED}
    without, asked = found(files), found(files, CloneQuery(GAPPED, gpu=True))

    assert asked.groups == without.groups
    assert (without.gpu.requested, without.gpu.used) == (False, False)
    assert (asked.gpu.requested, asked.gpu.used) == (True, False)
    assert "CuPy is not installed" in str(asked.gpu.reason)
    exact = found(files, CloneQuery(frozenset({"exact"}), gpu=True)).gpu
    assert (exact.used, "needs no GPU" in str(exact.reason)) == (False, True)


@pytest.mark.requirement("analysis-132")
@pytest.mark.parametrize("gives_up", [False, True])
def test_a_gpu_that_answers_is_used_and_one_that_gives_up_is_done_without(
    monkeypatch: pytest.MonkeyPatch, gives_up: bool
) -> None:
    fake: Any = ModuleType("cupy")
    for name in OF_BOTH:
        setattr(fake, name, getattr(np, name))
    properties = {"name": b"Accelerator 1"}
    fake.cuda = SimpleNamespace(
        runtime=SimpleNamespace(getDevice=lambda: 0, getDeviceProperties=lambda _number: properties)
    )

    def asnumpy(values: Any) -> Any:
        if gives_up:
            raise MemoryError
        return values

    fake.asnumpy = asnumpy
    monkeypatch.setitem(sys.modules, "cupy", fake)
    report = found({"a.py": ORIGINAL, "b.py": CHANGED}, CloneQuery(GAPPED, gpu=True))

    assert report.groups == found({"a.py": ORIGINAL, "b.py": CHANGED}).groups
    assert (report.gpu.used, report.gpu.device) == (not gives_up, "Accelerator 1")
    assert ("MemoryError" in str(report.gpu.reason)) == gives_up
    idle = found({"a.py": "x = 1\n"}, CloneQuery(GAPPED, gpu=True)).gpu
    assert (idle.used, "nothing to search" in str(idle.reason)) == (False, True)
    assert found({"a.py": "x = 1\n"}).gpu == GpuUse()


def test_classes_have_names_that_stay_when_other_code_changes() -> None:
    first = found({"a.py": ORIGINAL, "b.py": CHANGED})
    second = found({"a.py": OTHER, "f/a.py": ORIGINAL, "f/b.py": "x = 1\n" + CHANGED, "g.py": OTHER})

    assert [one.id for one in first.groups] == [one.id for one in second.groups if one.kind == "gapped"]
