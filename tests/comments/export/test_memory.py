"""An export of a hundred thousand comments takes no more memory than one of a thousand."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.comments.making import comment, document, write_sidecar

_PROGRAM = """
import io, re, sys
from holdfast.comments.export.writer import ExportRequest, write_export
from holdfast.comments.store import Comments
from holdfast.storage.git.repository import Repository
from holdfast.storage.files.atomic import streamed_file

root, output, chosen = sys.argv[1:]
room = Comments(Repository.at(root))
if output == "memory":
    sink = io.BytesIO()
    tally = write_export(room, ExportRequest(chosen), sink)
else:
    with streamed_file(output) as sink:
        tally = write_export(room, ExportRequest(chosen), sink)
assert not tally.damaged
# The peak since this program began; `ru_maxrss` has that of the process that started it, too.
with open("/proc/self/status") as status:
    print(tally.comments, int(re.search(r"VmHWM:\\s+(\\d+) kB", status.read()).group(1)) // 1024)
"""
_FILES, _SMALL, _EACH = 500, 5, 200
_MEBIBYTES_OF_NOISE = 15


def _workspace(root: Path, files: int) -> Path:
    for number in range(files):
        notes = [comment(number * _EACH + each, 1, f"Note {each}: " + "word " * 60) for each in range(_EACH)]
        write_sidecar(root, f"f{number}.txt", document(f"f{number}.txt", notes, []))
    return root


def _export(root: Path, output: str, chosen: str) -> tuple[int, int]:
    found = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(root), output, chosen],
        check=True,
        capture_output=True,
        text=True,
    )
    comments, mebibytes = found.stdout.split()
    return int(comments), int(mebibytes)


@pytest.mark.requirement("comments-stream")
def test_memory_stays_flat_and_only_because_the_export_is_streamed(tmp_path):
    small = _workspace(tmp_path / "small", _SMALL)
    large = _workspace(tmp_path / "large", _FILES)
    written = tmp_path / "out.json"
    few, before = _export(small, str(tmp_path / "few.json"), "json")
    many, after = _export(large, str(written), "json")
    assert (few, many) == (_SMALL * _EACH, _FILES * _EACH) == (1000, 100_000)
    with written.open(encoding="utf-8") as file:
        assert json.load(file)["totalComments"] == many
    assert after - before < _MEBIBYTES_OF_NOISE
    # The control: the same export kept in memory grows by more than its size.
    _, kept = _export(large, "memory", "json")
    assert kept - before > written.stat().st_size >> 20 > _MEBIBYTES_OF_NOISE
