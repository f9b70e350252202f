"""How long others wait, where a requirement names a time: pings, cancellations, news, crowded appends.

    python -m bench.promptness [--rounds 15] [--check] [--save]

Tests wait for these events and assert no time; here the times stand beside what the requirements allow. With
--check the exit status is 1 when one takes longer.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from bench._results import Results, arguments
from bench.tour import new_repository
from holdfast.milestones.entity import EntityDraft
from holdfast.milestones.index.query import EntityQuery
from tests.faces.http.handshake import HandshakeClient
from tests.faces.http.running import running_server
from tests.faces.http.test_hearing import URI, Ear, listening
from tests.faces.rest.test_events import listening as following
from tests.milestones.clones import issue, opened
from tests.milestones.index.test_scale import ISSUES, rebuilt
from tests.reliability.test_milestones_crowded import WRITER, crowd
from tests.wire.client import wire_client

Row = tuple[str, str, float, float]


def main() -> None:
    options = arguments(__doc__, rounds=15)
    results = Results("bench.promptness")
    table = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder
        for requirement, what, took, allowed in rows(Path(folder), options.rounds):
            bar = results.bar(f"{what}, seconds", took, allowed, against=requirement)
            table.append((requirement, what, took, f"{allowed:g} {bar.verdict}"))
    results.table("waits", ("requirement", "what", "seconds", "allowed"), table)
    sys.exit(results.finish(options))


def rows(folder: Path, rounds: int) -> Iterator[Row]:
    yield from during_a_computation(rounds)
    yield from news(new_repository(folder / "news"), rounds)
    yield from milestones(new_repository(folder / "milestones"), rounds)


def during_a_computation(rounds: int) -> Iterator[Row]:
    pings, freed = [], []
    with wire_client(settings={"limits": {"requests_in_flight": 1}}) as client:
        client.initialize()
        for number in range(rounds):
            client.start_call(f"spin {number}", "spin", seconds=60)
            time.sleep(0.05)  # Now it computes.
            pings.append(seconds_of(lambda number=number: client.ask(f"ping {number}", "ping")))
            client.notify("notifications/cancelled", {"requestId": f"spin {number}"})
            # Its place is the only one.
            freed.append(seconds_of(lambda number=number: client.call(f"next {number}", "echo", text="x")))
    yield "reliability-D7", "ping during a computation", statistics.median(pings), 0.1
    yield "reliability-D7", "the place of a cancelled call is free", statistics.median(freed), 1


def news(repository: Path, rounds: int) -> Iterator[Row]:
    heard, told = [], []
    with ExitStack() as stack:
        server = stack.enter_context(running_server(repository))
        handshake = HandshakeClient(server, token=server.add_token("ada", "write"))
        handshake.ask("resources/subscribe", uri=URI)
        stateless = stack.enter_context(listening(server, server.add_token("eve", "write")))
        next(stateless)
        events = stack.enter_context(handshake.events())
        feed = stack.enter_context(following(server))
        feed.next()
        ears = [Ear(lambda: next(events)), Ear(lambda: next(stateless))]
        for number in range(rounds):
            for ear in ears:
                ear.heard.queue.clear()
            began = time.perf_counter()
            remark = {"file": "a", "comment": f"number {number}"}
            handshake.ask("tools/call", name="send_message", arguments=remark)
            for ear in ears:
                ear.heard.get(timeout=20)
            heard.append(time.perf_counter() - began)
            feed.next()
            told.append(time.perf_counter() - began)
    yield "http-14", "clients over HTTP hear of a write", statistics.median(heard), 1
    yield "http-13", "/api/events tells of a write", statistics.median(told), 1


def milestones(repository: Path, rounds: int) -> Iterator[Row]:
    with opened(repository) as room:
        names = [issue(room, f"Issue {number}") for number in range(8)]
        room.find(EntityQuery("issue"))
    waits = crowd(repository, names, WRITER, 8, 100)
    yield "reliability-B2", "95 in 100 appends of eight processes", waits[int(len(waits) * 0.95)], 1
    with opened(repository) as room:
        room.import_drafts(EntityDraft("issue", f"More {number}") for number in range(ISSUES - len(names)))
        first = room.find(EntityQuery("issue"))
        pages = [seconds_of(lambda: room.find(EntityQuery("issue", after=first.next))) for _ in range(rounds)]
        appends = [seconds_of(lambda: room.comment(names[0], "Hm")) for _ in range(rounds)]
    yield "milestones-52", "a warm page", statistics.median(pages), 0.05
    yield "milestones-52", "an append", statistics.median(appends), 0.05
    yield (
        "milestones-52",
        f"a rebuild of {ISSUES:,}",
        seconds_of(lambda: rebuilt(repository)),
        30 * ISSUES / 100_000,
    )


def seconds_of(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
