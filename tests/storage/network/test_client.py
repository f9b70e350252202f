from __future__ import annotations

import socket
import threading
import time
from http.server import BaseHTTPRequestHandler

import pytest

from holdfast.kernel.call import Call, running
from holdfast.kernel.errors import (
    Cancelled,
    DeadlineExceeded,
    Denied,
    HoldfastError,
    InvalidArguments,
    TooLarge,
    Unavailable,
)
from holdfast.storage.network.address import AllowedHosts, Origin, parse_address
from holdfast.storage.network.client import WebClient, parse_proxy
from tests.tasks.trackers.web_server import Answer, Request, Server, serving

SECRET = {"Authorization": "Bearer secret-token"}


def client(server: Server, **more: object) -> WebClient:
    return WebClient(server.url, AllowedHosts([server.host]), secrets=lambda: SECRET, **more)  # type: ignore[arg-type]


def test_an_answer_comes_with_status_headers_and_body() -> None:
    with serving(lambda request: Answer(201, {"path": request.path}, {"ETag": '"1"'})) as server:
        answer = client(server).request("POST", "/things", body=b"{}")
    assert (answer.status, answer.json(), answer.headers["etag"]) == (201, {"path": "/things"}, '"1"')
    assert server.requests[0].headers["authorization"] == "Bearer secret-token"


def test_a_host_that_nobody_allowed_is_not_reached() -> None:
    with serving(lambda _: Answer()) as server, pytest.raises(Denied, match="is not allowed") as caught:
        WebClient(server.url, AllowedHosts(["api.example.org"]), secrets=lambda: SECRET).request("GET", "/")
    assert server.requests == []
    assert "holdfast.host" in caught.value.sentence()


def test_a_redirect_to_another_server_is_refused_and_the_secret_stays() -> None:
    with serving(lambda _: Answer(200, "stolen")) as other:
        elsewhere = {"Location": f"{other.url}/take"}
        with serving(lambda _: Answer(302, None, elsewhere)) as server:
            both = WebClient(server.url, AllowedHosts([server.host, other.host]), secrets=lambda: SECRET)
            with pytest.raises(Denied):
                both.request("GET", "/")
        assert other.requests == []


def test_a_redirect_on_the_same_server_is_followed() -> None:
    def respond(request: Request) -> Answer:
        return (
            Answer(301, None, {"Location": "/new"}) if request.path == "/old" else Answer(200, request.path)
        )

    with serving(respond) as server:
        assert client(server).request("GET", "/old").json() == "/new"


def test_a_write_is_not_sent_again_to_another_address() -> None:
    with serving(lambda _: Answer(307, None, {"Location": "/new"})) as server, pytest.raises(Denied):
        client(server).request("POST", "/old", body=b"{}")
    assert len(server.requests) == 1


def test_circles_of_redirects_end() -> None:
    with serving(lambda _: Answer(302, None, {"Location": "/"})) as server, pytest.raises(Unavailable):
        client(server).request("GET", "/")


def test_a_page_elsewhere_is_not_asked_for() -> None:
    with serving(lambda _: Answer()) as server, pytest.raises(Denied):
        client(server).request("GET", "https://evil.example/next")
    assert server.requests == []


def test_an_answer_that_is_too_large_is_refused() -> None:
    with serving(lambda _: Answer(200, b"x" * 5000)) as server, pytest.raises(TooLarge):
        client(server, limit=4000).request("GET", "/")


def drip(handler: BaseHTTPRequestHandler) -> None:
    """Send one byte of a header at a time, so that no single read ever takes long."""
    try:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        for _ in range(400):
            handler.wfile.write(b"a")
            handler.wfile.flush()
            time.sleep(0.02)
    except OSError:
        pass


def test_a_server_that_drips_is_given_up_at_the_time_limit() -> None:
    with serving(lambda _: Answer(raw=drip)) as server, pytest.raises(DeadlineExceeded):
        client(server, seconds=0.3).request("GET", "/")


def test_a_cancelled_request_ends() -> None:
    call = Call()

    def cancel_and_drip(handler: BaseHTTPRequestHandler) -> None:
        call.cancel()
        drip(handler)

    with serving(lambda _: Answer(raw=cancel_and_drip)) as server, running(call), pytest.raises(Cancelled):
        client(server).request("GET", "/")


