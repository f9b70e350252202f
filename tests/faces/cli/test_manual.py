"""The manual pages: what is on them, and that no text of a command is taken for an instruction of roff."""

from __future__ import annotations

import re
import shutil
import subprocess

import click
import pytest

from holdfast.faces.cli.application import application
from holdfast.faces.cli.catalogue import CATALOGUE
from holdfast.faces.cli.groups import CommandGroup, entry_for, handwritten_command
from holdfast.faces.cli.host import Installation
from holdfast.faces.cli.manual import manual_page
from tests.conftest import ROOT

PAGES = ROOT / "packaging" / "share" / "man" / "man1"
INSTRUCTIONS = {".TH", ".nh", ".ad", ".SH", ".SS", ".PP", ".TP", ".B", ".nf", ".fi"}
HOSTILE = [".so /etc/passwd", "'br", "\\*(xx \\fBbold\\fP", '.ds x "y"', "a\n.sh rm", "naïve “quote” | a|b"]

with_groff = pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")


def instructions(page: str) -> set[str]:
    return {line.split()[0] for line in page.splitlines() if line.startswith((".", "'"))}


def groff(page: str) -> subprocess.CompletedProcess[str]:
    command = ["groff", "-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=5000n"]
    return subprocess.run(command, input=page, capture_output=True, text=True, encoding="utf-8", timeout=60)


def hostile_page() -> str:
    options = [click.Option([f"--o{place}"], help=text) for place, text in enumerate(HOSTILE)]
    command = handwritten_command(".so", "\n\n".join([*HOSTILE, "\b\n" + "\n".join(HOSTILE)]), options, print)
    return manual_page(
        CommandGroup("holdfast", HOSTILE[0], {".so": entry_for(command, HOSTILE[1])}), "holdfast", []
    )


def test_every_command_is_on_the_page() -> None:
    page = (PAGES / "holdfast.1").read_text(encoding="utf-8")
    headings = set(re.findall(r"^\.SS (.+)$", page.replace("\\-", "-"), re.MULTILINE))
    operations = {
        f"holdfast {toolset.name} {item.command}"
        for toolset in CATALOGUE
        if not toolset.hidden
        for item in toolset.commands
    }
    assert operations <= headings
    by_hand = {
        f"holdfast {name}"
        for name, entry in application(Installation()).entries.items()
        if entry.section == "The program itself" and not hasattr(entry.make(name), "entries")
    }
    assert by_hand <= headings


@with_groff
@pytest.mark.parametrize("name", ["holdfast.1", "git-mile.1"])
def test_roff_has_nothing_to_warn_of(name: str) -> None:
    page = (PAGES / name).read_text(encoding="utf-8")
    assert groff(page).stderr == ""
    assert groff(f"{page}.XX unknown\n").stderr, "the control must be warned of"


def test_text_is_never_an_instruction() -> None:
    assert instructions(hostile_page()) <= INSTRUCTIONS
    assert instructions(f"{hostile_page()}.so x") > {".so"}, "the control must be seen"


@with_groff
def test_text_is_set_as_it_is() -> None:
    answer = groff(hostile_page())
    assert answer.stderr == ""
    for text in HOSTILE:
        # Once in a description, once among lines that stay as they are, once as an option's help.
        assert answer.stdout.count(" ".join(text.split())) >= 2, text
