"""`git mile`: the commands of the milestones toolset, and an MCP server of its specification.

The program is installed as `git-mile`, which makes it a subcommand of git.
"""

from __future__ import annotations

import os
import sys

from holdfast.faces.cli import report_load_failure

TYPE_CHECKING = False  # see `__init__`: quick commands do not import `typing`
if TYPE_CHECKING:
    from typing import Any

    import click

    from holdfast.faces.cli.groups import CommandGroup
    from holdfast.faces.cli.host import Commands

_TOOLSET = "milestones"
_PROTOCOLS = ("v1",)
_SERVER_HELP = """Serve milestones and issues to an agent over the Model Context Protocol.

Speaks on standard input and output and offers git_mile.list and git_mile.show, which only read. For the tools
that write, and everything else, use `holdfast serve`.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run `git mile` with the given arguments, or the process's own; return the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if None in (sys.stdin, sys.stdout, sys.stderr):
        from holdfast.storage.processes import reserve_standard_streams

        reserve_standard_streams()
    try:
        return _execute(arguments)
    except KeyboardInterrupt:
        return 130
    except (ImportError, MemoryError, OSError) as failure:
        return report_load_failure(failure, arguments)


def _execute(arguments: list[str]) -> int:
    has_root = "--root" in arguments or "HOLDFAST_ROOT" in os.environ
    if "GIT_DIR" in os.environ and not has_root and _is_another_repository(os.environ["GIT_DIR"]):
        from holdfast.faces.cli import failures
        from holdfast.kernel.errors import InvalidArguments

        message = "git was run for another repository than that of this directory."
        error = InvalidArguments(message, hint="Use `git -C DIRECTORY mile …` for another repository.")
        return failures.report(error, as_json="--json" in arguments)
    return _run(arguments)


def _is_another_repository(git_directory: str) -> bool:
    """Return whether GIT_DIR, which `git --git-dir` sets, names another repository than this directory's."""
    from holdfast.kernel.errors import HoldfastError
    from holdfast.storage.git.repository import Repository

    try:
        return Repository.discover(os.curdir).git_dir != os.path.realpath(git_directory)
    except HoldfastError:
        return True


def _run(arguments: list[str]) -> int:
    from holdfast import toolsets

    toolsets.pause_garbage_collection()
    try:
        from holdfast.faces.cli.application import run_program, this_installation

        return run_program(git_mile(this_installation()), "git mile", arguments)
    finally:
        toolsets.resume_garbage_collection()


def git_mile(commands: Commands) -> CommandGroup:
    """Return the command line of the toolset and its server."""
    from holdfast.faces.cli.application import completion_entry, toolset_entries, version_option
    from holdfast.faces.cli.groups import CommandEntry, CommandGroup

    [toolset] = [toolset for toolset in commands.catalogue if toolset.name == _TOOLSET]
    entries = {
        name: entry._replace(summary=entry.summary.replace(f"holdfast {_TOOLSET}", "git mile"))
        for name, entry in toolset_entries(commands, toolset).items()
    }
    entries["mcp-server"] = CommandEntry(
        _SERVER_HELP.partition(".")[0], "The program itself", lambda _name: _server_command()
    )
    group = CommandGroup("git mile", toolset.summary, entries, [version_option()])
    entries["completion"] = completion_entry(group, "git-mile")
    return group


def _server_command() -> click.Command:
    import click

    from holdfast.faces.cli.groups import handwritten_command
    from holdfast.faces.cli.options import root_option
    from holdfast.faces.cli.serve import log_options, tool_errors_option, tool_names_option

    protocol = click.Option(
        ["--protocol"],
        default=_PROTOCOLS[-1],
        metavar="|".join(_PROTOCOLS),
        help="The revision of the specification to speak.  [default: v1]",
    )
    options = [root_option(), protocol, tool_errors_option(), tool_names_option(), *log_options()]
    return handwritten_command("mcp-server", _SERVER_HELP, options, _serve)


def _serve(
    root: str | None, protocol: str, tool_errors: str | None, tool_names: str | None, **log: Any
) -> int:
    from holdfast.faces.cli.host import starting_directory
    from holdfast.faces.cli.serve import select_profile, start_logging
    from holdfast.kernel.errors import Invalid

    if protocol not in _PROTOCOLS:
        raise Invalid(f'There is no protocol "{protocol}".', hint=f"Known: {', '.join(_PROTOCOLS)}.")
    profile = select_profile("git-mile", tool_errors, tool_names)
    directory = starting_directory(root)
    from holdfast.faces.mcp.stdio import serve_stdio
    from holdfast.kernel.registry import EVERYTHING
    from holdfast.workspace import Workspace

    workspace = Workspace.discover(directory)
    start_logging(**log)
    return serve_stdio(workspace, EVERYTHING, profile)


if __name__ == "__main__":
    sys.exit(main())
