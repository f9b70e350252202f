"""Attributes belong to the declaration after them, whatever is said between."""

from __future__ import annotations

from holdfast.syntax.record import read_record


def test_a_comment_between_an_attribute_and_its_function_does_not_part_them() -> None:
    source = (
        b"#[test]\n#[serial] // one\nfn first() {}\n\n#[test]\n/* why */\nfn second() {}\nfn third() {}\n"
    )

    record = read_record("a.rs", source)

    assert record is not None
    found = {row.name: (row.decorators, row.start_line) for row in record.names.definitions}
    assert found == {"first": (("test", "serial"), 1), "second": (("test",), 5), "third": ((), 8)}
