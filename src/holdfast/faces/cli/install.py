"""`holdfast install`: adds Holdfast to the configuration of other programs, or removes it."""

from __future__ import annotations

import os
import re
import shutil
import sys
from typing import TYPE_CHECKING, Any

import click

from holdfast.faces.cli.command import refuse_when_read_only
from holdfast.faces.cli.groups import handwritten_command
from holdfast.faces.cli.host import starting_directory
from holdfast.faces.cli.options import complete_from, json_option, root_option
from holdfast.faces.cli.output import is_terminal, write, write_text
from holdfast.faces.json_text import json_text
from holdfast.faces.program import own_program
from holdfast.kernel.errors import Invalid, did_you_mean

if TYPE_CHECKING:
    from holdfast.installation.client import Client, InstallationContext, Scope
    from holdfast.installation.plan import FileChange
    from holdfast.storage.git.repository import Repository

_SERVER_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PARTS = {
    "server": "the server",
    "hooks": "the hooks",
    "skills": "the skills",
    "commands": "the command /remarks",
    "instructions": "the section in the instructions",
}
_SCOPES = ("project", "user")
"""The values of `installation.client.Scope`, which help pages show without importing it."""

_HELP = """Configure another program to use Holdfast.

An agent gets what it supports: the server, hooks that tell it what it should know, skills, the command
/remarks, and a section in its instructions (AGENTS.md, CLAUDE.md or GEMINI.md). Entries are added to those
that exist; comments and layout are preserved, and a copy of the earlier file is kept next to a changed one.
If a file is damaged, the command reports it and changes nothing. An entry that you have edited stays as it
is, unless you pass --replace. Without CLIENT, the clients found on this machine are listed.

\b
  claude-code      also as a plugin: --plugin DIRECTORY
  claude-desktop   the server alone
  cursor, vscode, codex, gemini-cli, copilot-cli, opencode
  others           prints instructions for any other client
  lazygit          Ctrl-Y sends a remark
  git              settings of this repository that parts of Holdfast need
"""
_OTHERS = """\
Any client that speaks the Model Context Protocol can use Holdfast.

Server: run `{program} serve` in the repository, or pass `--root DIRECTORY`. As most clients write it:

{server}
Skills: most clients read folders in `.agents/skills`. To write them there, with a section in AGENTS.md:
  holdfast install codex --scope project --no-server --no-hooks

Hooks: run `{program} hook EVENT --client claude-code`, with EVENT one of {events}.
It reads and answers JSON as Claude Code documents it, and is silent where there is nothing to say.
"""


def install_command() -> click.Command:
    """Return the command that configures a client."""
    return handwritten_command("install", _HELP, _parameters(), _install)


def _install(client: str | None, scope: str | None, name: str, root: str | None, **options: Any) -> int:
    _check_exclusive(
        {"--print": options["print_"], "--uninstall": options["uninstall"], "--replace": options["replace"]}
    )
    _check_exclusive({"--print": options["print_"], "--dry-run": options["dry_run"]})
    _check_exclusive({"--print": options["print_"], "--json": options["json"]})
    if client is None:
        return _offer_found(scope, name, root, options)
    if client == "others":
        write_text(_other_instructions())
        return 0
    return _configure(_find_client(client), scope, name, root, options)


def _offer_found(scope: str | None, name: str, root: str | None, options: dict[str, Any]) -> int:
    """List the clients that are found on this machine, and on a terminal ask which to configure."""
    from holdfast.installation.clients import CLIENTS

    found = [
        client
        for client in CLIENTS.values()
        if client.name != "git"
        and client.is_found(_installation_context(client, None, name, root, {}), shutil.which)
    ]
    if options["json"]:
        write(json_text({"found": [client.name for client in found]}, for_a_person=is_terminal(sys.stdout)))
        return 0
    lines = [f"  {client.name:<16} {client.title}" for client in found]
    lines = ["Clients found on this machine:", *lines] if found else ["No client was found on this machine."]
    write_text(
        "\n".join([*lines, "", "`holdfast install CLIENT` configures one; see `holdfast install --help`."])
    )
    if not (found and is_terminal(sys.stdin) and is_terminal(sys.stdout)):
        return 0
    answer = click.prompt("Which ones, separated by spaces (all, or nothing)", default="", show_default=False)
    names = [client.name for client in found] if answer.strip() == "all" else answer.split()
    for chosen in [_find_client(each) for each in names]:
        write_text(f"{chosen.title}:")
        _configure(chosen, scope if scope in chosen.scopes else None, name, root, options)
    return 0


