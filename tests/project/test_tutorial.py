from __future__ import annotations

import re
from pathlib import Path

from tests.conftest import ROOT
from tests.project.tutorial import BLOCK, TUTORIAL, Step, comparable, played, rewritten, steps_of

MAX_PICTURE_BYTES = 400_000


def test_the_tutorial_prints_what_it_says(tmp_path: Path) -> None:
    text = TUTORIAL.read_text(encoding="utf-8")
    assert comparable(rewritten(played(tmp_path))) == comparable(text), "run ./scripts/recordings"


def test_another_output_would_be_noticed() -> None:
    blocks = [steps_of(block) for block in BLOCK.findall(TUTORIAL.read_text(encoding="utf-8"))]
    text = rewritten(blocks)
    assert text == TUTORIAL.read_text(encoding="utf-8")
    blocks[-1][-1] = Step(blocks[-1][-1].command, "Quality gate: failed.\n")
    assert comparable(rewritten(blocks)) != comparable(text)
    assert comparable("c_1794866785930 at 2026-11-16T22:07:37Z") == comparable(
        "c_1794866785931 at 2027-01-01"
    )
    assert comparable("water.py:8") != comparable("water.py:9")


def test_its_pictures_show_commands_of_it_and_are_small() -> None:
    text = TUTORIAL.read_text(encoding="utf-8")
    pictures = sorted((ROOT / "docs" / "pictures").glob("tutorial-*.svg"))
    assert pictures
    assert sum(path.stat().st_size for path in pictures) <= MAX_PICTURE_BYTES
    for path in pictures:
        first = re.search(r'class="text">(.+?)(?:&|<)', path.read_text(encoding="utf-8"))
        assert first is not None
        assert f"$ {first[1]}" in text, path.name


def test_it_stays_short() -> None:
    assert len(TUTORIAL.read_text(encoding="utf-8").splitlines()) <= 200
