"""Access tokens of an authorization server: signature, issuer, audience, time and scope have to be right."""

from __future__ import annotations

import asyncio
import json
import math
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from holdfast.faces.http.oauth import JwtVerifier
from holdfast.faces.http.settings import OAuthSettings
from holdfast.kernel.errors import Busy
from tests.faces.http.running import RunningServer, running_server

AUDIENCE = "https://holdfast.example.org/mcp"


@dataclass
class Issuer:
    """An authorization server that publishes its keys on this machine."""

    url: str
    key: ec.EllipticCurvePrivateKey

    def token(self, key: Any = None, **claims: Any) -> str:
        stated = {
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": "ada@example.org",
            "client_id": "editor",
            "scope": "openid holdfast:write",
            "exp": int(time.time()) + 60,
        } | claims
        payload = {name: value for name, value in stated.items() if value is not None}
        return jwt.encode(payload, key or self.key, algorithm="ES256", headers={"kid": "one"})


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    key = ec.generate_private_key(ec.SECP256R1())
    public = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(key.public_key())) | {"kid": "one", "use": "sig"}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = f"http://127.0.0.1:{self.server.server_address[1]}"
            documents = {
                "/.well-known/oauth-authorization-server": {"issuer": url, "jwks_uri": f"{url}/keys"},
                "/keys": {"keys": [public]},
            }
            body = json.dumps(documents.get(self.path, {})).encode()
            self.send_response(200 if self.path in documents else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Stay quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listener:
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        yield Issuer(f"http://127.0.0.1:{listener.server_address[1]}", key)
        listener.shutdown()


@pytest.fixture(scope="module")
def server(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    import subprocess

    repository = tmp_path_factory.mktemp("oauth") / "repository"
    subprocess.run(["git", "init", "--quiet", str(repository)], check=True)
    options = ["--oauth-issuer", issuer.url, "--public-url", "https://holdfast.example.org"]
    with running_server(repository, *options) as server:
        yield server


def status(server: RunningServer, token: str, path: str = "/api/inbox/list_messages") -> int:
    return server.ask("GET", path, token=token).status


@pytest.mark.requirement("http-15")
def test_a_good_token_is_let_in_with_the_role_its_scopes_give(server: RunningServer, issuer: Issuer) -> None:
    writing = server.ask(
        "POST", "/api/inbox/send_message", {"file": ".", "comment": "x"}, token=issuer.token()
    )
    assert writing.status == 200
    reader = issuer.token(scope="holdfast:read")
    assert status(server, reader) == 200
    assert (
        server.ask("POST", "/api/inbox/send_message", {"file": ".", "comment": "x"}, token=reader).status
        == 403
    )
    assert server.ask("GET", "/api/inbox/list_messages").status == 200, "the owner's token counts as before"


@pytest.mark.requirement("http-15")
@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "https://other.example.org/mcp"},
        {"aud": ["https://other.example.org/mcp"]},
        {"aud": None},
        {"iss": "https://evil.example"},
        {"iss": None},
        {"exp": 1},
        {"exp": None},
        {"nbf": 4102444800},
    ],
    ids=str,
)
def test_a_token_for_others_from_others_or_of_another_time_is_refused(
    server: RunningServer, issuer: Issuer, claims: dict[str, Any]
) -> None:
    assert status(server, issuer.token(**claims)) == 401


@pytest.mark.requirement("http-15")
def test_a_token_signed_by_somebody_else_is_refused(server: RunningServer, issuer: Issuer) -> None:
    assert status(server, issuer.token(key=ec.generate_private_key(ec.SECP256R1()))) == 401
    header, body, _ = issuer.token().split(".")
    assert status(server, f"{header}.{body}.") == 401
    unsigned = jwt.encode({"iss": issuer.url, "aud": AUDIENCE, "exp": time.time() + 60}, "", algorithm="none")
    assert status(server, unsigned) == 401


@pytest.mark.requirement("http-15")
def test_a_token_without_a_scope_that_counts_is_told_which_would(
    server: RunningServer, issuer: Issuer
) -> None:
    answered = server.ask("GET", "/api/inbox/list_messages", token=issuer.token(scope="openid"))
    assert answered.status == 403
    assert 'error="insufficient_scope"' in answered.headers["www-authenticate"]
    assert "holdfast:read" in answered.json["detail"]


