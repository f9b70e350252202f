"""Routes with parts, results in an envelope, codes as words, and feeds that can be taken up again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import unquote

import pytest
from pydantic import Field

from holdfast.faces.http.problems import problem_response
from holdfast.faces.rest.changes import Changes
from holdfast.faces.rest.face import RestFace
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import HoldfastError, Invalid, NotFound
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.registry import Registry
from holdfast.kernel.route import Address, FeedEvent
from holdfast.kernel.toolset import Toolset

shelves = Toolset("shelves", "Shelves with books.")


class Placed(Input):
    shelf: str
    title: str = Field(min_length=1)
    copies: int = 1
    kind: str = "book"


class Shelf(Output):
    shelf: str
    titles: list[str]
    kind: str = "book"


class WhichShelf(Input):
    shelf: str


@shelves.operation(
    "place",
    title="Place",
    effect=Effect.WRITE,
    example="holdfast shelves place",
    addresses=(
        Address("POST", "shelves/{shelf}/books", status=201),
        Address("POST", "shelves/{shelf}/maps", fixed={"kind": "map"}),
    ),
)
def place(room: dict[str, list[str]], arguments: Placed) -> Shelf:
    """Place a book."""
    room.setdefault(arguments.shelf, []).extend([arguments.title] * arguments.copies)
    return Shelf(shelf=arguments.shelf, titles=room[arguments.shelf], kind=arguments.kind)


@shelves.operation(
    "look_at_shelf",
    title="Look",
    effect=Effect.READ,
    example="holdfast shelves look",
    addresses=(Address("GET", "shelves/{shelf}/books"),),
)
def look(room: dict[str, list[str]], arguments: WhichShelf) -> Shelf:
    """Look at a shelf."""
    if arguments.shelf not in room:
        raise NotFound(f'There is no shelf "{arguments.shelf}".', hint="Place a book on it.")
    return Shelf(shelf=arguments.shelf, titles=room[arguments.shelf])


@shelves.feed("shelves/{shelf}/events", topic="shelves")
def events(room: dict[str, list[str]], position: str | None, shelf: str) -> tuple[str, list[FeedEvent]]:
    """Return what was placed since."""
    titles = room.get(shelf, [])
    first = len(titles) if position is None else int(position)
    return str(len(titles)), [
        FeedEvent(str(number + 1), "placed", {"title": titles[number]})
        for number in range(first, len(titles))
    ]


class Topics:
    """Where a test says that something changed."""

    def __init__(self) -> None:
        self.callbacks: list[Callable[[], None]] = []

    def subscribe(self, topic: str, callback: Callable[[], None]) -> Callable[[], None]:
        assert topic == "shelves"
        self.callbacks.append(callback)
        return lambda: None


class Library:
    """A face over one room, asked without a network."""

    def __init__(self) -> None:
        self.room: dict[str, list[str]] = {"sea": ["Kelp"]}
        self.topics = Topics()
        self.changes = Changes(["shelves"], self.topics, LIMITS)
        self.face = RestFace(Dispatcher(Registry([shelves]), lambda _: self.room), self.changes)

    def scope(self, method: str, path: str, headers: dict[str, str], query: str = "") -> dict[str, Any]:
        spelled = [(name.encode(), value.encode()) for name, value in headers.items()]
        return {
            "type": "http",
            "method": method,
            "path": unquote(f"/api/{path}"),  # as servers pass it
            "headers": spelled,
            "query_string": query.encode(),
        }

    def ask(self, method: str, path: str, body: Any = None, query: str = "") -> tuple[int, Any]:
        return asyncio.run(self._ask(method, path, body, query))

    async def _ask(self, method: str, path: str, body: Any, query: str) -> tuple[int, Any]:
        sent: list[dict[str, Any]] = []
        waiting = [{"type": "http.request", "body": b"" if body is None else json.dumps(body).encode()}]

        async def receive() -> dict[str, Any]:
            if waiting:
                return waiting.pop()
            await asyncio.sleep(60)
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        scope = self.scope(method, path, {"content-type": "application/json"}, query)
        try:
            await self.face(scope, receive, send)
        except HoldfastError as refused:
            await problem_response(refused)(scope, receive, send)
        return sent[0]["status"], json.loads(sent[1]["body"])


@pytest.fixture
def library() -> Library:
    return Library()


def test_parts_of_the_path_are_arguments_and_results_come_in_an_envelope(library: Library):
    status, body = library.ask("POST", "shelves/sea/books", {"title": "Tides", "copies": 2})
    assert (status, body) == (
        201,
        {"data": {"shelf": "sea", "titles": ["Kelp", "Tides", "Tides"], "kind": "book"}},
    )
    assert library.ask("GET", "shelves/sea/books")[1]["data"]["titles"] == ["Kelp", "Tides", "Tides"]


def test_an_address_may_stand_for_an_argument(library: Library):
    assert library.ask("POST", "shelves/sea/maps", {"title": "Coast"})[1]["data"]["kind"] == "map"
    status, body = library.ask("POST", "shelves/sea/maps", {"title": "Coast", "kind": "book"})
    assert status == 422
    assert "kind" in body["error"]["message"]
    assert library.room["sea"] == ["Kelp", "Coast"]


def test_encoded_parts_are_decoded_once(library: Library):
    assert library.ask("POST", "shelves/a%2520b/books", {"title": "x"})[1]["data"]["shelf"] == "a%20b"


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "shelves/none/books", None, 404, "NOT_FOUND"),
        ("POST", "shelves/sea/books", {"title": ""}, 422, "VALIDATION_ERROR"),
        ("POST", "shelves/sea/books", {}, 422, "VALIDATION_ERROR"),
        ("POST", "shelves/sea/books", {"title": "a", "surprise": 1}, 422, "VALIDATION_ERROR"),
    ],
)
def test_a_failure_says_its_code_in_a_word(
    library: Library, method: str, path: str, body: Any, status: int, code: str
):
    told, problem_details = library.ask(method, path, body)
    assert (told, problem_details["status"]) == (status, status)
    assert problem_details["error"]["code"] == code
    assert problem_details["error"]["details"] == problem_details["error"]["data"]


def test_another_method_names_those_there_are(library: Library):
    status, body = library.ask("DELETE", "shelves/sea/books")
    assert status == 405
    assert "GET, POST" in body["detail"]


def test_the_description_names_every_address_with_its_parts(library: Library):
    _, document = library.ask("GET", "openapi.json")
    placing = document["paths"]["/api/shelves/{shelf}/books"]["post"]
    assert [item["name"] for item in placing["parameters"]] == ["shelf"]
    assert set(placing["requestBody"]["content"]["application/json"]["schema"]["properties"]) == {
        "title",
        "copies",
        "kind",
    }
    assert "201" in placing["responses"]
    assert len({item["operationId"] for path in document["paths"].values() for item in path.values()}) == sum(
        len(path) for path in document["paths"].values()
    )


async def collected(
    library: Library,
    last_id: str | None,
    happen: Callable[[], None],
    count: int,
    path: str = "shelves/sea/events",
    query: str = "",
) -> list[str]:
    """Follow a feed until that many events came; `happen` runs after the first."""
    headers = {} if last_id is None else {"last-event-id": last_id}
    seen: list[str] = []
    enough = asyncio.Event()

    async def receive() -> dict[str, Any]:
        await enough.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        seen.extend(
            part for part in message.get("body", b"").decode().split("\n\n") if part.startswith("id:")
        )
        if len(seen) == 1:
            happen()
            for callback in library.topics.callbacks:
                callback()
        if len(seen) >= count:
            enough.set()

    with suppress(TimeoutError):
        async with asyncio.timeout(120):
            await library.face(library.scope("GET", path, headers, query), receive, send)
    return seen


def test_a_feed_tells_what_happens_from_now_on(library: Library):
    def happen() -> None:
        library.room["sea"] += ["Tides"]

    ready, placed = asyncio.run(collected(library, None, happen, 2))
    assert ready.startswith("id: 1\nevent: ready")
    assert placed == 'id: 2\nevent: placed\ndata: {"title":"Tides"}'


def test_a_feed_is_taken_up_where_it_was_left(library: Library):
    library.room["sea"] = ["a", "b", "c"]
    seen = asyncio.run(collected(library, "1", lambda: None, 2))
    assert [part.partition("\n")[0] for part in seen] == ["id: 2", "id: 3"]


TOGETHER = {"path": "events", "query": "feed=shelves/sea/events&feed=shelves/land/events"}


def test_one_stream_carries_changes_and_several_feeds(library: Library):
    library.room["land"] = []

    def happen() -> None:
        library.room["sea"] += ["Tides"]
        library.room["land"] += ["Moss"]

    ready, *seen = asyncio.run(collected(library, None, happen, 4, **TOGETHER))
    epoch = ready.partition("\n")[0].partition("-")[0]
    assert ready.startswith(f"{epoch}-0~1~0\nevent: ready")
    assert seen == [
        f'{epoch}-0~2~0\nevent: placed\ndata: {{"title":"Tides"}}',
        f'{epoch}-0~2~1\nevent: placed\ndata: {{"title":"Moss"}}',
        f'{epoch}-1~2~1\nevent: changed\ndata: {{"topic":"shelves"}}',
    ]


def test_a_stream_of_both_is_resumed_where_it_ended(library: Library):
    library.room |= {"sea": ["a", "b", "c"], "land": ["d"]}
    seen = asyncio.run(collected(library, "~1~0", lambda: None, 4, **TOGETHER))
    assert [event.partition("\n")[0].partition("~")[2] for event in seen] == ["1~0", "2~0", "3~0", "3~1"]
    assert [event.split("\n")[1] for event in seen] == ["event: ready", *["event: placed"] * 3]


def test_a_feed_that_is_not_there_is_refused_with_those_there_are(library: Library):
    with pytest.raises(Invalid, match='no feed at "shelves/sea"') as refused:
        asyncio.run(collected(library, None, lambda: None, 1, path="events", query="feed=shelves/sea"))
    assert "shelves/{" in str(refused.value.hint)


def test_only_the_streams_of_a_topic_are_woken():
    topics: dict[str, Callable[[], None]] = {}

    class Source:
        def subscribe(self, topic: str, callback: Callable[[], None]) -> Callable[[], None]:
            topics[topic] = callback
            return lambda: None

    async def follow() -> list[str]:
        changes = Changes(["inbox", "tasks"], Source(), LIMITS)
        inbox, tasks = (changes.follow(None, frozenset((name,))) for name in ("inbox", "tasks"))
        assert [(await anext(one)).name for one in (inbox, tasks)] == ["ready", "ready"]
        waiting = [asyncio.ensure_future(anext(one)) for one in (inbox, tasks)]
        topics["tasks"]()
        found = [await waiting[1]]
        assert not waiting[0].done()
        topics["inbox"]()
        found.append(await waiting[0])
        changes.close()
        return [str(event.data["topic"]) for event in found]

    assert asyncio.run(follow()) == ["tasks", "inbox"]
