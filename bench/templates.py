"""Rendering one built-in template, warm: Holdfast beside bare Jinja2 on the same text.

Bare Jinja2 renders the compiled text with every value at hand. Holdfast finds the template, checks and fills
the parameters, renders path and text in the sandbox, and computes the checksum. Two figures: a request seen
for the first time (every call has another project name), and one that was rendered before. Rounds alternate;
the median counts. A template from a repository, which runs in a process of its own, is shown beside them.

    python -m bench.templates [--rounds 25] [--check] [--save]
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from jinja2 import Environment

from bench._comparison import amount
from bench._results import Results, arguments
from holdfast.storage.git.repository import Repository
from holdfast.templates.catalogue import Templates
from holdfast.templates.renderer import Renderer

URIS = ("template://makefile/rust/cli", "template://readme/rust/cli", "template://gitignore/python-uv/cli")
CALLS = 200
BAR = 3.0


def measure(call: Callable[[int], object], first: int) -> float:
    """Return microseconds of processor time per call; wall time would measure the neighbours."""
    began = time.process_time()
    for number in range(first, first + CALLS):
        call(number)
    return (time.process_time() - began) / CALLS * 1e6


def compared(uri: str, rounds: int) -> tuple[float, float, float]:
    """Return microseconds per file of bare Jinja2, of a new request, and of a repeated one."""
    room = Templates(Repository(tempfile.gettempdir()))
    template = room.find(uri)
    required = {"project_name": "kelp", "description": "Holds fast"}
    known = {item.name for item in template.parameters}
    given = {name: value for name, value in required.items() if name in known}
    bare = Environment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    bare.filters.update(snake=lambda text: text.replace("-", "_"))
    compiled = bare.from_string(template.body)
    values = {**template.complete(given), "toolchain": template.address.toolchain, "variant": "cli"}
    assert compiled.render(values) == room.generate(template, given).content

    def named(number: int) -> dict[str, str]:
        return {"project_name": f"kelp{number}"} if "project_name" in known else {}

    def fresh(number: int) -> object:
        # What takes no name is made anew by a room that has rendered nothing yet.
        if not named(number):
            room._renderer = Renderer()
        return room.generate(room.find(uri), {**given, **named(number)})

    figures: list[tuple[float, float, float]] = []
    for turn in range(rounds):
        first = turn * CALLS
        figures.append(
            (
                measure(lambda number: compiled.render({**values, **named(number)}), first),
                measure(fresh, first),
                measure(lambda _: room.generate(room.find(uri), given), first),
            )
        )
    bare_time, fresh_time, again_time = (statistics.median(column) for column in zip(*figures, strict=True))
    return bare_time, fresh_time, again_time


def confined() -> float:
    """Return milliseconds for a template of a repository, rendered for the first time."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, ".scaffold")
        place.mkdir()
        Path(place, "notice.template").write_text(
            '+++\ncategory = "notice"\npath = "NOTICE"\n'
            'addresses = [{ toolchain = "any", variant = "cli", name = "N", description = "N" }]\n'
            'parameters = [{ name = "n", type = "string", description = "N" }]\n+++\n{{ n }}\n',
            encoding="utf-8",
        )
        room = Templates(Repository(folder))
        times = []
        for number in range(7):
            began = time.perf_counter()
            room.generate(room.find("template://notice/any/cli"), {"n": str(number)})
            times.append((time.perf_counter() - began) * 1e3)
    return statistics.median(times)


def main() -> None:
    options = arguments(__doc__, rounds=25)
    results = Results("bench.templates", f"{CALLS} files in a round", {"Jinja2": version("jinja2")})
    rows = []
    for uri in URIS:
        bare, fresh, again = compared(uri, options.rounds)
        bar = results.bar(f"rendering `{uri}` for the first time", fresh / bare, BAR, against="bare Jinja2")
        times = (amount(each / 1e6) for each in (bare, fresh, again))
        rows.append((f"`{uri}`", *times, fresh / bare, f"{BAR:g} {bar.verdict}"))
    rows.append(("one of a repository, in its own process", "", amount(confined() / 1e3), "", "", ""))
    results.table("rendering", ("", "bare Jinja2", "new", "again", "new / bare", "bar"), rows)
    sys.exit(results.finish(options))


if __name__ == "__main__":
    main()
