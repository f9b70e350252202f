"""Who is told of what: one address or a whole topic, lists, and nothing once nobody wants to know."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, cast

import pytest
from mcp.server.session import ServerSession
from mcp.server.subscriptions import ResourcesListChanged, ResourceUpdated

from holdfast.faces.mcp.publisher import Publisher
from holdfast.kernel.errors import NotFound, UnknownResource
from holdfast.kernel.resource import ListedResource, Resource
from holdfast.kernel.toolset import Toolset

notes = Toolset("notes", "Notes.")


class Shelf:
    """A room with notes that have versions."""

    def __init__(self) -> None:
        self.versions = {"a": 1, "b": 1}

    def version(self, name: str) -> int:
        if name not in self.versions:
            raise NotFound(f"There is no note {name}.")
        return self.versions[name]


def listed(room: Shelf) -> Iterable[ListedResource]:
    return [ListedResource(f"note://{name}", name, "A note.", "text/plain") for name in room.versions]


@notes.resource(
    "note://{name}",
    name="Note",
    description="One note",
    topic="notes",
    members=listed,
    fingerprint=lambda room, name: room.version(name),
)
def read_note(room: Shelf, name: str) -> str:
    return str(room.version(name))


@notes.resource("notes://all", name="Notes", description="All notes", topic="notes")
def read_all(room: Shelf) -> str:
    return str(room.versions)


class Watch:
    """Where changes are noticed, by hand."""

    def __init__(self) -> None:
        self.callbacks: dict[str, Callable[[], None]] = {}

    def subscribe(self, topic: str, callback: Callable[[], None]) -> Callable[[], None]:
        self.callbacks[topic] = callback
        return lambda: cast("None", self.callbacks.pop(topic, None))


class Client:
    """Writes down what a session of the handshake era would be sent."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    @property
    def session(self) -> ServerSession:
        return cast("ServerSession", self)

    async def send_resource_updated(self, uri: str) -> None:
        self.heard.append(uri)


class Hall:
    """A publisher over one shelf, and everything said on it."""

    def __init__(self, resources: list[Resource]) -> None:
        self.shelf = Shelf()
        self.watch = Watch()
        self.publisher = Publisher(resources, self.watch, lambda _: self.shelf)
        self.published: list[Any] = []
        self.publisher.bus.subscribe(self.published.append)

    async def change(self, name: str, version: int | None) -> None:
        if version is None:
            del self.shelf.versions[name]
        else:
            self.shelf.versions[name] = version
        self.watch.callbacks["notes"]()
        await asyncio.sleep(0)  # a comparison that the change starts is a task from here on
        while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(tasks)


def in_the_hall(work: Callable[[Hall], Awaitable[None]]) -> Hall:
    async def run() -> Hall:
        hall = Hall(notes.resources)
        await work(hall)
        return hall

    return asyncio.run(run())


@pytest.mark.requirement("http-23")
def test_only_those_are_told_whose_address_changed() -> None:
    ada, eve, all_of_it = Client(), Client(), Client()

    async def work(hall: Hall) -> None:
        await hall.publisher.subscribe("ada", "note://a", ada.session)
        await hall.publisher.subscribe("eve", "note://b", eve.session)
        await hall.publisher.subscribe("all", "notes://all", all_of_it.session)
        await hall.change("a", 2)
        await hall.change("b", 2)
        await hall.change("b", None)

    hall = in_the_hall(work)
    assert ada.heard == ["note://a"]
    assert eve.heard == ["note://b", "note://b"]
    assert all_of_it.heard == ["notes://all"] * 3
    assert hall.published.count(ResourceUpdated(uri="note://b")) == 2


@pytest.mark.requirement("http-23")
def test_nothing_is_watched_or_remembered_once_nobody_wants_it() -> None:
    ada = Client()

    async def work(hall: Hall) -> None:
        await hall.publisher.subscribe("ada", "note://a", ada.session)
        await hall.publisher.subscribe("ada", "note://b", ada.session)
        hall.publisher.unsubscribe("ada", "note://b")
        assert list(hall.watch.callbacks) == ["notes"]
        hall.publisher.forget("ada")
        assert hall.watch.callbacks == {}
        hall.shelf.versions["a"] = 4
        await hall.publisher.subscribe("ada", "note://a", ada.session)
        await hall.change("b", 4)
        assert ada.heard == [], "the state from before is not what it is compared with"
        hall.publisher.forget("ada")
        async with hall.publisher.listening(["note://a"], with_lists=True):
            assert list(hall.watch.callbacks) == ["notes"]
            await hall.change("a", 5)
        assert hall.watch.callbacks == {}

    hall = in_the_hall(work)
    assert ada.heard == []
    assert hall.published == [ResourceUpdated(uri="note://a")]


@pytest.mark.requirement("http-23")
def test_a_list_that_changed_is_announced_and_one_that_did_not_is_not() -> None:
    async def work(hall: Hall) -> None:
        async with hall.publisher.listening([], with_lists=True):
            await hall.change("a", 7)
            assert hall.published == []
            await hall.change("c", 1)
            assert hall.published == [ResourcesListChanged()]

    in_the_hall(work)


def test_an_address_that_nothing_has_is_refused_and_not_kept() -> None:
    async def work(hall: Hall) -> None:
        with pytest.raises(UnknownResource):
            await hall.publisher.subscribe("ada", "note://a/b/c", Client().session)
        assert hall.watch.callbacks == {}

    in_the_hall(work)


def test_a_change_during_a_look_is_looked_at_again() -> None:
    ada = Client()

    async def work(hall: Hall) -> None:
        await hall.publisher.subscribe("ada", "note://a", ada.session)
        for version in range(2, 12):
            hall.shelf.versions["a"] = version
            hall.watch.callbacks["notes"]()
            await asyncio.sleep(0)
        await hall.change("b", 9)

    in_the_hall(work)
    assert ada.heard
    assert set(ada.heard) == {"note://a"}
