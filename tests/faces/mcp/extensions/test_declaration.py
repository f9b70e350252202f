"""A server says which extensions it has, in both eras, and how a host may show it."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from holdfast.faces.mcp.extensions.apps import EXTENSION as APPS
from holdfast.faces.mcp.extensions.declaration import SERVER_INFO_KEY
from holdfast.faces.web.bundle import static_text
from tests.faces.mcp.talking import Talk, talking

SHOWN = {"description", "websiteUrl", "icons"}


def introduction(talk: Talk) -> dict[str, object]:
    greeting = talk.greeting
    found: dict[str, object] = greeting.get("serverInfo") or greeting["_meta"][SERVER_INFO_KEY]
    return found


@pytest.mark.requirement("transport-49")
@pytest.mark.parametrize(
    "way", ["stdio 2025-06-18", "http 2025-11-25", "stdio 2026-07-28", "http 2026-07-28"]
)
def test_extensions_and_an_icon_are_declared_in_both_eras(way: str, repository: Path) -> None:
    with talking(way, repository) as talk:
        assert APPS in talk.greeting["capabilities"]["extensions"]
        assert introduction(talk).keys() >= SHOWN
        answer = talk.result("tools/list")
        if talk.is_stateless:  # every answer is stamped, so the stamp stays small
            assert not answer["_meta"][SERVER_INFO_KEY].keys() & SHOWN


def test_the_icon_is_that_of_the_page(repository: Path) -> None:
    with talking("stdio 2025-11-25", repository) as talk:
        [icon] = introduction(talk)["icons"]  # type: ignore[misc]
    drawn = base64.b64decode(icon["src"].removeprefix("data:image/svg+xml;base64,"))
    assert drawn.decode() == static_text("icon.svg")


def test_an_app_is_not_declared_without_the_tool_that_shows_it(repository: Path) -> None:
    with talking("stdio 2025-11-25", repository, "--toolsets", "comments") as talk:
        assert APPS not in talk.greeting["capabilities"]["extensions"]


@pytest.mark.parametrize("way", ["stdio 2025-11-25", "stdio 2026-07-28"])
def test_the_server_of_a_specification_declares_nothing_else(way: str, repository: Path) -> None:
    with talking(way, repository, "--profile", "taskpilot") as talk:
        assert "extensions" not in talk.greeting["capabilities"]
        assert not introduction(talk).keys() & SHOWN
