"""The labels of blocks and variables must be right, and silent where structure leaves doubt."""

from __future__ import annotations

import subprocess
from pathlib import Path

from bench.anchors.elements import elements, same
from bench.anchors.history import History
from bench.anchors.structure import MIN_REVISIONS, Structure

OLD = """class A {
    void first(List<String> names) {
        int count = 0;
        for (String name : names) {
            if (name.isEmpty()) {
                continue;
            }
            count++;
        }
        report(count);
    }

    void second() {
        try {
            run();
        } catch (Failure failure) {
            log(failure);
        }
    }
}
"""


def labelled(old: str, new: str) -> dict[str, str]:
    """Return the lines of one text that are labelled, with their lines in the other."""
    before, after = elements("A.java", old), elements("A.java", new)
    lines, others = old.split("\n"), new.split("\n")
    return {
        lines[before[one].line - 1].strip(): others[after[other].line - 1].strip()
        for one, other in same(before, after).items()
    }


def test_blocks_and_variables_of_functions_are_found():
    heads = [OLD.split("\n")[one.line - 1].strip() for one in elements("A.java", OLD)]
    assert heads == [
        "int count = 0;",
        "for (String name : names) {",
        "if (name.isEmpty()) {",
        "try {",
        "} catch (Failure failure) {",
    ]
    assert elements("notes.txt", OLD) == []


def test_the_one_of_its_kind_that_was_edited_is_told_by_what_is_left():
    new = OLD.replace("for (String name : names)", "for (String name : sorted(names))")
    new = new.replace("int count = 0;", "long total = 0;").replace("count", "total")
    found = labelled(OLD, new)
    assert found["for (String name : names) {"] == "for (String name : sorted(names)) {"
    assert found["int count = 0;"] == "long total = 0;"


def test_a_renamed_function_keeps_its_elements():
    found = labelled(OLD, OLD.replace("void second()", "void attempt()"))
    assert found["try {"] == "try {"
    assert len(found) == 5


def test_what_is_in_doubt_is_no_label():
    new = OLD.replace(
        "            if (name.isEmpty()) {\n",
        "            if (name.isBlank()) {\n                skip();\n            }\n"
        "            if (seen(name)) {\n",
    )
    assert "if (name.isEmpty()) {" not in labelled(OLD, new)


def revised(folder: Path, texts: list[str]) -> None:
    subprocess.run(["git", "-C", str(folder), "init", "-q", "-b", "main"], check=True)
    for text in texts:
        (folder / "A.java").write_text(text, encoding="utf-8")
        command = ["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "Change"]
        subprocess.run(["git", "-C", str(folder), "add", "."], check=True)
        subprocess.run(["git", "-C", str(folder), *command], check=True)


def test_a_life_through_many_revisions_becomes_one_label(tmp_path: Path):
    texts = [
        f"import b{number};\n" * number + OLD.replace("count = 0", f"count = {number}")
        for number in range(MIN_REVISIONS + 2)
    ]
    revised(tmp_path, texts)
    history = History(tmp_path)
    first = history.git("rev-list", "--max-parents=0", "HEAD").strip()
    structure = Structure(history, "a", ".java", ())
    (case,) = structure.years(first, "HEAD")
    commits = list(structure.commits(first, "HEAD"))
    history.close()
    assert [(label.line, label.truth) for label in case.labels] == [(3, 3 + MIN_REVISIONS + 1)]
    assert len(case.between) == MIN_REVISIONS
    assert all(len(commit.labels) == 1 for commit in commits)
    assert len(commits) == MIN_REVISIONS + 1


def test_the_lines_that_close_what_a_commit_touched_are_labelled(tmp_path: Path):
    new = OLD.replace(
        "                continue;\n", "                skipped++;\n                continue;\n"
    )
    revised(tmp_path, [OLD, new])
    history = History(tmp_path)
    first = history.git("rev-list", "--max-parents=0", "HEAD").strip()
    (case,) = Structure(history, "a", ".java", (), closing=True).commits(first, "HEAD")
    history.close()
    # The condition, the loop and the function around it; the other function is as it was.
    assert [(label.line, label.truth) for label in case.labels] == [(7, 8), (9, 10), (11, 12)]
