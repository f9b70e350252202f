"""No bytes end a parser with anything but an error that its caller turns into an answer."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast
from tests.fuzz.mutation import mutated
from tests.fuzz.parsers import PARSERS, Parser
from tests.reliability.evidence import Tally
from tests.reliability.samples import samples

PACKAGE = Path(holdfast.__file__).parent
CALLS = re.compile(
    r"json\.loads?\(|\bparse_(?:json|toml|yaml|xml)\(|tomllib|\.unpack(?:_from)?\(|fromisoformat|b64decode"
    r"|yaml\.(?:load|compose)|[^_]from_json\(|validate_json\(|urlsplit\(|parse_qsl?\(|unquote\(|zlib\.decompress"
    r"|decompressobj|ast\.parse|shlex\.split|re2\.(?:compile|RE2)|fromhex|expat|deserialize\("
)
"""What a module that reads a format calls."""
REASONS = {
    "takes apart what a listed parser has passed, or hands its text to one": """
        analysis/context/provenance comments/anchors/foreign_notes faces/mcp/resource_states faces/schema
        faces/rest/face installation/formats/jsonc storage/processes/editor storage/sql/foreign_database
        comments/sidecar/javascript_json tasks/imports/restoration tasks/inputs
        tasks/check_commands tasks/store/workspace tasks/trackers/custom tasks/trackers/service
    """,
    "reads a text of ours, to see whether it is JSON": """
        faces/mcp/answers/wording
    """,
    "reads a file of the package": """
        analysis/dead_code/convention analysis/debt/model analysis/defects/commit_risk
        analysis/defects/logistic faces/demo/project
    """,
    "reads what another process of ours wrote": """
        analysis/fleet/fleet comments/tools/export_comments faces/cli/fleet
        faces/http/response_sender tasks/tools/chart templates/confined_renderer
        templates/renderer templates/tools/write_scaffold
    """,
    "reads what the same store wrote, under the database's own checks; tests/reliability damages these": """
        analysis/trend/point_store comments/anchors/cache comments/sidecar/archive
        comments/sidecar/lost_updates
        comments/memory/word_index deferred_calls
        milestones/creation milestones/index/creation_commit milestones/index/rows milestones/log/clone_log
        storage/sql/snapshot
        tasks/charts/figures tasks/store/attachment tasks/store/change tasks/store/history
        stats tasks/consistency tasks/tools/init tasks/trackers/adapter
        tasks/trackers/counterparts tasks/view/board tasks/view/results
    """,
    "reads what this user's Holdfast wrote, as a code in the file proves": """
        analysis/columns/kept_results
    """,
    "state sealed by the SDK with a key": """
        faces/mcp/askers
    """,
    "decompresses an object of git within bounds, to check its hash": """
        storage/git/objects/loose_object
    """,
    "reads what the kernel wrote": """
        storage/watching/inotify
    """,
    "base64 that is checked": """
        tasks/tools/attach
    """,
    "base64 that is only written": """
        source/tools/read_image
    """,
}
EXCUSED = {module: reason for reason, modules in REASONS.items() for module in modules.split()}
"""Modules that call one of these and are no parser of foreign bytes, each with the reason."""


def complaint(parser: Parser, data: bytes) -> str | None:
    """Return what is wrong with how a parser takes some bytes."""
    try:
        result = parser.read(data)
    except parser.errors:
        return None
    except Exception as failure:  # whatever it is, it is the finding
        return f"{type(failure).__name__}: {failure!s:.200} for {data[:200]!r}"
    size = len(result) if isinstance(result, str | bytes) else len(repr(result))
    return (
        f"{size} characters from {len(data)} bytes {data[:200]!r}" if size > 50 * (len(data) + 2000) else None
    )


def complaints(name: str, parser: Parser, count: int) -> list[str]:
    chance = random.Random(f"{name} 20261116")
    tried = [*parser.seeds, *(mutated(chance, parser.seeds) for _ in range(count))]
    return [found for data in tried if (found := complaint(parser, data)) is not None]


@pytest.mark.requirement("reliability-E7")
@pytest.mark.evidence("E7", "parsers", "sound examples, mutated")
@pytest.mark.parametrize("name", PARSERS)
def test_e7_no_mutated_example_ends_a_parser(name: str, tally: Tally) -> None:
    parser = PARSERS[name]
    count = max(3, samples("mutated examples") // parser.cost)
    found = complaints(name, parser, count)
    tally(count, found)
    assert found == []


@pytest.mark.requirement("reliability-E7")
@pytest.mark.evidence("E7", "parsers", "any bytes and texts")
def test_e7_no_text_at_all_ends_a_parser(tally: Tally) -> None:
    cheap = [parser for parser in PARSERS.values() if parser.cost < 20]
    found: list[str] = []

    @settings(max_examples=samples("any texts"), database=None)
    @given(
        st.binary(max_size=200)
        | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass"))
    )
    def every(data: bytes) -> None:
        found.extend(filter(None, (complaint(parser, data) for parser in cheap)))

    every()
    tally(samples("any texts") * len(cheap), found)
    assert found == []


def sloppy(data: bytes) -> object:
    """Reads a line of fields, and takes a third one for granted."""
    return data.decode("utf-8", "replace").split(" ")[2]


@pytest.mark.evidence("E7", "parsers", control="a parser that takes its third field for granted")
def test_control_a_sloppy_parser_is_found(tally: Tally) -> None:
    found = complaints("sloppy", Parser("", sloppy, (b"one two three",), (ValueError,)), 40)
    tally(40, found)
    assert any("IndexError" in one for one in found)


def test_control_a_parser_that_makes_much_of_little_is_found() -> None:
    bomb: Callable[[bytes], object] = lambda data: "x" * (len(data) ** 2 + 10**6)  # noqa: E731
    assert complaint(Parser("", bomb, (b"a",), ()), b"a") is not None


def test_every_parser_takes_one_of_its_examples() -> None:
    assert {
        name for name, parser in PARSERS.items() if all(is_refused(parser, seed) for seed in parser.seeds)
    } == set()


def is_refused(parser: Parser, data: bytes) -> bool:
    try:
        parser.read(data)
    except parser.errors:
        return True
    return False


def readers() -> set[str]:
    """Return the modules of the package that call what reads a format."""
    sources = ((path, path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py"))
    return {path.relative_to(PACKAGE).as_posix()[:-3] for path, text in sources if CALLS.search(text)}


def test_every_module_that_reads_a_format_is_listed_or_excused() -> None:
    listed = {parser.module for parser in PARSERS.values()}
    assert readers() - listed - EXCUSED.keys() == set()
    assert EXCUSED.keys() - readers() == set(), "excuses for nothing"
    assert {module for module in listed if not (PACKAGE / f"{module}.py").exists()} == set()
