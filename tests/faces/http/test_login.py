"""A browser's way in: one link, one cookie, and no page of others that could use it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.faces.http.login import LoginLink, Logins
from holdfast.kernel.role import Role
from holdfast.storage.git.repository import Repository
from holdfast.storage.network.tokens import TokenFile
from tests.faces.http.running import Answered, RunningServer, running_server

LINK = re.compile(r"/login\?code=\S+")
MESSAGE = {"file": ".", "comment": "from a page"}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    repository: Path = tmp_path_factory.mktemp("login") / "repository"
    subprocess.run(["git", "init", "--quiet", str(repository)], check=True)
    with running_server(repository, "--workers", "2") as server:
        yield Browser(server, repository)


class Browser:
    """Keeps the cookie that the link left."""

    def __init__(self, server: RunningServer, repository: Path) -> None:
        self.server = server
        self.tokens = TokenFile(Repository.discover(repository))
        found = LINK.search(server.said)
        assert found is not None
        self.link = found.group()
        self.let_in = server.ask("GET", self.link, headers={"Authorization": None})
        self.cookie = self.let_in.headers["set-cookie"].partition(";")[0]

    def ask(self, method: str, path: str, body: object = None, **headers: str | None) -> Answered:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {"Authorization": None, "Cookie": self.cookie} | given
        return self.server.ask(method, path, body, sent)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"


@pytest.mark.requirement("http-24")
def test_the_cookie_cannot_be_read_by_scripts_nor_sent_by_other_sites(browser: Browser) -> None:
    assert (browser.let_in.status, browser.let_in.headers["location"]) == (303, "/")
    told = browser.let_in.headers["set-cookie"].lower()
    assert "httponly" in told
    assert "samesite=strict" in told


@pytest.mark.requirement("http-24")
def test_the_link_works_once_over_all_workers(browser: Browser) -> None:
    again = [browser.ask("GET", browser.link, Cookie=None) for _ in range(6)]
    assert {answer.status for answer in again} == {401}
    assert not any("set-cookie" in answer.headers for answer in again)
    assert browser.ask("GET", "/login?code=guess", Cookie=None).status == 401
    assert browser.ask("PUT", browser.link, {}, Cookie=None).status == 405


@pytest.mark.requirement("http-24")
def test_a_page_of_ours_reads_and_writes_with_the_cookie(browser: Browser) -> None:
    for _ in range(4):  # whichever worker takes it
        assert browser.ask("GET", "/api/inbox/list_messages").status == 200
    same = {"Sec_Fetch_Site": "same-origin"}
    assert browser.ask("POST", "/api/inbox/send_message", MESSAGE, **same).status == 200
    assert browser.ask("POST", "/api/inbox/send_message", MESSAGE, Origin=browser.origin).status == 200


@pytest.mark.requirement("http-24")
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec_Fetch_Site": "none"},
        {"Sec_Fetch_Site": "same-site"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "null"},
    ],
)
def test_a_write_that_no_page_of_ours_made_is_refused(browser: Browser, headers: dict[str, str]) -> None:
    before = browser.ask("GET", "/api/inbox/list_messages?limit=1").json["total"]
    assert browser.ask("POST", "/api/inbox/send_message", MESSAGE, **headers).status == 403
    assert browser.ask("GET", "/api/inbox/list_messages?limit=1").json["total"] == before


def test_a_read_for_a_page_of_others_is_refused(browser: Browser) -> None:
    for site in ("same-site", "cross-site"):
        assert browser.ask("GET", "/api/inbox/list_messages", Sec_Fetch_Site=site).status == 403


def test_the_protocol_wants_a_token_all_the_same(browser: Browser) -> None:
    assert browser.ask("POST", "/mcp", {}, Origin=browser.origin).status == 401


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[:-1] + ("0" if text[-1] != "0" else "1"),
        lambda _: "x",
        lambda _: "9" * 5000,
        lambda _: "\u00b2",
    ],
)
def test_a_cookie_that_was_not_signed_here_is_worth_nothing(browser: Browser, change: object) -> None:
    assert callable(change)
    name, _, value = browser.cookie.partition("=")
    assert browser.ask("GET", "/api/inbox/list_messages", Cookie=f"{name}={change(value)}").status == 401


def test_a_cookie_that_expired_is_worth_nothing(repository: Path) -> None:
    now, link = 0.0, LoginLink()
    tokens = TokenFile(Repository.discover(repository))
    logins = Logins(link, b"key", 80, tokens, encrypted=False, clock=lambda: now)
    opened = {"method": "GET", "query_string": f"code={link.code}".encode(), "headers": []}
    left = logins.answer(opened).headers["set-cookie"]
    lifetime = re.search(r"Max-Age=([0-9]+)", left)
    assert lifetime is not None
    scope = {"path": "/api/x", "method": "GET"}
    headers = {b"cookie": f"a=b; {left.partition(';')[0]}".encode()}
    now = float(lifetime[1])
    assert logins.caller(scope, headers) is not None
    now += 1
    assert logins.caller(scope, headers) is None


def signed_in(browser: Browser, token: str, **headers: str | None) -> Answered:
    own_page = {"Sec-Fetch-Site": "same-origin", "Origin": browser.origin}
    return browser.server.ask(
        "POST", "/login", None, own_page | {"Authorization": f"Bearer {token}"} | headers
    )


def test_a_token_logs_its_holder_in_with_its_role_until_it_is_removed(browser: Browser) -> None:
    tokens = browser.tokens
    token = tokens.add("bo.b", Role.READ)
    answer = signed_in(browser, token)
    assert (answer.status, "httponly" in answer.headers["set-cookie"].lower()) == (204, True)
    cookie = answer.headers["set-cookie"].partition(";")[0]
    assert browser.ask("GET", "/api/inbox/list_messages", Cookie=cookie).status == 200
    write = {"Cookie": cookie, "Sec_Fetch_Site": "same-origin"}
    assert browser.ask("POST", "/api/inbox/send_message", MESSAGE, **write).status == 403
    stolen = cookie.replace("bo.b", "")
    assert browser.ask("GET", "/api/inbox/list_messages", Cookie=stolen).status == 401
    tokens.remove("bo.b")
    assert browser.ask("GET", "/api/inbox/list_messages", Cookie=cookie).status == 401
    tokens.add("bo.b", Role.ADMIN)
    assert browser.ask("GET", "/api/inbox/list_messages", Cookie=cookie).status == 401


def test_only_a_known_token_and_a_page_of_ours_log_a_browser_in(browser: Browser) -> None:
    assert signed_in(browser, "0" * 64).status == 401
    token = browser.tokens.add("cy", Role.WRITE)
    elsewhere = signed_in(browser, token, **{"Sec-Fetch-Site": "cross-site"})
    assert (elsewhere.status, "set-cookie" in elsewhere.headers) == (403, False)