def _other_instructions() -> str:
    from holdfast.installation.dialects import EVENTS

    program = "holdfast" if shutil.which("holdfast") else own_program() or "holdfast"
    server = {"mcpServers": {"holdfast": {"command": program, "args": ["serve"]}}}
    text = json_text(server, for_a_person=True)
    return _OTHERS.format(program=program, server=text, events=", ".join(EVENTS))


def _configure(
    chosen: Client, scope: str | None, name: str, root: str | None, options: dict[str, Any]
) -> int:
    from holdfast.contributions import contributions
    from holdfast.installation import plan
    from holdfast.installation.clients import CLIENTS

    context = _installation_context(chosen, scope, name, root, options)
    if options["print_"]:
        write_text(_format_snippets(plan.snippets(chosen, context, contributions())))
        return 0
    if options["uninstall"]:
        others = [client for client in CLIENTS.values() if client.name not in ("git", "lazygit")]
        changes = plan.plan_removal(chosen, context, contributions(), others)
    else:
        changes = plan.plan_installation(chosen, context, contributions(), replace=options["replace"])
    if options["dry_run"] and not options["json"]:
        write_text("".join(map(plan.unified_diff, changes)) or "Nothing to change.")
        return 0
    if not options["dry_run"]:
        refuse_when_read_only()
        plan.apply_changes(changes)
    notes = [] if options["uninstall"] else _notes(chosen, context)
    if options["json"]:
        result = _json_result(chosen, context, changes, notes, dry_run=options["dry_run"])
        write(json_text(result, for_a_person=is_terminal(sys.stdout)))
    else:
        lines = _change_lines(changes, uninstall=options["uninstall"])
        write_text("\n".join([*lines, *notes]))
    return 0


def _check_exclusive(options: dict[str, bool]) -> None:
    names = [name for name, was_given in options.items() if was_given]
    if len(names) > 1:
        raise Invalid(f"{names[0]} and {names[1]} cannot be combined.", hint="Leave one out.")


def _find_client(name: str) -> Client:
    from holdfast.installation.clients import CLIENTS

    if name not in CLIENTS:
        raise Invalid(f'There is no client named "{name}".', hint=did_you_mean(name, CLIENTS))
    return CLIENTS[name]


def _installation_context(
    client: Client, scope: str | None, name: str, root: str | None, options: dict[str, Any]
) -> InstallationContext:
    from holdfast.installation.client import InstallationContext, Part
    from holdfast.storage.git.repository import Repository

    if not _SERVER_NAME.fullmatch(name):
        raise Invalid(f'"{name}" cannot name a server.', hint="Use letters, digits, '-' and '_', 64 at most.")
    repository = Repository.discover(starting_directory(root))
    plugin = options.get("plugin")
    if scope is not None and scope not in _SCOPES:
        raise Invalid(f'There is no scope "{scope}".', hint=did_you_mean(scope, _SCOPES))
    chosen_scope = _find_scope(client, "plugin" if plugin else scope)
    if options.get("refuse_edits") and not _can_refuse(client):
        raise Invalid(f"No hook of {client.title} can refuse an edit.", hint="Omit --refuse-edits.")
    if repository.bare and chosen_scope == "project" and client.name != "git":
        raise Invalid(
            "A bare repository has no files for a project.",
            hint="Run it in a work tree, or use --scope user.",
        )
    on_path = shutil.which("holdfast")
    return InstallationContext(
        root=repository.root,
        home=os.path.expanduser("~"),
        platform=sys.platform,
        environment=os.environ,
        scope=chosen_scope,
        program=own_program() or on_path,
        on_search_path=on_path is not None,
        name=name,
        git_directory=repository.common_dir,
        remotes=_remotes(repository) if client.name == "git" else (),
        parts=frozenset(part for part in Part if not options.get(f"no_{part.value}")),
        refuses_edits=bool(options.get("refuse_edits")),
        plugin_folder=os.path.abspath(plugin) if plugin else "",
    )


