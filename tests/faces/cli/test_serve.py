"""What `holdfast serve` understands before it serves."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from holdfast.faces.cli.application import run
from holdfast.faces.cli.serve import parse_http_settings, parse_listen_address, parse_selection
from holdfast.faces.http.settings import HttpSettings, ListenAddress, OAuthSettings
from holdfast.faces.mcp.profiles import PROFILES, Profile
from holdfast.kernel.errors import Denied, Invalid
from holdfast.kernel.registry import Selection
from tests import forked


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:8765", ListenAddress("127.0.0.1", 8765)),
        ("9000", ListenAddress("127.0.0.1", 9000)),
        ("0", ListenAddress("127.0.0.1", 0)),
        ("localhost", ListenAddress("localhost", 8765)),
        ("localhost:1", ListenAddress("localhost", 1)),
        ("127.8.9.1:80", ListenAddress("127.8.9.1", 80)),
        ("[::1]", ListenAddress("::1", 8765)),
        ("[::1]:65535", ListenAddress("::1", 65535)),
    ],
)
def test_an_address_on_this_machine_is_understood(text: str, address: ListenAddress) -> None:
    assert parse_listen_address(text) == address


@pytest.mark.parametrize(
    "text", ["0.0.0.0:80", "[::]:80", "192.168.1.5", "example.org:80", "localhost.evil.org:80", "[fe80::1]:1"]
)
def test_an_address_other_machines_can_reach_is_denied(text: str) -> None:
    with pytest.raises(Denied, match="other machines") as refused:
        parse_http_settings(text, None, 1, None, None, None)
    assert "127.0.0.1" in str(refused.value.hint)
    settings = parse_http_settings(text, "https://holdfast.example.org/", 2, None, None, None)
    assert (settings.address.is_loopback, settings.public_url) == (False, "https://holdfast.example.org")


def test_the_audience_is_the_public_address_unless_another_is_named() -> None:
    issuer, public = "https://issuer.example.org", "https://holdfast.example.org"
    assert parse_http_settings("0", public, 1, issuer, None, None).oauth == OAuthSettings(
        issuer, f"{public}/mcp"
    )
    named = parse_http_settings("0", None, 1, issuer, "https://audience.example.org", f"{issuer}/keys").oauth
    assert named == OAuthSettings(issuer, "https://audience.example.org", f"{issuer}/keys")


def test_a_server_answers_to_its_own_names_only() -> None:
    local = HttpSettings(ListenAddress("127.0.0.1", 0))
    assert local.hosts(9) == {"127.0.0.1:9", "localhost:9", "[::1]:9"}
    assert local.origins(9) == {f"http://{host}" for host in local.hosts(9)}
    public = HttpSettings(ListenAddress("0.0.0.0", 0), "https://Holdfast.example.org")
    assert public.hosts(9) == {"holdfast.example.org", "holdfast.example.org:443"}
    assert public.origins(9) == {"https://holdfast.example.org"}
    assert "127.0.0.1" in HttpSettings(ListenAddress("127.0.0.1", 80)).hosts(80)


@pytest.mark.parametrize(
    "text", ["localhost:65536", "localhost:-1", "localhost:http", "localhost:٣", "99999"]
)
def test_a_port_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="is not a port"):
        parse_listen_address(text)


def test_names_are_separated_by_commas_and_may_be_dotted() -> None:
    assert parse_selection(["inbox, tasks,"], ["git_mile.list"], [], read_only=True) == Selection(
        toolsets=frozenset({"inbox", "tasks"}), tools=frozenset({"git_mile_list"}), read_only=True
    )


def test_nothing_named_selects_everything() -> None:
    assert parse_selection([], [], [], read_only=False) == Selection()
    assert parse_selection([""], [","], [" "], read_only=False) == Selection()


@pytest.fixture
def served(repository: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What would have been served, without serving it."""
    gathered: list[tuple[Any, ...]] = []

    def serve(
        workspace: Any, selection: Selection, profile: Profile, settings: HttpSettings | None = None
    ) -> int:
        gathered.append((selection, profile.name, settings, profile.errors_as_results))
        return 0

    monkeypatch.setattr("holdfast.faces.mcp.stdio.serve_stdio", serve)
    monkeypatch.setattr("holdfast.faces.http.serve.serve_http", serve)
    monkeypatch.chdir(repository)
    return gathered


