"""Exports hold every comment, in each format, with exactly the source that was asked for."""

from __future__ import annotations

import base64
import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.comments.errors import CommentFileCorrupted, FileAccessDenied, InvalidFilePath, SourceNotFound
from holdfast.comments.store import Comments
from holdfast.comments.tools.export_comments import ExportComments, ExportResult, export_comments
from holdfast.comments.tools.write_comments import CommentsWritten, WriteComments, write_comments
from holdfast.comments.toolset import comments as toolset
from holdfast.kernel.content import Embedded
from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.errors import Conflict, InvalidArguments, InvalidPath, NotFound, TooLarge, Unavailable
from holdfast.storage.git.repository import Repository
from tests.comments.making import PYTHON, annotate, comment

LETTERS = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
REPLY = {"id": "r", "text": "Yes", "author": "me"}
AI = {"model": "claude-sonnet-4.5", "confidence": 0.95}


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Comments]:
    annotate(
        tmp_path,
        "src/a.py",
        PYTHON,
        comment(1, 4, "TODO: Add `rate` limiting\nand *tests*", aiMeta=AI, unknownKey={"kept": True}),
        comment(2, 9, "Wrong", tag="FIXME", author="user", replies=[REPLY]),
    )
    annotate(
        tmp_path,
        "letters.txt",
        LETTERS,
        comment(3, 1, "first", tag=None),
        comment(4, 4, "middle", tag="NOTE"),
        comment(5, 7, "last", tag="HACK"),
        comment(6, 3, "range", endLine=5),
    )
    room = Comments(Repository.at(tmp_path))
    yield room
    room.close()


def export(room: Comments, chosen: str, **more: Any) -> ExportResult:
    result: ExportResult = export_comments(
        room, validate_arguments(ExportComments, {"format": chosen, **more})
    )
    return result


def lines_of(result: ExportResult) -> list[dict[str, Any]]:
    assert result.text is not None
    return [json.loads(line) for line in result.text.splitlines()]


def refused(**given: Any) -> str:
    with pytest.raises(InvalidArguments) as failure:
        validate_arguments(ExportComments, given)
    return failure.value.message


@pytest.mark.requirement("comments-56", "comments-58", "comments-59")
def test_arguments_are_bounded_and_have_the_specifications_defaults():
    assert "format" in refused()
    assert "format" in refused(format="xml")
    assert "contextLines" in refused(format="json", options={"contextLines": -1})
    assert "contextLines" in refused(format="json", options={"contextLines": 21})
    options = validate_arguments(ExportComments, {"format": "json", "options": {}}).options
    assert (options.include_source_context, options.context_lines) == (False, 3)
    for margin in (0, 20):
        validate_arguments(ExportComments, {"format": "json", "options": {"contextLines": margin}})


@pytest.mark.requirement("comments-57")
def test_a_path_limits_every_format_to_one_file(room):
    assert export(room, "json").metadata.total_comments == 6
    for chosen in ("json", "markdown", "jsonl"):
        result = export(room, chosen, filePath="src/a.py")
        assert result.metadata.total_comments == 2
        assert "middle" not in str(result.text)


@pytest.mark.requirement("comments-60", "comments-61")
@pytest.mark.parametrize(
    ("chosen", "uri", "mime_type"),
    [
        ("json", "export://comments.json", "application/json"),
        ("markdown", "export://comments.md", "text/markdown"),
        ("jsonl", "export://training-data.jsonl", "application/x-ndjson"),
    ],
)
def test_the_answer_is_one_resource_with_text(room, chosen, uri, mime_type):
    operation = next(one for one in toolset.operations if one.name == "export_comments")
    result = export(room, chosen)
    assert operation.content is not None
    content = operation.content(result)
    assert [type(item) for item in content] == [Embedded]
    assert (content[0].uri, content[0].mime_type, content[0].data) == (uri, mime_type, None)
    assert content[0].text == result.text


@pytest.mark.requirement("comments-62")
def test_training_data_has_prompt_completion_and_metadata_on_each_line(room):
    result = export(room, "jsonl")
    examples = lines_of(result)
    assert len(examples) == 6
    assert str(result.text).endswith("}\n")
    assert all(set(one) == {"prompt", "completion", "metadata"} for one in examples)
    by_line = {(one["metadata"]["filePath"], one["metadata"]["line"]): one for one in examples}
    first = by_line["src/a.py", 4]
    assert first["completion"] == "TODO: Add `rate` limiting\nand *tests*"
    assert (first["metadata"]["tag"], first["metadata"]["author"]) == ("TODO", "claude")
    assert first["metadata"]["aiMeta"] == AI
    assert "src/a.py" in first["prompt"]
    assert by_line["letters.txt", 1]["metadata"]["tag"] is None


