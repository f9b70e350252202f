"""Versions: entity tags that hold one, writes that expect one, and what happens when it is another."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from starlette.responses import Response

from holdfast.faces.rest.openapi import openapi_document
from holdfast.faces.rest.operations import OperationRoute
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import OutOfDate, OutOfSpace
from holdfast.kernel.models import Input, NoArguments, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.registry import Registry
from holdfast.kernel.toolset import Toolset

pages = Toolset("pages", "Pages.")


class Written(Input):
    """A new text, for a version."""

    text: str
    if_version: int | None = None


class Page(Output):
    """A text and how often it was changed."""

    text: str
    version: int


class Nested(Output):
    """A page inside something."""

    page: Page


class Book:
    """The room of these tests."""

    def __init__(self) -> None:
        self.page = Page(text="first", version=1)


@pages.operation(
    "read_page",
    title="Read",
    effect=Effect.READ,
    example="holdfast pages read-page",
    result_version="page.version",
)
def read_page(room: Book, args: NoArguments) -> Nested:
    """Read the page."""
    del args
    return Nested(page=room.page)


@pages.operation(
    "write_page",
    title="Write",
    effect=Effect.WRITE,
    example="holdfast pages write-page",
    expects_version="if_version",
    result_version="version",
)
def write_page(room: Book, args: Written) -> Page:
    """Write the page."""
    if args.if_version not in (None, room.page.version):
        raise OutOfDate.found("The page", args.if_version, room.page.version)
    room.page = Page(text=args.text, version=room.page.version + 1)
    return room.page


@pages.operation("fill_disk", title="Fill", effect=Effect.WRITE, example="holdfast pages fill-disk")
def fill_disk(room: Book, args: NoArguments) -> Page:
    """Fail for lack of space."""
    del room, args
    raise OutOfSpace("The page could not be written: the disk is full.")


class Library:
    """One book behind its routes."""

    def __init__(self) -> None:
        self.book = Book()
        dispatcher = Dispatcher(Registry([pages]), lambda _: self.book)
        self.routes = {item.name: OperationRoute(item, dispatcher) for item in pages.operations}

    def ask(self, name: str, headers: dict[bytes, bytes] | None = None, body: Any = None) -> Response:
        route = self.routes[name]
        scope: dict[str, Any] = {"method": route.method, "query_string": b""}
        sent = {b"content-type": b"application/json"} | (headers or {})

        async def never() -> dict[str, Any]:
            await asyncio.Event().wait()
            raise AssertionError

        return asyncio.run(route.answer(scope, sent, json.dumps(body or {}).encode(), never))

    def write(self, text: str, tag: str, **more: Any) -> Response:
        return self.ask("write_page", {b"if-match": tag.encode()}, {"text": text, **more})


@pytest.fixture
def library() -> Library:
    return Library()


@pytest.mark.requirement("http-21")
def test_a_write_for_the_version_that_was_read_goes_through(library: Library) -> None:
    tag = library.ask("read_page").headers["etag"]
    assert tag.startswith('"1.')
    written = library.write("second", tag)
    assert (written.status_code, json.loads(written.body)["version"]) == (200, 2)
    assert written.headers["etag"].startswith('"2.')
    assert library.ask("read_page", {b"if-none-match": tag.encode()}).status_code == 200


@pytest.mark.requirement("http-21")
@pytest.mark.parametrize("tag", ['"1"', '"1.00ff"', 'W/"1.00ff"'])
def test_a_write_for_an_older_version_changes_nothing_and_tells_the_newest(
    library: Library, tag: str
) -> None:
    assert library.write("second", tag).status_code == 200
    refused = library.write("third", tag)
    told = json.loads(refused.body)
    assert (refused.status_code, told["error"]["kind"]) == (412, "out_of_date")
    assert told["error"]["data"] == {"expected": 1, "version": 2}
    assert library.book.page.text == "second"


@pytest.mark.parametrize(
    ("tag", "more"), [("1", {}), ('"1", "2"', {}), ('""', {}), ('"one"', {}), ('"1"', {"if_version": 2})]
)
def test_a_precondition_that_cannot_be_understood_is_refused(
    library: Library, tag: str, more: dict[str, Any]
) -> None:
    refused = library.write("second", tag, **more)
    assert (refused.status_code, json.loads(refused.body)["error"]["kind"]) == (400, "invalid_arguments")
    assert library.book.page.version == 1


def test_a_precondition_is_not_ignored_where_nothing_has_a_version(library: Library) -> None:
    assert library.ask("read_page", {b"if-match": b'"1"'}).status_code == 400
    assert library.ask("fill_disk", {b"if-match": b'"1"'}).status_code == 400


def test_any_version_will_do_for_a_star(library: Library) -> None:
    assert library.write("second", "*").status_code == 200


def test_a_full_disk_has_its_own_status(library: Library) -> None:
    full = library.ask("fill_disk")
    assert (full.status_code, json.loads(full.body)["error"]["kind"]) == (507, "out_of_space")


def test_the_description_tells_of_versions() -> None:
    document = openapi_document(pages.operations)
    writing = document["paths"]["/api/pages/write_page"]["post"]
    assert [item["name"] for item in writing["parameters"]] == ["If-Match"]
    assert "412" in writing["responses"]
    assert "ETag" in writing["responses"]["200"]["headers"]
    assert "412" not in document["paths"]["/api/pages/fill_disk"]["post"]["responses"]
