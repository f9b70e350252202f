"""Our own form of labelled data; README.md describes it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bench.anchors.cases import Case, Label
from holdfast.comments.tracking.placement import FileVersion


def files(folder: Path) -> list[Path]:
    """Return the label files of a folder."""
    return sorted(folder.glob("*.jsonl"))


def load(path: Path) -> Iterator[Case]:
    """Yield the cases of a label file."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield _case(path.parent, json.loads(line))


def _case(folder: Path, record: dict[str, Any]) -> Case:
    return Case(
        name=record["name"],
        old=_version(folder, record["old"]),
        new=_version(folder, record["new"]),
        between=tuple(_version(folder, each) for each in record.get("between", ())),
        labels=tuple(_label(each) for each in record["labels"]),
    )


def _label(record: dict[str, Any]) -> Label:
    literal = record.get("literal")
    return Label(record["line"], record["truth"], record["bucket"], tuple(literal) if literal else None)


def _version(folder: Path, record: dict[str, str]) -> FileVersion:
    text = (folder / "texts" / record["text"]).read_bytes().decode("utf-8", "surrogateescape")
    return FileVersion(record["path"], text)


def save(folder: Path, name: str, cases: Iterable[Case]) -> int:
    """Write a label file with its texts and return how many labels it has."""
    (folder / "texts").mkdir(parents=True, exist_ok=True)
    count = 0
    with (folder / f"{name}.jsonl").open("w", encoding="utf-8") as out:
        for case in cases:
            count += len(case.labels)
            out.write(json.dumps(_record(folder, case)) + "\n")
    return count


def _record(folder: Path, case: Case) -> dict[str, Any]:
    return {
        "name": case.name,
        "old": _kept(folder, case.old),
        "new": _kept(folder, case.new),
        "between": [_kept(folder, each) for each in case.between],
        "labels": [_label_record(label) for label in case.labels],
    }


def _label_record(label: Label) -> dict[str, Any]:
    record: dict[str, Any] = {"line": label.line, "truth": label.truth, "bucket": label.bucket}
    return record if label.literal is None else {**record, "literal": list(label.literal)}


def _kept(folder: Path, version: FileVersion) -> dict[str, str]:
    content = version.text.encode("utf-8", "surrogateescape")
    name = hashlib.sha1(content).hexdigest()
    path = folder / "texts" / name
    if not path.exists():
        path.write_bytes(content)
    return {"path": version.path, "text": name}


def save_workspaces(
    folder: Path, name: str, before: Iterable[FileVersion], after: Iterable[FileVersion]
) -> None:
    """Write beside a label file which texts the whole workspace held then and now."""
    kept = {
        "before": [_kept(folder, version) for version in before],
        "after": [_kept(folder, version) for version in after],
    }
    (folder / f"{name}.workspace.json").write_text(json.dumps(kept), encoding="utf-8")


def load_workspaces(path: Path) -> tuple[list[FileVersion], list[FileVersion]]:
    """Return the texts of the workspace that belongs to a label file, then and now."""
    listed = json.loads(path.with_name(f"{path.stem}.workspace.json").read_text(encoding="utf-8"))
    before, after = ([_version(path.parent, each) for each in listed[when]] for when in ("before", "after"))
    return before, after
