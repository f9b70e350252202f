"""`holdfast token`: manages who may use this repository's server over HTTP, and for what.

The command is written by hand and not generated from an operation, so that no agent can create tokens.
"""

from __future__ import annotations

import click

from holdfast.faces.cli.command import refuse_when_read_only
from holdfast.faces.cli.groups import CommandGroup, entry_for, handwritten_command
from holdfast.faces.cli.host import starting_directory
from holdfast.faces.cli.options import root_option
from holdfast.faces.cli.output import write, write_text
from holdfast.faces.json_text import json_text
from holdfast.kernel.errors import Invalid, Unavailable, did_you_mean
from holdfast.kernel.role import Role
from holdfast.storage.git.repository import Repository
from holdfast.storage.network.login_codes import LoginCodes
from holdfast.storage.network.served_address import served_address
from holdfast.storage.network.tokens import TokenFile

_ROLES = [role.value for role in Role]
_SECTION = "Commands"
_HELP = """Manage who may use this repository's server over HTTP, and for what.

A token is for one person or agent. With the role "read" it can read, with "write" also add and change, with
"admin" also destroy. Only its hash is stored.
"""


def token_command() -> CommandGroup:
    """Return the group of commands that manage tokens."""
    name, root = click.Argument(["name"], metavar="NAME"), root_option()
    role = click.Option(
        ["--role"], default=Role.READ.value, metavar="|".join(_ROLES), help="What it may do.  [default: read]"
    )
    as_json = click.Option(["as_json", "--json"], is_flag=True, help="Print JSON for a program.")
    commands = [
        handwritten_command("add", "Create a token and print it, once.", [name, role, root], _add),
        handwritten_command("list", "List the tokens, without their secrets.", [as_json, root], _list),
        handwritten_command(
            "link",
            "Print a link that logs a browser in as the holder of a token, once, within a day.",
            [name, root],
            _link,
        ),
        handwritten_command(
            "remove", "Remove a token; running servers refuse it from then on.", [name, root], _remove
        ),
    ]
    return CommandGroup("token", _HELP, {str(item.name): entry_for(item, _SECTION) for item in commands})


def _add(name: str, role: str, root: str | None) -> int:
    refuse_when_read_only()
    token = _token_file(root).add(name, _parse_role(role))
    write(f"{token}\n")
    click.echo(f'This is the token of "{name}", role {role}. It is not shown again.', err=True)
    return 0


def _link(name: str, root: str | None) -> int:
    from holdfast.faces.http.login import login_url

    refuse_when_read_only()
    tokens = _token_file(root)
    grant = tokens.named(name)
    repository = Repository.discover(starting_directory(root))
    base = served_address(repository)
    if base is None:
        raise Unavailable(
            "No server of this repository is running.",
            hint="Start one with `holdfast serve --http`; its --public-url is the address in the link.",
        )
    write(f"{login_url(base, LoginCodes(repository).add(grant.name))}\n")
    click.echo(f'It logs in "{grant.name}", role {grant.role.value}, once, within a day.', err=True)
    return 0


def _list(as_json: bool, root: str | None) -> int:
    grants = _token_file(root).all()
    if as_json:
        tokens = [
            {"name": grant.name, "role": grant.role.value, "created": grant.created} for grant in grants
        ]
        write(json_text({"tokens": tokens}, for_a_person=False))
    else:
        lines = [f"{grant.name}  {grant.role.value}  since {grant.created}" for grant in grants]
        write_text("\n".join(lines) or "No tokens besides the owner's.")
    return 0


def _remove(name: str, root: str | None) -> int:
    refuse_when_read_only()
    removed = _token_file(root).remove(name)
    write_text(f'"{removed.name}" may no longer {removed.role.value}.')
    return 0


def _token_file(root: str | None) -> TokenFile:
    return TokenFile(Repository.discover(starting_directory(root)))


def _parse_role(text: str) -> Role:
    if text not in _ROLES:
        raise Invalid(f'There is no role named "{text}".', hint=did_you_mean(text, _ROLES))
    return Role(text)
