"""An edited line is sure where something beside its text speaks for it, and only there."""

from __future__ import annotations

import pytest

from holdfast.comments.tracking.placement import Anchor, Confidence, FileVersion
from holdfast.comments.tracking.track import track

BEFORE = """\
import os


def validate(password):
    text = password.strip()
    if len(text) < 8:
        return False
    return True
"""


def placed(after: str, line: int, path: str = "a.py"):
    (placement,) = track(FileVersion(path, BEFORE), FileVersion(path, after), [Anchor(line)])
    return placement


def test_a_line_edited_between_the_same_neighbours_is_sure():
    placement = placed(BEFORE.replace("< 8", "< 12"), 6)
    assert (placement.line, placement.confidence) == (6, Confidence.HIGH)


def test_it_is_sure_further_down_and_in_plain_text_too():
    placement = placed("# one\n# two\n" + BEFORE.replace("< 8", "< 12"), 6, "notes.txt")
    assert (placement.line, placement.confidence) == (8, Confidence.HIGH)


def test_an_edited_declaration_of_the_same_function_is_sure():
    placement = placed("import sys\n\n" + BEFORE.replace("validate(password)", "validate(password, *)"), 4)
    assert (placement.line, placement.confidence) == (6, Confidence.HIGH)


@pytest.mark.parametrize(
    "after",
    [
        BEFORE.replace("    if len(text) < 8:\n", "    log(text)\n    if is_short(text):\n    audit(text)\n"),
        BEFORE.replace(
            "    text = password.strip()\n    if len(text) < 8:\n        return False\n",
            "    if len(word) < 12:\n        return 0\n",
        ),
        BEFORE.replace("    if len(text) < 8:\n", "    raise NotImplementedError\n"),
    ],
    ids=["both neighbours new", "the neighbour gone", "another line"],
)
def test_without_such_a_sign_it_is_not(after: str):
    assert placed(after, 6).confidence is not Confidence.HIGH


def test_a_line_much_the_same_inside_the_same_function_is_sure_whatever_its_neighbours_became():
    after = BEFORE.replace(
        "    text = password.strip()\n    if len(text) < 8:\n",
        "    log(password)\n    word = normal(password)\n    if len(text) < 12:\n    audit(text)\n",
    )
    assert (placed(after, 6).line, placed(after, 6).confidence) == (7, Confidence.HIGH)
    assert placed(after, 6, "notes.txt").confidence is Confidence.MEDIUM


LAID_OUT = """\
def send(parcel):
    label = printed(parcel.address)

    weight = scale.weigh(parcel)
    if weight > LIMIT:
        refuse(parcel)
    ship(parcel, label)
"""


ABOVE = "    parcel.wrap()\n"


@pytest.mark.parametrize(
    ("line", "above", "edited", "sure"),
    [
        (7, ABOVE, "    ship(parcel, label, now)\n", False),
        (4, ABOVE, "    weight = scale.weigh(parcel, 2)\n", False),
        (4, f"{ABOVE}\n", "    weight = scale.weigh(parcel, 2)\n", True),
        (7, "", "    ship(parcel, label, now)\n", True),
        (7, ABOVE, None, True),
        (4, ABOVE, None, True),
        (2, ABOVE, None, True),
        (1, "@logged\n", None, True),
    ],
)
def test_an_edited_line_below_code_that_was_put_between_it_and_the_line_above_is_to_be_reviewed(
    line: int, above: str, edited: str | None, sure: bool
):
    lines = LAID_OUT.splitlines(keepends=True)
    after = "".join([*lines[: line - 1], above, edited or lines[line - 1], *lines[line:]])
    (placement,) = track(FileVersion("a.py", LAID_OUT), FileVersion("a.py", after), [Anchor(line)])
    assert placement.line == line + above.count("\n")
    assert placement.confidence is (Confidence.HIGH if sure else Confidence.MEDIUM)


GONE = """\
class Cart:
    def total(self, items):
        prices = [item.price for item in items]
        return sum(prices)

    def weight(self, items):
        grams = [item.grams for item in items]
        return sum(grams) / 1000
"""


def gone(after: str, line: int):
    (placement,) = track(FileVersion("a.py", GONE), FileVersion("a.py", after), [Anchor(line)])
    return placement


@pytest.mark.parametrize("line", [6, 7, 8])
def test_a_function_deleted_beside_a_new_one_like_it_is_never_silently_that_one(line: int):
    after = GONE.replace("def weight", "def volume").replace("grams", "litres").replace("/ 1000", "* 1.0")
    assert gone(after, line).confidence is not Confidence.HIGH


def test_a_function_of_the_same_name_in_another_class_is_not_it_for_sure():
    after = GONE[: GONE.index("\n    def weight")] + (
        "\n\nclass Parcel:\n    def weight(self, boxes):\n        return max(box.load for box in boxes)\n"
    )
    assert gone(after, 6).confidence is not Confidence.HIGH


def test_a_function_with_another_name_and_the_same_body_is_sure():
    placement = gone(GONE.replace("def weight(self, items)", "def mass_of(self, items)"), 6)
    assert (placement.line, placement.confidence) == (6, Confidence.HIGH)


def test_a_class_never_silently_becomes_a_function():
    before = "import os\n\n\nclass Retry(Policy):\n    limit = 3\n\n\nprint(os.sep)\n"
    after = before.replace("class Retry(Policy):\n    limit = 3", "def retry(policy):\n    limit = 3")
    (placement,) = track(FileVersion("a.py", before), FileVersion("a.py", after), [Anchor(4)])
    assert placement.confidence is not Confidence.HIGH