def _can_refuse(client: Client) -> bool:
    from holdfast.installation.dialects import DIALECTS

    return client.name in DIALECTS and bool(DIALECTS[client.name].refusal)


def _remotes(repository: Repository) -> tuple[str, ...]:
    from holdfast.storage.git.command import Git
    from holdfast.storage.git.remotes import Remotes, is_remote_name

    if repository.common_dir is None:
        return ()
    return tuple(name for name in Remotes(Git(repository)).names() if is_remote_name(name))


def _find_scope(client: Client, name: str | None) -> Scope:
    if name is None:
        return client.scopes[0]
    for scope in client.scopes:
        if scope.value == name:
            return scope
    if name == "plugin":
        raise Invalid(f"{client.title} has no plugins of this kind.", hint="Omit --plugin.")
    scopes = ", ".join(scope for scope in client.scopes if scope in _SCOPES)
    raise Invalid(f'{client.title} has no scope "{name}".', hint=f"It has: {scopes}.")


def _notes(client: Client, context: InstallationContext) -> list[str]:
    notes = client.notes(context)
    if not context.on_search_path and context.command(has_user_path=True) == "holdfast":
        notes.append("`holdfast` is not on your search path (PATH); the client needs to find it there.")
    return notes


def _format_snippets(snippets: list[tuple[Any, str]]) -> str:
    if len(snippets) == 1:
        return snippets[0][1]
    return "\n".join(f"{file.label}\n\n{snippet}" for file, snippet in snippets)


def _change_lines(changes: list[FileChange], *, uninstall: bool) -> list[str]:
    """Return a line for each file; skills to which the same happened share one."""
    lines: dict[str, None] = {}
    for change in changes:
        folder, separator, _ = change.file.label.rpartition("/SKILL.md")
        is_plain = bool(separator) and change.backup_label is None and change.action != "kept"
        label = f"{folder.rpartition('/')[0]}/*/SKILL.md" if is_plain else change.file.label
        lines[_change_text(change, uninstall=uninstall, label=label)] = None
    return list(lines)


def _change_text(change: FileChange, *, uninstall: bool, label: str) -> str:
    if change.is_shared:
        return f"{label}: stays, because another client uses it."
    if change.action == "kept" and uninstall:
        return f"{label}: was edited by hand and is left as it is."
    if change.action == "kept":
        return f"{label}: has another entry for Holdfast, which is left as it is; --replace overwrites it."
    backup = f" The earlier version is in {change.backup_label}." if change.backup_label else ""
    return f"{label}: {change.action}.{backup}"


def _json_result(
    client: Client,
    context: InstallationContext,
    changes: list[FileChange],
    notes: list[str],
    *,
    dry_run: bool,
) -> dict[str, Any]:
    files = [
        {"path": change.file.label, "action": change.action, "backup": change.backup_label}
        for change in changes
    ]
    return {
        "client": client.name,
        "scope": context.scope.value,
        "dry_run": dry_run,
        "files": files,
        "notes": notes,
    }


def _parameters() -> list[click.Parameter]:
    from holdfast.installation.clients import CLIENTS

    return [
        click.Argument(["client"], required=False, metavar="CLIENT", shell_complete=complete_from(CLIENTS)),
        click.Option(
            ["--scope"],
            metavar="|".join(_SCOPES),
            help="This repository, shared with everyone who works on it, or all your repositories.",
            shell_complete=complete_from(_SCOPES),
        ),
        _flag("--dry-run", "Show the changes as a diff and make none."),
        click.Option(
            ["print_", "--print"], is_flag=True, help="Print what goes into each file and write none."
        ),
        _flag("--uninstall", "Take out what this command put in."),
        _flag("--replace", "Overwrite entries that were edited by hand."),
        *(_flag(f"--no-{part}", f"Leave out {what}.") for part, what in _PARTS.items()),
        _flag("--refuse-edits", "Refuse an edit once if there is something to know about its file."),
        click.Option(
            ["--plugin"], metavar="DIRECTORY", help="Make a plugin for Claude Code in this folder instead."
        ),
        click.Option(
            ["--name"],
            default="holdfast",
            metavar="NAME",
            help="The name of the server.  [default: holdfast]",
        ),
        root_option(),
        json_option(),
    ]


def _flag(name: str, text: str) -> click.Option:
    return click.Option([name], is_flag=True, help=text)
