"""Generates files from the declarations of operations: `python -m holdfast.faces.docs --check` or `--write`.

- `docs/tools.md`, the list of all tools, and a page for each toolset in `docs/reference`;
- the table of tools and their modules in `docs/architecture.md`;
- the table of commands in `faces/cli/catalogue.py`;
- `packaging/share`: manual pages and completion scripts, which are installed with the program.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from holdfast.faces.cli.arguments import CommandArgument, command_arguments
from holdfast.faces.cli.catalogue import catalogue_of
from holdfast.faces.cli.host import Host
from holdfast.faces.cli.manual import share_files
from holdfast.faces.schema import properties_of, result_fields
from holdfast.installation.client import Part, Scope
from holdfast.installation.clients.agents import AGENTS, Agent
from holdfast.installation.dialects import DIALECTS, EVENTS
from holdfast.kernel.operation import Effect, Operation
from holdfast.kernel.prompt import Prompt
from holdfast.kernel.registry import Registry
from holdfast.kernel.toolset import Toolset
from holdfast.storage.files.atomic import atomic_write
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace

TOOLS_PAGE = Path("docs/tools.md")
COMMAND_TABLE = Path("src/holdfast/faces/cli/catalogue.py")
REFERENCE = Path("docs/reference")
ARCHITECTURE = Path("docs/architecture.md")
CLIENTS_PAGE = Path("docs/clients.md")
SHARE = Path("packaging/share")
_COMMAND_TABLE_START = "# The table begins here."
_MODULE_TABLE_START = "<!-- The table of tools, generated. -->"
_MODULE_TABLE_END = "<!-- The end of the table of tools. -->"

_CLIENT_TABLE_START = "<!-- The tables of clients, generated. -->"
_CLIENT_TABLE_END = "<!-- The end of the tables of clients. -->"

_INTRODUCTION = """\
# Tools

The operations of Holdfast. Each is a command, and unless a row names no tool, an MCP tool with the same
arguments and the same result. A server lists the common tools; `find_tools` and `call_tool` reach the others.
`holdfast --help` also lists the commands that run or set up the program itself. This page and the pages it
links to are generated from the declarations in the code by `python -m holdfast.faces.docs --write`; edits
made here are lost.

Every command also takes `--root DIRECTORY` (where to look for the repository; by default the current
directory) and `--json` (print the result as JSON instead of text). A command that fails explains why on
standard error and exits with the status of the error; with `--json` it also prints
`{"error": {"kind", "code", "message", "hint", "data"}}`.
"""

_EFFECTS = {
    Effect.READ: "reads",
    Effect.WRITE: "writes",
    Effect.DESTRUCTIVE: "writes, and may replace or remove what was there",
}


def tools_pages(registry: Registry) -> Iterator[tuple[Path, str]]:
    """Yield the pages about a registry's tools: first the list, then a page for each toolset."""
    listed = [toolset for toolset in registry.toolsets if not toolset.hidden]
    yield TOOLS_PAGE, "\n".join([_INTRODUCTION, *map(_summary, listed)])
    for toolset in listed:
        yield REFERENCE / f"{toolset.name}.md", "\n".join(_toolset_page(toolset))


def _summary(toolset: Toolset) -> str:
    rows = [
        (
            "" if item.command_only else f"`{item.listed_name}`",
            f"`holdfast {toolset.name} {item.command}`",
            item.description.split("\n")[0],
        )
        for item in _operations(toolset)
    ]
    link = f"[{toolset.name}]({REFERENCE.name}/{toolset.name}.md)"
    return f"## {toolset.name}\n\n{toolset.summary} Details: {link}.\n\n" + _table(
        ("Tool", "Command", "What it does"), rows
    )


def _toolset_page(toolset: Toolset) -> Iterator[str]:
    yield f"# {toolset.name}\n\n{toolset.summary} [All tools](../{TOOLS_PAGE.name})\n"
    for operation in _operations(toolset):
        yield from _operation_section(operation)
    resources = [(f"`{item.uri}`", f"`{item.mime_type}`", item.description) for item in toolset.resources]
    yield from _table_section("Resources", ("Address", "Type", "Holds"), resources)
    prompts = [(f"`{item.name}`", _prompt_arguments(item), item.description) for item in toolset.prompts]
    yield from _table_section("Prompts", ("Prompt", "Arguments", "Purpose"), prompts)


def _operations(toolset: Toolset) -> list[Operation]:
    return sorted(toolset.operations, key=lambda operation: operation.name)


def _operation_section(operation: Operation) -> Iterator[str]:
    yield f"## {operation.title}\n\n{operation.description}\n"
    yield _tool_command_and_effect(operation)
    arguments = command_arguments(operation)
    if arguments:
        rows = [_argument_row(argument) for argument in arguments]
        yield _table(("Argument", "On the command line", "Type", "Default", "Meaning"), rows)
    fields = list(result_fields(operation.output))
    if fields:
        rows = [(f"`{path}`", item.shape.type_name(), item.description) for path, item in fields]
        yield _table(("Result", "Type", "Meaning"), rows)
    yield f"```sh\n{operation.example}\n```\n"


