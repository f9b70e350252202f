"""An inbox with a clock that tests turn, and the operations as every face runs them."""

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
from holdfast.inbox.store import Inbox
from holdfast.kernel.call import Call
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.models import Output
from holdfast.kernel.registry import Registry
from holdfast.storage.git.repository import Repository

inbox = toolsets.toolset("inbox")


class TurnableClock:
    """Stands still until it is turned."""

    def __init__(self) -> None:
        self.moment = datetime(2025, 7, 1, 10, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment

    def turn(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


class Reader:
    """Runs operations, resources and prompts of the room the way a face does, settlement included."""

    def __init__(self, room: Inbox) -> None:
        self.room = room
        self.dispatcher = Dispatcher(Registry((inbox,)), lambda _: room)

    def run(self, name: str, *, answered: bool = True, **arguments: Any) -> Output:
        call = Call()
        operation = self.dispatcher.registry.operation(name)
        try:
            result = self.dispatcher.run(operation, arguments, call)
        except BaseException:
            call.settle(answered=False)
            raise
        call.settle(answered=answered)
        return result

    def words(self, name: str, **arguments: Any) -> str:
        result = self.run(name, **arguments)
        return self.dispatcher.registry.operation(name).as_text(result)

    def check(self, *, answered: bool = True) -> str:
        return self.words("check_lazygit_messages", answered=answered)

    def read(self, uri: str) -> str:
        resource = next(item for item in inbox.resources if item.uri == uri)
        body = self.dispatcher.read(resource, {}, Call())
        assert body.text is not None
        return body.text

    def prompt(self, name: str) -> str:
        prompt = next(item for item in inbox.prompts if item.name == name)
        (message,) = self.dispatcher.prompt(prompt, {}, Call())
        assert isinstance(message.content, str)
        return message.content


@pytest.fixture
def clock() -> TurnableClock:
    return TurnableClock()


@pytest.fixture
def open_inbox(home: Path, clock: TurnableClock) -> Iterator[Callable[[Path], Inbox]]:
    """Open inboxes as separate servers would."""
    with contextlib.ExitStack() as opened:

        def open_at(path: Path) -> Inbox:
            room = Inbox(Repository.discover(path), clock=clock)
            opened.callback(room.close)
            return room

        yield open_at


@pytest.fixture
def room(repository: Path, open_inbox: Callable[[Path], Inbox]) -> Inbox:
    return open_inbox(repository)


@pytest.fixture
def reader(room: Inbox) -> Reader:
    return Reader(room)


@pytest.fixture
def commit(repository: Path) -> Callable[[str, str], None]:
    """Put a file with this content into a commit."""

    def commit(name: str, content: str) -> None:
        path = repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        for arguments in (("add", name), ("commit", "--quiet", "-m", f"Change {name}")):
            subprocess.run(["git", *arguments], cwd=repository, check=True)

    return commit


@pytest.fixture
def legacy_file(home: Path) -> Path:
    """Where earlier lazygit configurations leave their message; not there yet."""
    path = home / ".config" / "jesseduffield" / "lazygit" / "mcp-messages.json"
    path.parent.mkdir(parents=True)
    return path


@pytest.fixture
def legacy_message(repository: Path) -> dict[str, Any]:
    return {
        "file": "src/old.go",
        "comment": "From the old file",
        "project_root": str(repository),
        "time": "2025-06-30T09:00:00Z",
    }


@pytest.fixture
def leave_legacy(legacy_file: Path, legacy_message: dict[str, Any]) -> Callable[..., Path]:
    """Write the old message file, with some members changed."""

    def leave(**changes: Any) -> Path:
        legacy_file.write_text(json.dumps({**legacy_message, **changes}), encoding="utf-8")
        return legacy_file

    return leave
