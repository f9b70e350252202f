"""Several processes behind one port, and several kinds of clients on one repository."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.faces.http.handshake import HandshakeClient
from tests.faces.http.running import HOLDFAST, RunningServer, running_server
from tests.waiting import wait_until
from tests.wire.client import ENVELOPE, wire_client


def workers_of(server: RunningServer) -> list[int]:
    listed = subprocess.run(["pgrep", "-P", str(server.process.pid)], capture_output=True, text=True).stdout
    return [int(number) for number in listed.split()]


@pytest.mark.requirement("http-10")
def test_workers_end_with_their_parent_however_it_ends(repository: Path) -> None:
    with running_server(repository, "--workers", "2") as server:
        wait_until(lambda: len(workers_of(server)) == 2)
        workers = workers_of(server)
        server.process.kill()
        wait_until(lambda: not [worker for worker in workers if os.path.exists(f"/proc/{worker}")])


@pytest.mark.requirement("http-10")
def test_several_workers_answer_on_one_port_and_a_dead_one_is_replaced(repository: Path) -> None:
    with running_server(repository, "--workers", "3") as server:
        wait_until(lambda: len(workers_of(server)) == 3)
        workers = workers_of(server)

        def post(number: int) -> int:
            comment = {"file": ".", "comment": f"number {number}"}
            return server.ask("POST", "/api/inbox/send_message", comment).status

        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(post, range(60))) == {200}
        assert server.ask("GET", "/api/inbox/list_messages?limit=1").json["total"] == 60
        os.kill(workers[0], signal.SIGKILL)
        wait_until(lambda: len(set(workers_of(server)) - {workers[0]}) == 3)
        assert server.ask("GET", "/api/inbox/list_messages?limit=1").json["total"] == 60
        server.process.terminate()
        assert server.process.wait(120) == 0
        assert not [worker for worker in workers if os.path.exists(f"/proc/{worker}")]


@pytest.mark.requirement("http-10")
def test_a_session_is_found_whichever_worker_a_request_reaches(repository: Path) -> None:
    with running_server(repository, "--workers", "3") as server:
        wait_until(lambda: len(workers_of(server)) == 3)
        sessions = [HandshakeClient(server) for _ in range(6)]
        for session in sessions:
            session.ask("resources/subscribe", uri="lazygit://messages")
        with ExitStack() as streams:
            events = [streams.enter_context(session.events()) for session in sessions]
            for session in sessions:
                # Each on a connection of its own, which any worker may take.
                for _ in range(6):
                    told = session.ask("tools/call", name="list_messages", arguments={"limit": 1})
                    assert told["result"]["structuredContent"]["total"] == 0
            sessions[0].ask("tools/call", name="send_message", arguments={"file": ".", "comment": "x"})
            for stream in events:
                assert next(stream)["method"] == "notifications/resources/updated"
        assert [session.close() for session in sessions] == [200] * 6
        assert [session.post("ping").status for session in sessions] == [404] * 6


@pytest.mark.requirement("http-10")
def test_a_session_of_a_worker_that_died_is_unknown_and_a_new_one_works(repository: Path) -> None:
    with running_server(repository, "--workers", "2") as server:
        wait_until(lambda: len(workers_of(server)) == 2)
        sessions = [HandshakeClient(server) for _ in range(4)]
        before = workers_of(server)
        for worker in before:
            os.kill(worker, signal.SIGKILL)
        wait_until(lambda: len(set(workers_of(server)) - set(before)) == 2)
        assert {session.post("ping").status for session in sessions} == {404}
        assert HandshakeClient(server).ask("ping")["result"] == {}


@pytest.mark.requirement("http-14")
def test_two_clients_over_http_and_one_on_a_pipe_see_each_others_writes(repository: Path) -> None:
    with running_server(repository) as server, wire_client([HOLDFAST, "serve"], cwd=repository) as pipe:
        ada, eve = server.add_token("ada", "write"), server.add_token("eve", "write")

        def total_by_http(token: str) -> int:
            total: int = server.ask("GET", "/api/inbox/list_messages?limit=1", token=token).json["total"]
            return total

        def by_pipe(number: str, name: str, **arguments: object) -> dict[str, Any]:
            call = {"name": name, "arguments": arguments, "_meta": ENVELOPE}
            result: dict[str, Any] = pipe.ask(number, "tools/call", call)["result"]["structuredContent"]
            return result

        writers: list[Callable[[str], object]] = [
            lambda text: server.ask(
                "POST", "/api/inbox/send_message", {"file": ".", "comment": text}, token=ada
            ),
            lambda text: server.call(
                "tools/call", token=eve, name="send_message", arguments={"file": ".", "comment": text}
            ),
            lambda text: by_pipe(f"write {text}", "send_message", file=".", comment=text),
        ]
        readers: list[Callable[[int], int]] = [
            lambda _: total_by_http(ada),
            lambda _: total_by_http(eve),
            lambda number: int(by_pipe(f"read {number}", "list_messages", limit=1)["total"]),
        ]
        for number in range(1, 10):
            writers[number % 3](f"number {number}")
            assert [read(number) for read in readers] == [number] * 3