def _tool_command_and_effect(operation: Operation) -> str:
    commands = [f"`holdfast {operation.toolset} {operation.command}`"]
    if operation.shortcut is not None:
        commands.append(f"`holdfast {operation.shortcut}`")
    tool = "none, for the command line only" if operation.command_only else f"`{operation.listed_name}`"
    return f"- Tool: {tool}\n- Command: {' or '.join(commands)}\n- Effect: {_EFFECTS[operation.effect]}\n"


def _argument_row(argument: CommandArgument) -> tuple[str, ...]:
    value = argument.value
    spelling = argument.metavar if argument.is_positional else argument.option
    default = "required" if value.required else argument.default_text
    return f"`{value.name}`", f"`{spelling}`", value.shape.type_name(), default, value.description


def _table_section(title: str, heading: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    if rows:
        yield f"## {title}\n"
        yield _table(heading, sorted(rows))


def _prompt_arguments(prompt: Prompt) -> str:
    arguments = [
        f"`{item.name}`" if item.required else f"`{item.name}` (optional)"
        for item in properties_of(prompt.input)
    ]
    return ", ".join(arguments) or "none"


def _table(heading: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [heading, ("---",) * len(heading), *(tuple(_cell(text) for text in row) for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def command_table(registry: Registry) -> str:
    """Return the table of all commands as Python source."""
    lines = [_COMMAND_TABLE_START, "CATALOGUE: tuple[CatalogueToolset, ...] = ("]
    for toolset in catalogue_of(registry):
        lines.append(f"    _toolset({toolset.name!r}, {toolset.summary!r}, (")
        lines += [f"        _command{tuple(item)!r}," for item in toolset.commands]
        lines.append(f"    ), hidden={toolset.hidden!r}),")
    return "\n".join([*lines, ")", ""])


def module_table(registry: Registry) -> str:
    """Return the table of tools and their modules in Markdown, sorted by module."""
    rows = [
        (f"`{item.operation}`", f"`{item.module.replace('.', '/')}.py`")
        for toolset in catalogue_of(registry)
        for item in toolset.commands
    ]
    return _table(("Tool", "Module"), sorted(rows, key=lambda row: row[1]))


def generated_files(registry: Registry) -> Iterator[tuple[Path, str]]:
    """Yield each generated file with its content."""
    yield from tools_pages(registry)
    if not COMMAND_TABLE.exists():
        return  # Outside a checkout there are no files for the tables.
    for place, text in share_files(registry):
        yield SHARE / place, text
    with_commands = Host.of(registry, Workspace.discover).registry
    written_by_hand = COMMAND_TABLE.read_text(encoding="utf-8").partition(_COMMAND_TABLE_START)[0]
    yield COMMAND_TABLE, written_by_hand + command_table(with_commands)
    yield _with_table(ARCHITECTURE, _MODULE_TABLE_START, module_table(with_commands), _MODULE_TABLE_END)
    yield _with_table(CLIENTS_PAGE, _CLIENT_TABLE_START, client_tables(), _CLIENT_TABLE_END)


def _with_table(path: Path, start: str, table: str, end: str) -> tuple[Path, str]:
    before, _, rest = path.read_text(encoding="utf-8").partition(start)
    return path, f"{before}{start}\n\n{table}\n{end}{rest.partition(end)[2]}"


def client_tables() -> str:
    """Return the tables of what each agent gets, and of the hooks of each, in Markdown."""
    places, hooks = [], []
    for agent in AGENTS:
        for scope in agent.scopes:
            found = [agent.places(part).get(scope) for part in Part]
            names = [_client_place(agent, scope, place) for place in found]
            places.append((f"`holdfast install {agent.name}`", scope.value, *names))
        if agent.dialect:
            events = DIALECTS[agent.dialect].events
            hooks.append(
                (agent.title, *(f"`{events[event]}`" if event in events else "" for event in EVENTS))
            )
    heading = ("Command", "Scope", *(part.value.capitalize() for part in Part))
    return f"{_table(heading, places)}\n{_table(('Client', *EVENTS), hooks)}"


def _client_place(agent: Agent, scope: Scope, place: str | None) -> str:
    """Return where a part goes, as a path from the repository, from the home directory, or in the plugin."""
    if place is None:
        return ""
    if scope is not Scope.USER or place.startswith("~"):
        return f"`{place}`"
    if place.startswith("^"):
        return f"`~/{place[1:]}`"
    folder = agent.folder.replace("{config}", "~/.config").replace("{support}", "~/.config")
    return f"`{folder}/{place}`"


@click.command()
@click.option("--write", is_flag=True, help="Write the files.")
@click.option("--check", is_flag=True, help="Only check that the files are up to date.")
def main(*, write: bool, check: bool) -> None:
    """Generate files from the declarations. Run it in the root of the project.

    Without an option it prints the list of all tools.
    """
    for path, text in generated_files(full_registry()):
        if write:
            path.parent.mkdir(parents=True, exist_ok=True)  # hygiene: a generator for the checkout alone
            atomic_write(path, text.encode())
        elif check and (not path.exists() or path.read_text(encoding="utf-8") != text):
            raise click.ClickException(f"{path} is out of date. Run `python -m holdfast.faces.docs --write`.")
        elif not check and path == TOOLS_PAGE:
            sys.stdout.write(text)


if __name__ == "__main__":
    main()
