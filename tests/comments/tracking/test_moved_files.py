"""Code that went to another file."""

from __future__ import annotations

from holdfast.comments.tracking.moved_files import MovedCode, MovedFiles
from holdfast.comments.tracking.placement import Anchor, FileVersion

CODE = """import json


def load_settings(path):
    with open(path) as handle:
        settings = json.load(handle)
    settings.setdefault("language", "en")
    return settings


def save_settings(path, settings):
    with open(path, "w") as handle:
        json.dump(settings, handle, indent=2)
"""


def find_moved(old: FileVersion, anchors: list[Anchor], files: list[FileVersion]) -> list[MovedCode | None]:
    """Ask an index of some files."""
    return MovedFiles(files).find(old, anchors)


UNRELATED = "def area(width, height):\n    return width * height\n"


def test_the_file_that_holds_the_lines_around_is_found():
    old = FileVersion("settings.py", CODE)
    moved = FileVersion(
        "core/configuration.py", '"""Settings."""\n' + CODE.replace("settings.set", "settings.set")
    )
    (found,) = find_moved(old, [Anchor(7)], [FileVersion("shapes.py", UNRELATED), moved])
    assert found is not None
    assert found.path == "core/configuration.py"
    assert found.placement.line == 8
    assert found.unambiguous


def test_each_anchor_finds_the_file_its_own_code_went_to():
    old = FileVersion("settings.py", CODE)
    load, save = CODE.split("def save_settings")
    parts = [FileVersion("load.py", load), FileVersion("save.py", "def save_settings" + save)]
    first, second = find_moved(old, [Anchor(7), Anchor(13)], parts)
    assert first is not None
    assert second is not None
    assert (first.path, second.path) == ("load.py", "save.py")


def test_two_files_with_the_same_code_are_not_a_clear_answer():
    old = FileVersion("settings.py", CODE)
    (found,) = find_moved(old, [Anchor(7)], [FileVersion("one.py", CODE), FileVersion("two.py", CODE)])
    assert found is not None
    assert not found.unambiguous


def test_code_that_is_nowhere_is_not_found():
    assert find_moved(
        FileVersion("settings.py", CODE), [Anchor(7)], [FileVersion("shapes.py", UNRELATED)]
    ) == [None]
    assert find_moved(FileVersion("settings.py", CODE), [Anchor(7)], []) == [None]


def test_a_common_line_does_not_decide():
    old = FileVersion("settings.py", CODE)
    common = "\n".join(["import json", "import os", "return settings", ""])
    others = [FileVersion(f"other_{number}.py", common + UNRELATED) for number in range(20)]
    (found,) = find_moved(old, [Anchor(8)], [*others, FileVersion("kept/options.py", CODE)])
    assert found is not None
    assert found.path == "kept/options.py"


def test_code_rewritten_in_another_style_is_found_by_its_words():
    old = FileVersion("settings.py", CODE)
    rewritten = CODE.replace('"', "'").replace("(path)", "( path )").replace("handle", "file")
    (found,) = find_moved(
        old, [Anchor(7)], [FileVersion("shapes.py", UNRELATED), FileVersion("new/settings.py", rewritten)]
    )
    assert found is not None
    assert found.path == "new/settings.py"
    assert found.placement.line == 7


def test_an_index_answers_for_many_files_and_never_with_the_file_itself():
    index = MovedFiles(
        [FileVersion("settings.py", CODE), FileVersion("shapes.py", UNRELATED), FileVersion("b.py", CODE)]
    )
    (found,) = index.find(FileVersion("settings.py", CODE), [Anchor(7)])
    assert found is not None
    assert found.path == "b.py"
    (gone,) = index.find(
        FileVersion("other.py", "def volume(radius):\n    return radius ** 3\n"), [Anchor(2)]
    )
    assert gone is None


def test_an_index_that_knows_what_is_sought_reads_each_file_once_and_answers_the_same():
    olds = [FileVersion("settings.py", CODE), FileVersion("other.py", UNRELATED.replace("area", "surface"))]
    files = {f"other_{number}.py": f"def number_{number}():\n    return {number}\n" for number in range(80)}
    files |= {"core/configuration.py": "import os\n" + CODE, "shapes.py": UNRELATED}
    read: list[str] = []
    looked_at: list[str] = []

    def versions():
        for path, text in files.items():
            read.append(path)
            yield FileVersion(path, text)

    def text(path: str) -> str:
        looked_at.append(path)
        return files[path]

    index = MovedFiles(versions(), olds, text)
    plain = MovedFiles(FileVersion(path, text) for path, text in files.items())
    for old, line in ((olds[0], 7), (olds[1], 2)):
        assert index.find(old, [Anchor(line)]) == plain.find(old, [Anchor(line)])
    assert read == list(files)
    assert looked_at == ["core/configuration.py", "shapes.py"]


def test_several_files_are_offered_best_first():
    copy = CODE.split("def save_settings")[0]
    files = [FileVersion("shapes.py", UNRELATED), FileVersion("half.py", copy), FileVersion("whole.py", CODE)]
    offered = MovedFiles(files).candidates(FileVersion("settings.py", CODE), Anchor(7), 3)
    assert [one.path for one in offered] == ["whole.py", "half.py"]
    assert offered[0].share > offered[1].share
