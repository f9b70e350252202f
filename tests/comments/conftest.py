"""A room of comments with a clock that tests turn, and the operations as every face runs them."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from holdfast import toolsets
from holdfast.comments.store import Comments
from holdfast.kernel.call import Call
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.models import Output
from holdfast.kernel.registry import Registry
from holdfast.storage.git.repository import Repository
from tests.comments.sources import AUTH

comments = toolsets.toolset("comments")


class TurnableClock:
    """Moves on by a millisecond with each look, and by more when it is turned."""

    def __init__(self) -> None:
        self.moment = datetime(2025, 10, 19, 15, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.moment += timedelta(milliseconds=1)
        return self.moment

    def turn(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


class Desk:
    """Runs operations and reads resources the way a face does, and looks at what is on disk."""

    def __init__(self, room: Comments, root: Path) -> None:
        self.room = room
        self.root = root
        self.dispatcher = Dispatcher(Registry((comments,)), lambda _: room)

    def run(self, name: str, **arguments: Any) -> Output:
        call = Call()
        result = self.dispatcher.run(self.dispatcher.registry.operation(name), arguments, call)
        call.settle(answered=True)
        return result

    def words(self, name: str, **arguments: Any) -> str:
        return self.dispatcher.registry.operation(name).as_text(self.run(name, **arguments))

    def add(self, path: str, line: int, text: str = "TODO: look", tag: str = "TODO", **more: Any) -> str:
        result = self.run("add_comment", filePath=path, line=line, text=text, tag=tag, **more)
        return str(result.wire()["commentId"])

    def show(self, path: str, **more: Any) -> list[dict[str, Any]]:
        result = self.run("get_file_comments", filePath=path, **more)
        found: list[dict[str, Any]] = result.wire()["comments"]
        return found

    def line(self, path: str, name: str) -> int:
        return int(next(item for item in self.show(path) if item["id"] == name)["line"])

    def scan(self) -> dict[str, Any]:
        return self.run("reanchor_comments").wire()

    def read(self, uri: str) -> dict[str, Any]:
        for resource in comments.resources:
            parts = resource.match(uri)
            if parts is not None:
                body = self.dispatcher.read(resource, parts, Call())
                assert body.text is not None
                found: dict[str, Any] = json.loads(body.text)
                return found
        raise AssertionError(f"nothing has the address {uri}")

    def write(self, path: str, text: str) -> Path:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode())
        return place

    def sidecar(self, path: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.root / f"{path}.comments").read_bytes())
        return found

    def commit(self, message: str = "Change") -> None:
        for arguments in (("add", "--all"), ("commit", "--quiet", "--allow-empty", "-m", message)):
            subprocess.run(["git", *arguments], cwd=self.root, check=True)

    def git(self, *arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=self.root, check=True, capture_output=True, text=True)
        return done.stdout


@pytest.fixture
def clock() -> TurnableClock:
    return TurnableClock()


@pytest.fixture
def open_comments(home: Path, clock: TurnableClock) -> Iterator[Callable[..., Desk]]:
    """Open rooms as separate servers would."""
    with contextlib.ExitStack() as opened:

        def open_at(path: Path, **more: Any) -> Desk:
            room = Comments(Repository.discover(path), clock=clock, **more)
            opened.callback(room.close)
            return Desk(room, path)

        yield open_at


@pytest.fixture
def desk(repository: Path, open_comments: Callable[..., Desk]) -> Desk:
    """A repository with one committed file of TypeScript."""
    desk = open_comments(repository)
    desk.write("src/services/auth.ts", AUTH)
    desk.commit("Begin")
    return desk


@pytest.fixture
def plain(tmp_path: Path, open_comments: Callable[..., Desk]) -> Desk:
    """The same file in a directory without git."""
    root = tmp_path / "plain"
    root.mkdir()
    desk = open_comments(root)
    desk.write("src/services/auth.ts", AUTH)
    return desk
