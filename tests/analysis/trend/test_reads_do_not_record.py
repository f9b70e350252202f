"""Only `record_trend` writes a point: not an operation that reads, and no server that may only read."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.analysis.room import Analysis
from holdfast.kernel.errors import Denied
from holdfast.kernel.operation import Effect
from holdfast.kernel.registry import Registry, Selection
from holdfast.storage.git.repository import Repository
from holdfast.toolsets import toolset
from tests.storage.git_support import commit

OPERATIONS = toolset("analyze").operations
READS = [operation for operation in OPERATIONS if operation.effect is Effect.READ]
NEEDED: dict[str, dict[str, object]] = {
    "analyze_complexity": {"toolchain": "auto"},
    "analyze_name_similarity": {"query": "one"},
    "analyze_trend": {"backfill": 10},
}


@pytest.fixture
def room(repository: Path):
    commit(repository, {"src/a.py": "def one(a):\n    return 1 if a else 2\n"})
    commit(repository, {"src/b.py": "def two(a):\n    return a\n"})
    room = Analysis(Repository.discover(repository))
    yield room
    room.close()


def points(room: Analysis) -> dict[str, bytes]:
    """Return the stored bytes; reading may create an empty write-ahead log and its shared memory."""
    files = Path(room.repository.store_directory).glob("trend*")
    found = {path.name: path.read_bytes() for path in files if not path.name.endswith("-shm")}
    return {name: content for name, content in found.items() if content}


def test_no_operation_that_reads_changes_the_points(room):
    for _ in range(2):
        before = points(room)
        for operation in READS:
            given = {"project_path": "."} | NEEDED.get(operation.name, {})
            operation.function(room, operation.input.model_validate(given))
        assert points(room) == before
        record = next(operation for operation in OPERATIONS if operation.name == "record_trend")
        assert record.function(room, record.input()).head.kept
        room.points.close()  # so that all of it is in one file
    assert points(room)


def test_only_recording_writes_and_a_read_only_selection_does_not_offer_it():
    writes = {operation.name for operation in OPERATIONS if operation.effect is not Effect.READ}
    assert writes == {"record_trend"}
    registry = Registry([toolset("analyze")])
    read_only = registry.select(Selection(read_only=True))
    assert read_only.operation("analyze_trend").effect is Effect.READ
    with pytest.raises(Denied):
        read_only.check_allowed(registry.operation("record_trend"))