@pytest.mark.requirement("comments-63")
@pytest.mark.parametrize("margin", [0, 1, 3, 20])
def test_context_is_exact_and_clipped_at_both_ends_of_the_file(room, margin):
    options = {"includeSourceContext": True, "contextLines": margin}
    examples = lines_of(export(room, "jsonl", filePath="letters.txt", options=options))
    source = LETTERS.splitlines()
    for one in examples:
        line, end = one["metadata"]["line"], one["metadata"].get("endLine", one["metadata"]["line"])
        expected = source[max(0, line - 1 - margin) : end + margin]
        assert one["prompt"] == "Analyze this code:\n" + "\n".join(expected) + "\n"


def test_context_follows_the_code(room, tmp_path):
    source = tmp_path / "letters.txt"
    source.write_text("zero\n" + LETTERS)
    options = {"includeSourceContext": True, "contextLines": 0}
    examples = lines_of(export(room, "jsonl", filePath="letters.txt", options=options))
    assert [one["prompt"].splitlines()[1:] for one in examples] == [
        ["one"],
        ["three", "four", "five"],
        ["four"],
        ["seven"],
    ]


def test_context_of_a_comment_whose_file_is_gone_is_the_code_as_it_was(room, tmp_path):
    (tmp_path / "letters.txt").unlink()
    options = {"includeSourceContext": True, "contextLines": 1}
    examples = lines_of(export(room, "jsonl", filePath="letters.txt", options=options))
    assert all(one["metadata"]["orphaned"] for one in examples)
    middle = next(one for one in examples if one["completion"] == "middle")
    assert middle["prompt"] == "Analyze this code:\nthree\nfour\nfive\n"


@pytest.mark.requirement("comments-64")
@pytest.mark.parametrize("chosen", ["json", "markdown", "jsonl"])
def test_the_size_is_that_of_the_text_in_utf_8(room, tmp_path, chosen):
    annotate(tmp_path, "ü.py", PYTHON, comment(9, 1, "größer — 🦀"))
    result = export(room, chosen)
    assert result.metadata.wire() == {
        "format": chosen,
        "totalComments": 7,
        "sizeBytes": len(str(result.wire()["text"]).encode()),
    }


@pytest.mark.requirement("comments-65")
def test_json_holds_every_comment_and_every_key(room):
    value = json.loads(str(export(room, "json").text))
    assert value["totalComments"] == 6
    found = {one["id"]: one for file in value["files"] for one in file["comments"]}
    assert len(found) == 6
    first = found["c_1730000000001"]
    assert first["unknownKey"] == {"kept": True}
    assert first["aiMeta"] == AI
    assert [file["filePath"] for file in value["files"]] == ["letters.txt", "src/a.py"]


@pytest.mark.requirement("comments-65")
def test_markdown_lists_every_comment_with_line_tag_and_author(room):
    options = {"includeSourceContext": True, "contextLines": 1}
    text = str(export(room, "markdown", options=options).text)
    assert "## src/a.py\n\n### TODO Comments\n\n**Line 4** · `c_1730000000001` · claude" in text
    assert "> TODO: Add `rate` limiting\n> and *tests*\n" in text
    assert "### FIXME Comments" in text
    assert "### HACK Comments" in text
    assert "### UNTAGGED Comments" in text
    assert "**Line 3-5**" in text
    assert ">> me: Yes" in text
    assert "```python\n\ndef load(path):\n" in text


@pytest.mark.requirement("comments-60", "comments-65")
def test_parquet_opens_with_as_many_rows(room):
    parquet = pytest.importorskip("pyarrow.parquet")
    operation = next(one for one in toolset.operations if one.name == "export_comments")
    result = export(room, "parquet", options={"includeSourceContext": True})
    assert (result.uri, result.mime_type) == (
        "export://training-data.parquet",
        "application/vnd.apache.parquet",
    )
    data = base64.b64decode(str(result.blob))
    assert result.metadata.size_bytes == len(data)
    assert operation.content is not None
    assert operation.content(result)[0].data == data
    rows = parquet.read_table(io.BytesIO(data)).to_pylist()
    assert len(rows) == result.metadata.total_comments == 6
    assert {row["text"] for row in rows} >= {"first", "middle", "last", "range", "Wrong"}
    assert next(row for row in rows if row["text"] == "Wrong")["author"] == "user"