@pytest.mark.parametrize(
    ("arguments", "variables", "expected"),
    [
        ([], {}, (Selection(), "everything", None)),
        (["--http"], {}, (Selection(), "everything", HttpSettings(ListenAddress("127.0.0.1", 8765)))),
        (
            ["--http", "--read-only"],
            {},
            (Selection(read_only=True), "everything", HttpSettings(ListenAddress("127.0.0.1", 8765))),
        ),
        (["--http", "9000"], {}, (Selection(), "everything", HttpSettings(ListenAddress("127.0.0.1", 9000)))),
        (
            [],
            {"HOLDFAST_HTTP": "[::1]:1"},
            (Selection(), "everything", HttpSettings(ListenAddress("::1", 1))),
        ),
        (
            ["--http=2"],
            {"HOLDFAST_HTTP": "1"},
            (Selection(), "everything", HttpSettings(ListenAddress("127.0.0.1", 2))),
        ),
        (["--profile", "lazygit"], {}, (Selection(), "lazygit", None)),
        (
            ["--tools", "show_message", "--tools", "send_message", "--exclude-tools", "add_comment"],
            {"HOLDFAST_TOOLSETS": "inbox, tasks"},
            (
                Selection(
                    toolsets=frozenset({"inbox", "tasks"}),
                    tools=frozenset({"show_message", "send_message"}),
                    exclude_tools=frozenset({"add_comment"}),
                ),
                "everything",
                None,
            ),
        ),
        (
            ["--toolsets", "inbox", "--exclude-tools", "send_message"],
            {"HOLDFAST_READ_ONLY": "yes"},
            (
                Selection(
                    toolsets=frozenset({"inbox"}), exclude_tools=frozenset({"send_message"}), read_only=True
                ),
                "everything",
                None,
            ),
        ),
    ],
)
def test_options_and_variables_say_what_is_served(
    served: list[tuple[Any, ...]],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    variables: dict[str, str],
    expected: tuple[Any, ...],
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert run(["serve", *arguments]) == 0
    assert served == [(*expected, PROFILES[expected[1]].errors_as_results)]


def test_the_form_of_failures_depends_on_the_profile_and_can_be_chosen(
    served: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["serve"]) == 0
    assert run(["serve", "--tool-errors", "error"]) == 0
    assert run(["serve", "--profile", "git-mile"]) == 0
    assert run(["serve", "--profile", "git-mile", "--tool-errors", "result"]) == 0
    monkeypatch.setenv("HOLDFAST_TOOL_ERRORS", "error")
    assert run(["serve"]) == 0
    assert [how[-1] for how in served] == [True, False, False, True, False]
    assert run(["serve", "--tool-errors", "loudly"]) == 2
    assert "Choose one of: error, result." in capfd.readouterr().err


def test_a_variable_that_is_neither_yes_nor_no_is_refused(
    served: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOLDFAST_READ_ONLY", "perhaps")
    assert run(["serve"]) == 2
    assert "HOLDFAST_READ_ONLY" in capfd.readouterr().err
    assert served == []


def test_on_a_terminal_the_server_says_what_it_waits_for(tmp_path: Path) -> None:
    controller, terminal = pty.openpty()
    server = forked.Popen(
        [sys.executable, "-m", "holdfast", "serve"],
        cwd=tmp_path,
        stdin=terminal,
        stdout=subprocess.DEVNULL,
        stderr=terminal,
    )
    os.close(terminal)
    shown = b""
    while b"Ctrl-D ends it." not in shown:
        shown += os.read(controller, 4096)
    assert b"Waiting for an MCP client on standard input." in shown
    os.write(controller, b"\x04")
    assert server.wait(timeout=60) == 0
    os.close(controller)