TWINS = """\
def first(queue):
    start = queue.position
    queue.advance()
    return queue.substring(start, queue.position)


def second(queue):
    begin = queue.position
    queue.consume(begin)
    return queue.substring(start, queue.position)


def third(queue):
    return queue.rest()
"""


@pytest.mark.parametrize("deleted", ["first", "second"])
def test_of_two_equal_lines_the_one_whose_function_is_deleted_is_not_the_other(deleted: str):
    parts = TWINS.split("\n\n\n")
    after = "\n\n\n".join(part for part in parts if not part.startswith(f"def {deleted}("))
    lost, kept = track(
        FileVersion("a.py", TWINS),
        FileVersion("a.py", after),
        [Anchor(4 if deleted == "first" else 10), Anchor(4 + 6 * (deleted == "first"))],
    )
    assert lost.confidence is not Confidence.HIGH
    assert (kept.line, kept.confidence) == (4, Confidence.HIGH)


REFLOWED = """\
def save(record):
    result = store.write_record(record.identifier, record.content, durable=True)
    return result
"""
BROKEN = """\
def save(record):
    result = store.write_record(
        record.identifier,
        record.content,
        durable=True,
    )
    return result
"""


@pytest.mark.parametrize(
    ("before", "after"), [(REFLOWED, BROKEN), (BROKEN, REFLOWED)], ids=["broken", "joined"]
)
def test_a_statement_that_was_only_broken_over_other_lines_is_sure(before: str, after: str):
    (placement,) = track(FileVersion("a.txt", before), FileVersion("a.txt", after), [Anchor(2)])
    assert (placement.line, placement.confidence, placement.method) == (2, Confidence.HIGH, "reflowed")


def test_each_line_of_a_statement_that_was_joined_is_where_it_begins():
    placements = track(
        FileVersion("a.txt", BROKEN), FileVersion("a.txt", REFLOWED), [Anchor(line) for line in (3, 4, 5)]
    )
    assert {(one.line, one.confidence) for one in placements} == {(2, Confidence.HIGH)}


def test_a_statement_that_was_broken_and_changed_is_not_sure_by_its_tokens():
    after = BROKEN.replace("record.content", "record.body")
    (placement,) = track(FileVersion("a.txt", REFLOWED), FileVersion("a.txt", after), [Anchor(2)])
    assert placement.method != "reflowed"


def test_an_edited_line_below_a_new_one_is_to_be_reviewed():
    old, new = "    text = password.strip()\n", "    text = password.strip(os.sep)\n"
    assert placed(BEFORE.replace(old, new), 5).confidence is Confidence.HIGH
    below = placed(BEFORE.replace(old, "    audit()\n" + new), 5)
    assert (below.line, below.confidence) == (6, Confidence.MEDIUM)


EXTRACTED = """\
def load(stream, size):
    head = stream.read(4)
    check_signature(head, expected=SIGNATURE)
    body = stream.read(size)
    return decode(body)
"""


@pytest.mark.parametrize(("line", "sure"), [(3, False), (5, True)])
def test_a_line_that_went_alone_to_another_function_is_to_be_reviewed_there(line: int, sure: bool):
    after = """\
def load(stream, size):
    open_checked(stream)
    body = stream.read(size)
    return decode(body)


def open_checked(stream):
    first = stream.peek(4)
    check_signature(head, expected=SIGNATURE)
"""
    (placement,) = track(FileVersion("a.py", EXTRACTED), FileVersion("a.py", after), [Anchor(line)])
    assert (placement.confidence is Confidence.HIGH) is sure


COPIED = """\
class Tests:
    def test_reads_lines(self):
        reader = Reader(open_sample("lines.csv"), strict=True)
        rows = list(reader.rows())
        self.expect_rows(rows, count=6, first="alpha")
        self.expect_closed(reader)
"""


def test_a_line_stays_in_its_function_though_a_copy_elsewhere_reads_the_same():
    copy = COPIED.split("\n", 1)[1].replace("test_reads_lines", "test_reads_lines_by_path")
    edited = COPIED.replace('open_sample("lines.csv")', 'stream_of("lines.csv")').replace(
        "count=6", "count=7"
    )
    after = "class Tests:\n" + copy + "\n" + edited.split("\n", 1)[1]
    placements = track(
        FileVersion("a.py", COPIED), FileVersion("a.py", after), [Anchor(line) for line in (3, 5)]
    )
    assert [placement.line for placement in placements] == [9, 11]
    assert {placement.confidence for placement in placements} == {Confidence.MEDIUM}
    assert [placement.candidates[1].line for placement in placements] == [3, 5]


def test_lines_that_were_moved_into_a_function_of_their_own_are_there():
    body = COPIED.replace("    def test_reads_lines(self):\n", "    def read(self):\n")
    after = body + "\n    def test_reads_lines(self):\n        self.read()\n"
    placements = track(
        FileVersion("a.py", COPIED), FileVersion("a.py", after), [Anchor(line) for line in (3, 5)]
    )
    assert [placement.line for placement in placements] == [3, 5]


def test_a_declaration_whose_annotation_went_to_a_line_of_its_own_is_the_line_with_the_name():
    before = "class Reader {\n  @Override public void close() throws IOException {\n    in.close();\n  }\n}\n"
    after = before.replace("@Override public", "@Override\n  public")
    (placement,) = track(FileVersion("A.java", before), FileVersion("A.java", after), [Anchor(2)])
    assert (placement.line, placement.confidence) == (3, Confidence.HIGH)
