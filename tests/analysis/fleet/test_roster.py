"""Lists of repositories: names, comments, and lines that cannot be meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.analysis.fleet.roster import parse_roster
from holdfast.kernel.errors import HoldfastError, InvalidArguments, NotFound


@pytest.fixture
def base(tmp_path: Path) -> Path:
    for name in ("one", "two words", "first/app", "second/app"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


def names(text: str, base: Path) -> dict[str, str]:
    return {
        member.name: str(Path(member.path).relative_to(base.resolve()))
        for member in parse_roster(text, str(base))
    }


def test_a_line_is_a_path_or_a_path_and_a_name(base: Path) -> None:
    text = f"# ours\n\none  # the first\n'two words'\tmany\nfirst/app\n{base}/second/app other\n"
    assert names(text, base) == {
        "first/app": "first/app",
        "many": "two words",
        "one": "one",
        "other": "second/app",
    }


def test_an_empty_list_names_nobody(base: Path) -> None:
    assert parse_roster("# nobody\n\n", str(base)) == []


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("one\n# x\nonne\n", NotFound, "Line 3 of the list: there is no folder 'onne'"),
        ("one\ntwo words x\n", InvalidArguments, "Line 2 of the list: there are 3 words"),
        ("'one\n", InvalidArguments, "Line 1 of the list: a quote"),
        ("one\n./one other\n", InvalidArguments, "Line 2 of the list: it has the same folder as line 1"),
        ("one x\nfirst/app x\n", InvalidArguments, "Line 2 of the list: it has the same name as line 1"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_its_line(
    base: Path, text: str, error: type[HoldfastError], words: str
) -> None:
    with pytest.raises(error, match=words):
        parse_roster(text, str(base))
