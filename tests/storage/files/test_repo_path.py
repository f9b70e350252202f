"""From a string to a path inside the work tree: what is refused, what is kept, and in which form."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter

from holdfast.kernel.errors import InvalidPath
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files import repo_path
from holdfast.storage.files.repo_path import RepoPath
from tests.storage.files.uri_part import UriPath
from tests.storage.hostile_paths import HOSTILE_PATHS, HOSTILE_URI_PARTS, LITERAL_PATHS, REFUSED_PATHS


def test_the_corpus_is_large_and_has_no_path_twice():
    assert len(REFUSED_PATHS) >= 150
    assert len(set(HOSTILE_PATHS)) == len(HOSTILE_PATHS)
    assert len(set(HOSTILE_URI_PARTS)) == len(HOSTILE_URI_PARTS)


@pytest.mark.parametrize("text", REFUSED_PATHS, ids=lambda text: ascii(text[:40]))
def test_a_hostile_path_is_refused_with_a_reason_and_a_next_step(text):
    with pytest.raises(InvalidPath) as caught:
        RepoPath.parse(text)
    assert caught.value.hint
    assert caught.value.sentence().isascii()
    assert len(caught.value.message) < 1500


@pytest.mark.parametrize("text", ["./py/../py", "../x", "a/.../b"])
def test_a_path_with_dots_is_not_said_to_leave_where_it_stays(text):
    with pytest.raises(InvalidPath, match="has a part of nothing but dots") as caught:
        RepoPath.parse(text)
    assert "Leave out '..'." in (caught.value.hint or "")


@pytest.mark.parametrize("text", LITERAL_PATHS, ids=ascii)
def test_an_odd_name_means_itself_and_nothing_else(text):
    path = RepoPath.parse(text)
    assert path.text == text
    assert path.segments == tuple(text.split("/"))


@pytest.mark.parametrize("text", HOSTILE_URI_PARTS, ids=ascii)
def test_a_hostile_uri_part_is_refused_after_decoding(text):
    with pytest.raises(InvalidPath):
        UriPath.from_uri_part(text)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("src/a.py", "src/a.py"),
        ("src%2Fa.py", "src/a.py"),
        ("a%20b.py", "a b.py"),
        ("a+b.py", "a+b.py"),
        ("%e6%97%a5.txt", "日.txt"),
        ("日.txt", "日.txt"),
        ("%252e%252e%252fx", "%2e%2e%2fx"),
        ("100%25", "100%"),
    ],
)
def test_a_uri_part_is_decoded_exactly_once(written, meant):
    assert UriPath.from_uri_part(written).text == meant


@pytest.mark.parametrize(
    ("written", "normal"),
    [("./a", "a"), ("a//b", "a/b"), ("a/./b", "a/b"), ("a/b/", "a/b"), ("./././a", "a"), ("a", "a")],
)
def test_a_path_takes_its_normal_form(written, normal):
    assert str(RepoPath.parse(written)) == normal


@pytest.mark.parametrize("excess", [-1, 0, 1])
def test_the_limit_on_a_name_is_exact(excess):
    text = "a" * (LIMITS.path_segment_bytes + excess)
    _accepts_up_to_the_limit(text, excess)


@pytest.mark.parametrize("excess", [-1, 0, 1])
def test_the_limit_on_a_path_is_exact(excess):
    text = ("a/" * LIMITS.path_characters)[: LIMITS.path_characters - 1 + excess] + "a"
    _accepts_up_to_the_limit(text, excess)


def _accepts_up_to_the_limit(text, excess):
    if excess <= 0:
        assert RepoPath.parse(text)
    else:
        with pytest.raises(InvalidPath, match="longer than"):
            RepoPath.parse(text)


def test_paths_are_equal_ordered_and_hashed_by_their_text():
    assert RepoPath.parse("a/./b") == RepoPath.parse("a/b")
    assert len({RepoPath.parse("./a"), RepoPath.parse("a")}) == 1
    assert sorted(map(RepoPath.parse, ["b", "a/c", "a"])) == list(map(RepoPath.parse, ["a", "a/c", "b"]))
    assert RepoPath.parse("a") != "a"
    assert repr(RepoPath.parse("a/b")) == "RepoPath('a/b')"
    assert RepoPath.parse("a/b.py").name == "b.py"


def test_a_companion_file_is_checked_like_any_other_path():
    assert RepoPath.parse("src/a.py").with_suffix_added(".comments").text == "src/a.py.comments"
    with pytest.raises(InvalidPath):
        RepoPath.parse("a" * 250).with_suffix_added(".comments")


@given(st.text())
def test_any_text_is_a_safe_path_or_refused(text):
    try:
        _is_safe(RepoPath.parse(text))
    except InvalidPath:
        pass


fragments = st.sampled_from(
    [
        "..",
        ".",
        "/",
        "\\",
        ".git",
        "git",
        "~1",
        " ",
        "\0",
        "a",
        "%2e",
        "C:",
        "\u200c",
        "\u2215",
        "::",
        ".holdfast",
    ]
)


@given(st.lists(fragments, max_size=12).map("".join))
def test_any_mixture_of_tricks_is_a_safe_path_or_refused(text):
    for read in (RepoPath.parse, UriPath.from_uri_part):
        try:
            _is_safe(read(text))
        except InvalidPath:
            pass


@given(st.text())
def test_what_was_accepted_is_accepted_again_unchanged(text):
    try:
        path = RepoPath.parse(text)
    except InvalidPath:
        return
    assert RepoPath.parse(path.text) == path
    quoted = "".join(f"%{byte:02x}" for byte in path.text.encode())
    assert UriPath.from_uri_part(quoted) == path


def _is_safe(path):
    assert path.segments
    for segment in path.segments:
        assert segment not in ("", ".", "..")
        assert segment.casefold() not in (".git", ".holdfast")
        assert not set(segment) & set("/\\\0\n")
    assert not path.text.startswith(("/", "~"))


class _Model(BaseModel):
    file_path: RepoPath


def test_a_model_reads_a_string_and_writes_a_string():
    model = _Model.model_validate({"file_path": "./src/a.py"})
    assert model.file_path == RepoPath.parse("src/a.py")
    assert model.model_dump_json() == '{"file_path":"src/a.py"}'
    assert model.model_dump(mode="json") == {"file_path": "src/a.py"}
    assert _Model(file_path=RepoPath.parse("b")).file_path.text == "b"


def test_a_model_describes_the_field_as_a_string():
    schema = TypeAdapter(RepoPath).json_schema()
    assert schema == {"type": "string", "minLength": 1, "maxLength": LIMITS.path_characters}


@pytest.mark.parametrize("value", ["../x", 1, None, ["a"], b"a", {"a": 1}])
def test_a_model_says_invalid_path_and_not_something_vaguer(value):
    with pytest.raises(InvalidPath):
        _Model.model_validate({"file_path": value})


def test_quick_commands_can_parse_paths_without_pydantic():
    code = "import sys, holdfast.storage.files.work_tree; assert 'pydantic' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@given(st.from_regex(repo_path._PLAIN_PATH, fullmatch=True))
def test_a_plain_path_would_pass_every_check(text):
    repo_path._check_text(text)
    for segment in RepoPath.parse(text).segments:
        repo_path._check_segment(segment, text)
    assert RepoPath.parse(text).text == text
