from __future__ import annotations

import pytest

from holdfast.analysis.debt.marker import MARKERS, SEVERITIES, marker_in


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("TODO: split this", "TODO"),
        ("TODO split this", "TODO"),
        ("todo(ann): split this", "TODO"),
        ("TODO", "TODO"),
        ("@todo split this", "TODO"),
        ("- FIXME(#12) wrong", "FIXME"),
        ("TO DO: split this", "TODO"),
        ("XXXX why", "XXX"),
        ("2. HACK around it", "HACK"),
        ("Hack: around it", "HACK"),
        ("hack!", "HACK"),
        ("Bug (ann): off by one", "BUG"),
        ("technical debt: two ways to do it", "DEBT"),
        ("SECURITY [PROJ-1]: not checked", "SECURITY"),
        ("VULN!", "VULN"),
        ("OPTIMISE: quadratic", "OPTIMIZE"),
        ("Refactor: one class for both", "REFACTOR"),
    ],
)
def test_a_line_that_opens_with_a_marker_is_known_by_it(line, word):
    found = marker_in(line)
    assert found is not None
    marker, at = found
    assert marker == MARKERS[word]
    assert line[at].isalpha()
    assert not any(letter.isalpha() for letter in line[:at])


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("SSS FIXME: this is not safe", "FIXME"),
        ("$NON-NLS-1$ TODO check the language", "TODO"),
        ("count the rows. TODO use an index", "TODO"),
        ("the rows, todo (ann): use an index", "TODO"),
        ("foo(); // XXX why", "XXX"),
        ("a setting, hack: see below", "HACK"),
    ],
)
def test_a_marker_inside_a_line_counts_where_it_starts_something(line, word):
    found = marker_in(line)
    assert found is not None
    marker, at = found
    assert marker == MARKERS[word]
    assert line[at:].upper().startswith(word)


@pytest.mark.parametrize(
    "line",
    [
        "this was a TODO once",
        "see the TODO in the parser",
        "the label.todo: pane",
        "JoinFragment.XXX join type",
        "the `TODO:` of a comment",
        "a text/XXXX; charset=XXXXXX type",
        "todo.append(item)",
        "todo = []",
        "todos are listed here",
        "TODO-list of the user",
        "Bug #123: headers may not hold line feeds",
        "bug reports go there",
        "hack to make it faster",
        "Security: tokens are compared in constant time",
        "security-sensitive code",
        "CVE-2019-14235: recursion is not used",
        "refactored in 2.0",
        "Workaround for old browsers",
        "temp = 3",
        "hack::Thing",
        "",
    ],
)
def test_a_line_that_only_holds_the_word_is_not_marked(line):
    assert marker_in(line) is None


def test_severity_and_category_follow_from_the_marker_alone():
    assert MARKERS["SECURITY"][1:] == ("Security", "Critical")
    assert MARKERS["FIXME"][1:] == MARKERS["BUG"][1:] == ("Defect", "High")
    assert MARKERS["HACK"][1:] == MARKERS["KLUDGE"][1:] == ("Design", "Medium")
    assert MARKERS["TODO"][1:] == ("Requirement", "Low")
    assert {marker.severity for marker in MARKERS.values()} == set(SEVERITIES)
