"""A browser's way in: one link, one cookie, and no page of others that could use it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from holdfast.faces.http.login import Logins
from holdfast.kernel.role import Role
from holdfast.storage.git.repository import Repository
from holdfast.storage.network.login_codes import LoginCodes
from holdfast.storage.network.served_address import announced_address, served_address
from holdfast.storage.network.tokens import TokenFile
from tests.conftest import RunHoldfast
from tests.faces.http.running import Answered, RunningServer, running_server

LINK = re.compile(r"/login\?code=\S+")
MESSAGE = {"file": ".", "comment": "from a page"}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    repository: Path = tmp_path_factory.mktemp("login") / "repository"
    subprocess.run(["git", "init", "--quiet", str(repository)], check=True)
    with running_server(repository, "--workers", "2") as server:
        yield Browser(server, repository)


@pytest.fixture
def holdfast(browser: Browser, run_holdfast: RunHoldfast) -> RunHoldfast:
    """The command in the repository that is served."""
    return partial(run_holdfast, cwd=browser.server.repository)


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
    now = 0.0
    of_repository = Repository.discover(repository)
    codes = LoginCodes(of_repository)
    logins = Logins(codes, b"key", 80, TokenFile(of_repository), encrypted=False, clock=lambda: now)
    opened = {"method": "GET", "query_string": f"code={codes.add('')}".encode(), "headers": []}
    left = logins.answer(opened).headers["set-cookie"]
    lifetime = re.search(r"Max-Age=([0-9]+)", left)
    assert lifetime is not None
    scope = {"path": "/api/x", "method": "GET"}
    headers = {b"cookie": f"a=b; {left.partition(';')[0]}".encode()}
    now = float(lifetime[1])
    assert logins.caller(scope, headers) is not None
    now += 1
    assert logins.caller(scope, headers) is None


def test_a_code_ends_after_a_day_and_the_oldest_of_many_end(repository: Path) -> None:
    now = 0.0
    codes = LoginCodes(Repository.discover(repository), clock=lambda: now)
    first, *others = (codes.add(f"n{number}") for number in range(101))
    assert (codes.use(first), codes.use(others[0])) == (None, "n1")
    now = 24 * 3600.0
    assert codes.use(others[1]) is None


def test_a_damaged_file_of_codes_lets_nobody_in(repository: Path) -> None:
    of_repository = Repository.discover(repository)
    codes = LoginCodes(of_repository)
    code = codes.add("")
    file = Path(of_repository.store_directory, "login-codes.json")
    assert code not in file.read_text()
    assert file.stat().st_mode & 0o077 == 0
    for damage in ("[", "[]", '{"a": 1}', '{"a": [1, "x"]}'):
        file.write_text(damage)
        assert codes.use(code) is None
    assert codes.use(codes.add("bo")) == "bo"


def link_of(run: RunHoldfast, name: str) -> str:
    printed = run("token", "link", name)
    assert (printed.returncode, name in printed.stderr) == (0, True)
    return printed.stdout.strip()


def test_a_link_for_a_token_logs_its_holder_in_once(browser: Browser, holdfast: RunHoldfast) -> None:
    browser.tokens.add("dee", Role.READ)
    link = link_of(holdfast, "dee")
    assert link.startswith(f"{browser.origin}/login?code=")
    opened = browser.ask("GET", link.removeprefix(browser.origin), Cookie=None)
    cookie = opened.headers["set-cookie"].partition(";")[0]
    assert browser.ask("GET", "/api/inbox/list_messages", Cookie=cookie).status == 200
    write = {"Cookie": cookie, "Sec_Fetch_Site": "same-origin"}
    assert browser.ask("POST", "/api/inbox/send_message", MESSAGE, **write).status == 403
    assert browser.ask("GET", link.removeprefix(browser.origin), Cookie=None).status == 401
    unused = link_of(holdfast, "dee")
    browser.tokens.remove("dee")
    assert browser.ask("GET", unused.removeprefix(browser.origin), Cookie=None).status == 401


def test_a_link_is_for_a_known_token_of_a_running_server(
    browser: Browser, holdfast: RunHoldfast, run_holdfast: RunHoldfast, repository: Path
) -> None:
    unknown = holdfast("token", "link", "nobody")
    assert (unknown.returncode, "no token named" in unknown.stderr) == (3, True)
    TokenFile(Repository.discover(repository)).add("eve", Role.READ)
    stopped = run_holdfast("token", "link", "eve", cwd=repository)
    assert (stopped.returncode != 0, "holdfast serve --http" in stopped.stderr) == (True, True)


def test_open_finds_the_running_server(browser: Browser, holdfast: RunHoldfast) -> None:
    opened = holdfast("open", env={**os.environ, "BROWSER": "true"})
    assert opened.returncode == 0
    link = opened.stdout.strip().removeprefix(browser.origin)
    assert browser.ask("GET", link, Cookie=None).status == 303


def test_a_server_that_has_ended_is_not_found(repository: Path) -> None:
    of_repository = Repository.discover(repository)
    with announced_address(of_repository, "http://first"):
        with announced_address(of_repository, "http://second"):
            assert served_address(of_repository) == "http://first"
        assert served_address(of_repository) == "http://first"
    assert served_address(of_repository) is None


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