@pytest.mark.requirement("http-15")
def test_whoever_has_no_token_is_led_to_the_authorization_server(
    server: RunningServer, issuer: Issuer
) -> None:
    refused = server.ask("POST", "/mcp", {}, {"Authorization": None})
    assert refused.status == 401
    place = "/.well-known/oauth-protected-resource/mcp"
    assert f'resource_metadata="https://holdfast.example.org{place}"' in refused.headers["www-authenticate"]
    document = server.ask("GET", place, headers={"Authorization": None}).json
    assert document["resource"] == AUDIENCE
    assert document["authorization_servers"] == [issuer.url]
    assert document["scopes_supported"] == ["holdfast:read", "holdfast:write", "holdfast:admin"]
    assert server.ask("GET", place, headers={"Authorization": None, "Host": "evil.example"}).status == 421


def test_the_public_name_is_a_host_like_the_local_one(server: RunningServer) -> None:
    for host in ("holdfast.example.org", "HOLDFAST.example.org:443"):
        assert server.ask("GET", "/api/openapi.json", headers={"Host": host}).status == 200
    own = {"Host": "holdfast.example.org", "Origin": "https://holdfast.example.org"}
    assert server.ask("POST", "/api/inbox/drain_messages", {}, own).status == 200
    assert server.ask("GET", "/api/openapi.json", headers={"Host": "holdfast.example.org:80"}).status == 421


@pytest.mark.requirement("http-15")
def test_a_session_belongs_to_who_opened_it(server: RunningServer, issuer: Issuer) -> None:
    accept = {"Accept": "application/json, text/event-stream"}
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    first = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    opened = server.ask("POST", "/mcp", first, accept, token=issuer.token())
    belonging = accept | {
        "Mcp-Session-Id": opened.headers["mcp-session-id"],
        "MCP-Protocol-Version": "2025-11-25",
    }
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    assert server.ask("POST", "/mcp", listing, belonging, token=issuer.token()).status == 200
    for other in (issuer.token(sub="eve@example.org"), issuer.token(scope="holdfast:read"), server.token):
        assert server.ask("POST", "/mcp", listing, belonging, token=other).status == 404


def test_options_that_do_not_fit_together_are_refused(repository: Path) -> None:
    from holdfast.faces.cli.application import run

    root = ["--root", str(repository)]
    assert run(["serve", "--http", "0", "--oauth-issuer", "https://issuer.example.org", *root]) == 2
    assert run(["serve", "--http", "0", "--oauth-audience", "https://x.example.org", *root]) == 2
    assert run(["serve", "--http", "0", "--public-url", "ftp://x", *root]) == 2
    assert run(["serve", "--http", "0", "--workers", "0", *root]) == 2
    assert run(["serve", "--http", "0.0.0.0:0", *root]) == 5


class CountedIssuer:
    """Answers requests for keys, and counts them; when it is closed nobody answers."""

    def __init__(self) -> None:
        self.asked = 0
        self.answer = b""
        self.signing: dict[str, ec.EllipticCurvePrivateKey] = {}
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.asked += 1
                keys = [
                    json.loads(jwt.algorithms.ECAlgorithm.to_jwk(key.public_key()))
                    | {"kid": name, "use": "sig"}
                    for name, key in issuer.signing.items()
                ]
                stated = b"" if issuer.answer.strip() else json.dumps({"keys": keys}).encode()
                body = issuer.answer + stated
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments: Any) -> None:
                del arguments

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def token(self, name: str) -> str:
        key = self.signing.setdefault(name, ec.generate_private_key(ec.SECP256R1()))
        stated = {"iss": self.url, "aud": AUDIENCE, "sub": "ada", "exp": int(time.time()) + 600}
        return jwt.encode(stated, key, algorithm="ES256", headers={"kid": name})

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def counted() -> Iterator[CountedIssuer]:
    issuer = CountedIssuer()
    yield issuer
    issuer.close()


