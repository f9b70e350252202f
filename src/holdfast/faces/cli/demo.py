"""`holdfast demo`: creates a small sample project to try Holdfast on, and serves it."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path

import click

from holdfast.faces.cli.command import refuse_when_read_only
from holdfast.faces.cli.groups import handwritten_command
from holdfast.faces.cli.open import address_option, page_settings, serve_page
from holdfast.faces.cli.output import write_text
from holdfast.kernel.errors import Conflict, Invalid
from holdfast.workspace import DATABASE_VARIABLE

_DEFAULT_FOLDER = "holdfast-demo"
_HELP = """Create a small sample project, serve it, and open its page in the browser.

The project is a repository of its own with weeks of history by three people: notes, one of which has lost its
line, tasks that agents have claimed, issues, milestones, and remarks that wait for an answer. FOLDER has to
be new or empty; the default is holdfast-demo in the current directory. Nothing outside of it is changed,
including your git settings. With --live, open Review: a script answers the remark that waits there, and those
you write.
"""
_NEXT_STEPS = """The project is in {folder}. Try there, in another terminal:

  holdfast comments orphans           a note whose line is gone, with lines it may belong to now
  holdfast tasks focus TP-5 --peek    everything about a task: its code, notes, remarks and issue
  holdfast milestones list            the issues; they live in git and travel with push and fetch
  holdfast analyze heat               where the code is changed often and hard to read
  holdfast install claude-code        let an agent or another client use it

Delete the folder {folder} when you are done.
"""


def demo_command() -> click.Command:
    """Return the command that creates the sample project."""
    folder = click.Argument(["folder"], required=False, default=_DEFAULT_FOLDER)
    no_serve = click.Option(["--no-serve"], is_flag=True, help="Only create the project.")
    no_browser = click.Option(["--no-browser"], is_flag=True, help="Serve it without opening a browser.")
    live = click.Option(["--live"], is_flag=True, help="Let a scripted agent answer remarks while you watch.")
    options = [folder, address_option(), no_serve, no_browser, live]
    return handwritten_command("demo", _HELP, options, _demo)


def _demo(folder: str, http: str | None, *, no_serve: bool, no_browser: bool, live: bool) -> int:
    from holdfast.faces.demo.project import make_project
    from holdfast.faces.demo.scripted_agent import scripted_agent

    refuse_when_read_only()
    if live and no_serve:
        raise Invalid("A scripted agent answers only while the page is served.", hint="Leave out --no-serve.")
    if os.environ.get(DATABASE_VARIABLE):
        raise Conflict(
            f"{DATABASE_VARIABLE} is set: the tasks of the demonstration would be stored in that database.",
            hint=f"Unset {DATABASE_VARIABLE} in this shell.",
        )
    # Before anything is created, because the port may be taken or open to other machines.
    settings = None if no_serve else page_settings(http, open_browser=not no_browser)
    make_project(folder)
    write_text(_NEXT_STEPS.format(folder=folder))
    if settings is None:
        return 0
    with scripted_agent(Path(folder)) if live else nullcontext():
        return serve_page(Path(folder), settings)
