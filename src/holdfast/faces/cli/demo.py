"""`holdfast demo`: a small project to look at and to try things on, served like any other."""

from __future__ import annotations

import os
from pathlib import Path

import click

from holdfast.faces.cli.command import refuse_when_read_only
from holdfast.faces.cli.groups import page_command
from holdfast.faces.cli.open import address_option, page_settings, serve_page
from holdfast.faces.cli.output import write_words
from holdfast.kernel.errors import Conflict
from holdfast.workspace import DATABASE_VARIABLE

_FOLDER = "holdfast-demo"
_PAGE = """Make a small project with something in every room, serve it, and open its page in the browser.

The project is a repository of its own, with weeks of history by three people: notes of which one lost its
line, tasks that agents hold, issues, milestones, and remarks that wait for an answer. FOLDER is new or
empty; left out, it is holdfast-demo here. Nothing outside of it is written, your git settings included.
"""
_NEXT = """{folder} holds the project. Try in it, in another terminal:

  holdfast comments orphans           a note whose line is gone, and where it may belong now
  holdfast tasks focus TP-5 --peek    all that is known about a task: its code, notes, remarks and issue
  holdfast milestones list            the issues; they live in git and travel with push and fetch
  holdfast analyze heat               where the code is changed often and hard to read
  holdfast install claude-code        let an agent in on it, or another client

Delete the folder {folder} when you are done.
"""


def demo_command() -> click.Command:
    """Return the command that makes the sample project."""
    folder = click.Argument(["folder"], required=False, default=_FOLDER)
    no_serve = click.Option(["--no-serve"], is_flag=True, help="Make the project and nothing else.")
    no_browser = click.Option(["--no-browser"], is_flag=True, help="Serve it and open no browser.")
    return page_command("demo", _PAGE, [folder, address_option(), no_serve, no_browser], _demo)


def _demo(folder: str, http: str | None, *, no_serve: bool, no_browser: bool) -> int:
    from holdfast.faces.demo.project import make_project

    refuse_when_read_only()
    if os.environ.get(DATABASE_VARIABLE):
        raise Conflict(
            f"{DATABASE_VARIABLE} is set: the tasks of the demonstration would get into that database.",
            hint=f"Unset {DATABASE_VARIABLE} in the shell in which you try it out.",
        )
    # Before anything is made: a port that is taken or open to others is known by now.
    settings = None if no_serve else page_settings(http, open_browser=not no_browser)
    make_project(folder)
    write_words(_NEXT.format(folder=folder))
    return 0 if settings is None else serve_page(Path(folder), settings)