def test_junk_makes_one_fetch_of_keys_however_much_of_it_comes(counted: CountedIssuer) -> None:
    now = 1000.0
    verifier = JwtVerifier(OAuthSettings(counted.url, AUDIENCE, f"{counted.url}/keys"), lambda: now)
    good, junk = counted.token("one"), [counted.token(f"junk-{number}") for number in range(20)]
    counted.signing = {"one": counted.signing["one"]}

    async def verified(*tokens: str) -> list[bool]:
        return [found is not None for found in await asyncio.gather(*map(verifier.verify_token, tokens))]

    async def all_of_it() -> None:
        nonlocal now
        assert await verified(*junk, good) == [False] * 20 + [True]
        assert counted.asked == 1
        later = counted.token("later")
        assert await verified(later, *junk) == [False] * 21
        now += 11  # a key that the issuer took into use meanwhile is found before long
        assert await verified(*junk, later) == [False] * 20 + [True]
        assert counted.asked == 2
        now += 301  # and one that it took back is forgotten
        counted.signing = {"other": ec.generate_private_key(ec.SECP256R1())}
        assert await verified(good, later) == [False, False]
        assert counted.asked == 3

    asyncio.run(all_of_it())


def test_an_issuer_that_does_not_answer_is_not_asked_again_at_once(counted: CountedIssuer) -> None:
    now = 1000.0
    verifier = JwtVerifier(OAuthSettings(counted.url, AUDIENCE, f"{counted.url}/keys"), lambda: now)
    good = counted.token("one")

    async def all_of_it() -> None:
        nonlocal now
        counted.close()
        for _ in range(5):
            with pytest.raises(Busy):
                await verifier.verify_token(good)
        assert verifier.last_attempt == 1000.0
        now += 11
        with pytest.raises(Busy):
            await verifier.verify_token(good)
        assert verifier.last_attempt == 1011.0

    asyncio.run(all_of_it())


def test_while_keys_cannot_be_fetched_callers_are_asked_to_come_again(
    repository: Path, counted: CountedIssuer
) -> None:
    token = counted.token("one")
    counted.close()
    options = ["--oauth-issuer", counted.url, "--public-url", "https://holdfast.example.org"]
    with running_server(repository, *options) as server:
        assert status(server, token) == 503
        assert status(server, token, "/mcp") == 503


@pytest.mark.parametrize(
    "answer",
    [
        *(b'{"keys":' + b"[" * 100_000, b" " * 2_000_000, b"<html>", b"[]", b'{"keys":"x"}'),
        b'{"keys":[1,null,{},{"kty":"RSA","n":5,"e":[]},{"kty":"EC","crv":{},"kid":["x"]}]}',
    ],
    ids=["deep", "long", "no JSON", "a list", "no list", "no keys"],
)
def test_what_is_no_list_of_keys_lets_nobody_in_and_ends_nothing(
    counted: CountedIssuer, answer: bytes
) -> None:
    now = 1000.0
    verifier = JwtVerifier(OAuthSettings(counted.url, AUDIENCE, f"{counted.url}/keys"), lambda: now)
    good, counted.answer = counted.token("one"), answer

    async def all_of_it() -> None:
        nonlocal now
        with suppress(Busy):
            assert await verifier.verify_token(good) is None
        counted.answer = b""
        now += 11
        assert await verifier.verify_token(good) is not None

    asyncio.run(all_of_it())


@pytest.mark.parametrize(
    ("claims", "expected"),
    [({"scope": 5}, 403), ({"scope": {"a": 1}}, 403), ({"exp": 10**400}, 401), ({"exp": math.inf}, 401)],
)
def test_claims_of_another_kind_are_refused(
    server: RunningServer, issuer: Issuer, claims: dict[str, Any], expected: int
) -> None:
    assert status(server, issuer.token(**claims)) == expected


def test_a_subject_named_like_a_token_is_somebody_else(server: RunningServer, issuer: Issuer) -> None:
    local = server.add_token("ada", "write")
    for token in (local, issuer.token(sub="ada"), issuer.token(sub="owner")):
        server.ask("POST", "/api/inbox/send_message", {"file": ".", "comment": token[-9:]}, token=token)
    found = server.ask("GET", "/api/inbox/list_messages").json["messages"]
    place = issuer.url.removeprefix("http://")
    assert {message["author"] for message in found} >= {"ada", f"ada ({place})", f"owner ({place})"}
    assert "owner" not in {message["author"] for message in found}
