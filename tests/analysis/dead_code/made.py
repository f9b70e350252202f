"""Projects made of texts, and what is found dead in them."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent

from holdfast.analysis.dead_code.detection import find_dead_code
from holdfast.analysis.dead_code.unused_code import MIN_CONFIDENCE, Level, UnusedCode
from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.graph.resolution import Resolution
from holdfast.syntax.record import Record, read_record


def findings(files: Mapping[str, str]) -> tuple[UnusedCode, ...]:
    """Return everything that is found dead in files, given as texts by path."""
    texts = {path: dedent(text).lstrip("\n") for path, text in files.items()}
    records: dict[str, Record] = {}
    others = []
    for path, text in sorted(texts.items()):
        record = read_record(path, text.encode())
        if record is None:
            others.append(path)
        else:
            records[path] = record
    scan = Scan(records, {}, (), tuple(others))
    return find_dead_code(Resolution(scan, texts.get))


def dead(files: Mapping[str, str], least: Level = "medium") -> dict[str, str]:
    """Return the names found dead at a level of confidence or a higher one, each with its level."""
    return {one.name: one.level for one in findings(files) if one.confidence >= MIN_CONFIDENCE[least]}
