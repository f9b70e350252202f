"""Changes reach those who asked, whoever made them, in both eras."""

from __future__ import annotations

from pathlib import Path

from tests.faces.mcp.test_lazygit_profile import URI, send, serve
from tests.wire.client import ENVELOPE, wire_client

SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


def listen(identity: str, *uris: str) -> dict[str, object]:
    return {"_meta": ENVELOPE, "notifications": {"resourceSubscriptions": list(uris)}}


def test_a_listen_stream_acknowledges_reports_and_ends_with_an_answer(repository: Path) -> None:
    with wire_client(serve(), cwd=repository) as client:
        client.request("listen-1", "subscriptions/listen", listen("listen-1", URI))
        acknowledged = client.receive()
        assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
        assert acknowledged["params"]["_meta"][SUBSCRIPTION] == "listen-1"
        send(repository, "Listen")
        updated = client.receive(5)
        assert updated["method"] == "notifications/resources/updated"
        assert updated["params"]["uri"] == URI
        assert updated["params"]["_meta"][SUBSCRIPTION] == "listen-1"
        client.close_input()
        ended = client.receive(5)
        assert ended["id"] == "listen-1"
        assert ended["result"]["resultType"] == "complete"
        assert client.wait() == 0


def test_listening_takes_no_place_from_other_requests(repository: Path) -> None:
    with wire_client(settings={"limits": {"requests_in_flight": 1}}) as client:
        for number in range(3):
            identity = f"listen-{number}"
            client.request(identity, "subscriptions/listen", listen(identity, "sample://note"))
            assert client.receive()["method"] == "notifications/subscriptions/acknowledged"
        called = client.ask(1, "tools/call", {"name": "echo", "arguments": {"text": "x"}, "_meta": ENVELOPE})
        assert called["result"]["structuredContent"] == {"text": "x"}


def test_a_cancelled_listen_stream_hears_nothing_more(repository: Path) -> None:
    with wire_client(serve(), cwd=repository) as client:
        client.request("listen-1", "subscriptions/listen", listen("listen-1", URI))
        client.receive()
        client.notify("notifications/cancelled", {"requestId": "listen-1"})
        client.request("listen-2", "subscriptions/listen", listen("listen-2", URI))
        client.receive()
        send(repository, "Too late for the first")
        updated = client.receive()
        assert updated["method"] == "notifications/resources/updated"
        assert "listen-2" in str(updated)


def test_updates_arrive_when_another_process_writes(repository: Path) -> None:
    with wire_client(serve(), cwd=repository) as client:
        client.initialize()
        client.ask(1, "resources/subscribe", {"uri": URI})
        for number in range(3):
            send(repository, f"remark {number}")
            assert client.receive(5)["method"] == "notifications/resources/updated"


def test_subscribing_to_nothing_known_is_refused(repository: Path) -> None:
    with wire_client(serve(), cwd=repository) as client:
        client.initialize()
        assert client.ask(1, "resources/subscribe", {"uri": "lazygit://nothing"})["error"]["code"] == -32002


def test_unsubscribing_ends_the_updates(repository: Path) -> None:
    with wire_client(serve(), cwd=repository) as client:
        client.initialize()
        client.ask(1, "resources/subscribe", {"uri": URI})
        client.ask(2, "resources/unsubscribe", {"uri": URI})
        with wire_client(serve(), cwd=repository) as other:
            other.initialize()
            other.ask(1, "resources/subscribe", {"uri": URI})
            send(repository, "Heard by the other")
            assert other.receive()["method"] == "notifications/resources/updated"
        assert client.ask(3, "ping")["result"] == {}


def test_a_worktree_hears_what_is_sent_in_another(repository: Path, tmp_path: Path) -> None:
    import subprocess

    subprocess.run(["git", "commit", "--allow-empty", "-qm", "first"], cwd=repository, check=True)
    other = tmp_path / "other"
    subprocess.run(["git", "worktree", "add", "-q", str(other)], cwd=repository, check=True)
    with wire_client(serve(), cwd=other) as client:
        client.initialize()
        client.ask(1, "resources/subscribe", {"uri": URI})
        send(repository, "From the main tree")
        assert client.receive(5)["params"]["uri"] == URI
        text = client.call(2, "check_lazygit_messages")["result"]["content"][0]["text"]
        assert "From the main tree" in text