def test_without_pyarrow_parquet_is_refused_with_the_way_to_get_it(room, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(Unavailable) as failure:
        export(room, "parquet")
    assert "holdfast[parquet]" in str(failure.value.hint)


def test_what_cannot_be_exported_is_refused_or_named(room, tmp_path):
    with pytest.raises(SourceNotFound):
        export(room, "json", filePath="missing.py")
    with pytest.raises(InvalidFilePath):
        export(room, "json", filePath="../outside.py")
    with pytest.raises(FileAccessDenied):
        export(room, "json", filePath=".git/config")
    (tmp_path / "bad.py.comments").write_text("{")
    with pytest.raises(CommentFileCorrupted):
        export(room, "json", filePath="bad.py")
    (tmp_path / "link.py.comments").symlink_to("bad.py.comments")
    os.mkfifo(tmp_path / "pipe.py.comments")
    for chosen in ("json", "markdown", "jsonl"):
        result = export(room, chosen)
        assert result.damaged == ["bad.py", "link.py", "pipe.py"]
        assert result.metadata.total_comments == 6


def test_nothing_to_export_is_a_whole_document(tmp_path):
    room = Comments(Repository.at(tmp_path))
    assert json.loads(str(export(room, "json").text))["files"] == []
    assert export(room, "jsonl").text == ""
    assert "There are no comments." in str(export(room, "markdown").text)


def test_invisible_characters_stay_out_of_every_format(room, tmp_path):
    hidden = "seen\x1b[31m\u202e\U000e0041"
    annotate(tmp_path, "h.py", "x = 1\n", comment(9, 1, hidden, author=hidden, extra=[hidden]))
    for chosen in ("json", "markdown", "jsonl"):
        text = str(export(room, chosen, filePath="h.py").text)
        for form in ("\x1b", "\\u001b", "\u202e", "\\u202e", "\U000e0041"):
            assert form not in text


def test_an_export_too_large_for_an_answer_names_the_command(room, tmp_path):
    many = [comment(number, 1, "x" * 9_000) for number in range(100, 350)]
    annotate(tmp_path, "large.txt", "one\n", *many)
    for chosen in ("json", "markdown", "jsonl"):
        with pytest.raises(TooLarge) as failure:
            export(room, chosen)
    assert "holdfast comments export" in str(failure.value.hint)
    written = write(room, tmp_path, format="json")
    assert written.total_comments == 256
    assert written.size_bytes == (tmp_path / "out").stat().st_size > 2 << 20


def write(room: Comments, tmp_path: Path, **more: Any) -> CommentsWritten:
    given = {"output": str(tmp_path / "out"), **more}
    result: CommentsWritten = write_comments(room, validate_arguments(WriteComments, given))
    return result


@pytest.mark.parametrize("chosen", ["json", "markdown", "jsonl", "parquet"])
def test_a_file_holds_what_the_answer_holds(room, tmp_path, chosen):
    if chosen == "parquet":
        pytest.importorskip("pyarrow")
    options = {"includeSourceContext": True, "contextLines": 2}
    answer = export(room, chosen, options=options)
    expected = answer.text.encode() if answer.text is not None else base64.b64decode(str(answer.blob))
    written = write(room, tmp_path, format=chosen, context=2)
    assert (tmp_path / "out").read_bytes() == expected
    assert (written.total_comments, written.total_files, written.size_bytes) == (6, 2, len(expected))


def test_a_file_that_exists_is_replaced_only_on_demand(room, tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(Conflict):
        write(room, tmp_path)
    assert (tmp_path / "out").read_text() == "mine"
    write(room, tmp_path, overwrite=True)
    assert json.loads((tmp_path / "out").read_text())["totalComments"] == 6


def test_a_failed_export_leaves_nothing_behind(room, tmp_path):
    with pytest.raises(SourceNotFound):
        write(room, tmp_path, file="missing.py")
    with pytest.raises(NotFound):
        write(room, tmp_path, output=str(tmp_path / "no" / "folder" / "out"))
    with pytest.raises(InvalidArguments):
        write(room, tmp_path, output=str(tmp_path / "out.comments"))
    assert not [name for name in tmp_path.iterdir() if name.name.startswith((".out", "out"))]


def test_a_file_that_is_replaced_keeps_its_permissions(room, tmp_path):
    (tmp_path / "out").write_text("mine")
    (tmp_path / "out").chmod(0o600)
    write(room, tmp_path, overwrite=True)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
def test_what_is_no_file_is_never_replaced(room, tmp_path, kind):
    place, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    {"folder": place.mkdir, "link": lambda: place.symlink_to(elsewhere), "pipe": lambda: os.mkfifo(place)}[
        kind
    ]()
    before = place.lstat()
    with pytest.raises(InvalidPath, match="'out' is not a regular file"):
        write(room, tmp_path, overwrite=True)
    assert (place.lstat().st_ino, place.lstat().st_mode) == (before.st_ino, before.st_mode)
    assert elsewhere.read_text() == "mine"


def test_a_path_without_a_name_is_refused(room, tmp_path):
    (tmp_path / "folder").mkdir()
    for path in ("folder/", "folder/.", "folder/.."):
        with pytest.raises(InvalidPath):
            write(room, tmp_path, output=f"{tmp_path}/{path}", overwrite=True)
    assert list((tmp_path / "folder").iterdir()) == []
