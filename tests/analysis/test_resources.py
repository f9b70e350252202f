from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from holdfast.analysis.room import Analysis
from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.repository import Repository
from holdfast.toolsets import toolset
from tests.analysis.polyglot import polyglot

TOOLSET = toolset("analyze")
RESOURCES = {resource.uri: resource for resource in TOOLSET.resources}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Analysis]:
    from tests.analysis.test_promises import made

    room = Analysis(Repository.at(polyglot(made(tmp_path_factory.mktemp("resources")))))
    yield room
    room.close()


def test_every_report_has_an_address_that_needs_no_more_than_a_project() -> None:
    names = {uri.removeprefix("analysis://") for uri in RESOURCES}
    needy = {operation.command for operation in TOOLSET.operations if "query" in operation.input.model_fields}
    assert needy == {"names"}
    # What comes in one form only is for a view that asks for a part: a map, a picture, a file.
    parts = {
        operation.command for operation in TOOLSET.operations if "format" not in operation.input.model_fields
    }
    assert parts == {"files", "heat", "picture", "record-trend"}
    assert names == {operation.command for operation in TOOLSET.operations} - needy - parts


@pytest.mark.parametrize("uri", sorted(RESOURCES))
def test_an_address_gives_what_its_tool_says_of_the_whole_project(room: Analysis, uri: str) -> None:
    text = RESOURCES[uri].read(room)
    assert isinstance(text, str)
    assert len(text.encode()) < LIMITS.response_bytes / 20
    data = json.loads(text)
    operation = next(item for item in TOOLSET.operations if uri.endswith(f"//{item.command}"))
    assert set(data) <= set(operation.output.model_json_schema(mode="serialization")["properties"])
    assert data["files_analyzed"] > 0