def drip_body(handler: BaseHTTPRequestHandler) -> None:
    """Send the body one byte at a time."""
    try:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n")
        for _ in range(400):
            handler.wfile.write(b"a")
            handler.wfile.flush()
            time.sleep(0.02)
    except OSError:
        pass


def test_a_body_that_drips_is_given_up_at_the_time_limit() -> None:
    with serving(lambda _: Answer(raw=drip_body)) as server, pytest.raises(DeadlineExceeded):
        client(server, seconds=0.3).request("GET", "/")


def test_a_server_that_does_not_finish_the_handshake_of_tls_is_given_up_at_the_time_limit() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        host = f"127.0.0.1:{silent.getsockname()[1]}"
        web = WebClient(f"https://{host}", AllowedHosts([host]), seconds=0.3)
        with pytest.raises(DeadlineExceeded):
            web.request("GET", "/")


def test_a_request_goes_through_the_proxy_that_the_environment_names(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as proxy:

        def serve() -> None:
            connection, _ = proxy.accept()
            with connection:
                heard.append(connection.recv(65536))
                connection.sendall(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")

        thread = threading.Thread(target=serve)
        thread.start()
        monkeypatch.setenv("HTTPS_PROXY", f"http://user:pass@127.0.0.1:{proxy.getsockname()[1]}")
        monkeypatch.setenv("NO_PROXY", "")
        web = WebClient("https://api.example.org", AllowedHosts(["api.example.org"]), secrets=lambda: SECRET)
        with pytest.raises(Unavailable):
            web.request("GET", "/")
        thread.join()
    assert heard[0].startswith(b"CONNECT api.example.org:443")
    assert b"secret" not in heard[0]


def test_the_service_is_asked_for_its_bytes_as_they_are() -> None:
    with serving(lambda _: Answer(200, "x")) as server:
        client(server).request("GET", "/")
    assert server.requests[0].headers["accept-encoding"] == "identity"
    assert server.requests[0].headers["user-agent"].startswith("holdfast/")


def cut_off(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}")


def test_half_an_answer_is_no_answer() -> None:
    with serving(lambda _: Answer(raw=cut_off)) as server, pytest.raises(Unavailable):
        client(server).request("GET", "/")


def test_an_error_names_the_reason_and_never_the_secret() -> None:
    with serving(lambda _: Answer()) as server:
        gone = client(server)
    with pytest.raises(Unavailable, match="Connection refused") as caught:
        gone.request("GET", "/")
    assert "secret" not in caught.value.sentence() + repr(caught.value.data)


def test_a_body_that_is_not_json_is_named() -> None:
    with serving(lambda _: Answer(200, b"<html>")) as server, pytest.raises(Unavailable, match="not JSON"):
        client(server).request("GET", "/").json()


@pytest.mark.parametrize(
    "address",
    [
        "http://api.example.org", "ftp://api.example.org", "https://user:pass@api.example.org", "https://",
        "https://a b", "https://a\nb", "file:///etc/passwd", "https://host:port", "//host",
    ],
)  # fmt: skip
def test_addresses_that_are_refused(address: str) -> None:
    with pytest.raises(InvalidArguments):
        parse_address(address)


def test_an_address_is_taken_apart() -> None:
    address = parse_address("https://API.example.org:8443/v1?x=1")
    assert address == (Origin("https", "api.example.org", 8443), "/v1?x=1")
    assert address.origin.name == "api.example.org:8443"


def test_hosts_are_allowed_by_name_port_and_project() -> None:
    allowed = AllowedHosts(["https://api.example.org/", "localhost:8080", "API.github.com/Ada/Kelp", "??"])
    assert allowed.allows(Origin("https", "api.example.org", 443))
    assert not allowed.allows(Origin("https", "api.example.org", 444))
    assert not allowed.allows(Origin("https", "evil-api.example.org", 443))
    assert allowed.allows(Origin("http", "localhost", 8080))
    assert not allowed.allows(Origin("http", "localhost", 80))
    github = Origin("https", "api.github.com", 443)
    assert allowed.names_project(github, "ada/kelp")
    assert not allowed.names_project(github, "ada/other")
    assert not AllowedHosts([])


def test_a_proxy_is_a_host_and_a_port() -> None:
    assert parse_proxy("http://proxy.example:3128/") == ("proxy.example", 3128)
    assert parse_proxy("proxy.example") == ("proxy.example", 8080)
    with pytest.raises(HoldfastError):
        parse_proxy("http://")
