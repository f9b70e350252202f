"""`holdfast serve`: the MCP server on standard input and output, or over HTTP on this machine."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from holdfast.faces.cli.command import root_option
from holdfast.faces.cli.help import PageContext, help_option
from holdfast.faces.cli.run import starting_directory
from holdfast.kernel.errors import Denied, Invalid
from holdfast.kernel.registry import Selection
from holdfast.kernel.suggest import did_you_mean

if TYPE_CHECKING:
    from holdfast.workspace import Workspace

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8765
_TOOL_ERRORS = ("error", "result")

_PAGE = """Serve the repository to an agent over the Model Context Protocol.

Without --http the server speaks on standard input and output, as clients that start it themselves
expect. Every option can also be given as the environment variable named beside it.
"""


@dataclass(frozen=True)
class Address:
    """Where a server listens."""

    host: str
    port: int


def serve_command() -> click.Command:
    """Return the command that serves a repository."""
    command = click.Command(
        "serve", params=[*_options(), help_option()], callback=_serve, help=_PAGE, add_help_option=False
    )
    command.context_class = PageContext
    return command


def parsed_address(text: str) -> Address:
    """Return the address `text` names: a port, `HOST:PORT`, or a host with the usual port.

    Only loopback addresses are accepted: callers from elsewhere cannot be told apart yet.
    """
    host, port = _split_address(text)
    if not port.isascii() or not port.isdigit() or not 0 <= int(port) <= 65535:
        raise Invalid(f'"{port}" is not a port.', hint="Pass HOST:PORT with a port between 0 and 65535.")
    if not _is_loopback(host):
        raise Denied(
            f'Serving on "{host}" would open this repository to other machines.',
            hint="Use 127.0.0.1, ::1 or localhost; authentication for teams is not there yet.",
        )
    return Address(host, int(port))


def parsed_selection(
    toolsets: str | None, tools: str | None, exclude_tools: str | None, *, read_only: bool
) -> Selection:
    """Return the part of the registry that comma-separated names ask for."""
    return Selection(
        toolsets=_names(toolsets) or None,
        tools=_tool_names(tools) or None,
        exclude_tools=_tool_names(exclude_tools),
        read_only=read_only,
    )


def _serve(
    root: str | None,
    http: str | None,
    profile: str,
    toolsets: str | None,
    tools: str | None,
    exclude_tools: str | None,
    read_only: bool,
    tool_errors: str,
) -> int:
    from holdfast.workspace import Workspace, full_registry

    address = None if http is None else parsed_address(http)
    selection = parsed_selection(toolsets, tools, exclude_tools, read_only=read_only)
    full_registry(selection.toolsets).select(selection)  # Refuses names nobody has.
    _check_profile(profile)
    as_results = are_errors_results(tool_errors)
    workspace = Workspace.discover(starting_directory(root))
    return _served(workspace, selection, profile, address, as_results=as_results)


def _served(
    workspace: Workspace, selection: Selection, profile: str, address: Address | None, *, as_results: bool
) -> int:
    if address is None:
        from holdfast.faces.mcp.serve import serve_stdio

        return serve_stdio(workspace, selection, profile, errors_as_results=as_results)
    from holdfast.faces.mcp.serve import serve_http

    host, port = address.host, address.port
    return serve_http(workspace, selection, profile, host, port, errors_as_results=as_results)


def are_errors_results(chosen: str) -> bool:
    """Return whether failing tools are to answer with results rather than with JSON-RPC errors."""
    if chosen not in _TOOL_ERRORS:
        raise Invalid(
            f'Tools cannot fail with a "{chosen}".', hint=f"Choose one of: {', '.join(_TOOL_ERRORS)}."
        )
    return chosen == "result"


def tool_errors_option() -> click.Option:
    """Return the option that says how failing tools answer."""
    return click.Option(
        ["--tool-errors"],
        default="error",
        metavar="|".join(_TOOL_ERRORS),
        envvar="HOLDFAST_TOOL_ERRORS",
        show_envvar=True,
        help="How tools fail whose specification has both: as a JSON-RPC error, or as a result that the"
        " model sees.  [default: error]",
    )


def _check_profile(name: str) -> None:
    known = _profile_names()
    if name not in known:
        raise Invalid(f'There is no profile named "{name}".', hint=did_you_mean(name, known))


def _profile_names() -> list[str]:
    from holdfast.faces.mcp.profiles import PROFILES

    return list(PROFILES)


def _split_address(text: str) -> tuple[str, str]:
    if text.startswith("["):
        host, _, rest = text[1:].partition("]")
        return host, rest.removeprefix(":") or str(DEFAULT_PORT)
    if text.isdigit():
        return DEFAULT_HOST, text
    host, _, port = text.partition(":")
    return host, port or str(DEFAULT_PORT)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _names(text: str | None) -> frozenset[str]:
    return frozenset(name for name in (part.strip() for part in (text or "").split(",")) if name)


def _tool_names(text: str | None) -> frozenset[str]:
    return frozenset(name.replace(".", "_") for name in _names(text))


def _options() -> list[click.Option]:
    return [
        root_option(),
        click.Option(
            ["--http"],
            is_flag=False,
            flag_value=f"{DEFAULT_HOST}:{DEFAULT_PORT}",
            metavar="[HOST:PORT]",
            envvar="HOLDFAST_HTTP",
            show_envvar=True,
            help=f"Listen for HTTP on this machine.  [without a value: {DEFAULT_HOST}:{DEFAULT_PORT}]",
        ),
        click.Option(
            ["--profile"],
            default="everything",
            metavar="NAME",
            envvar="HOLDFAST_PROFILE",
            show_envvar=True,
            help="Be exactly one specification's server.  [default: everything]",
            shell_complete=_complete_profile,
        ),
        _list_option("--toolsets", "HOLDFAST_TOOLSETS", "Offer only these toolsets."),
        _list_option("--tools", "HOLDFAST_TOOLS", "Offer only these tools, or these beside the toolsets."),
        _list_option("--exclude-tools", "HOLDFAST_EXCLUDE_TOOLS", "Leave these tools out."),
        click.Option(
            ["--read-only"],
            is_flag=True,
            envvar="HOLDFAST_READ_ONLY",
            show_envvar=True,
            help="Offer nothing that writes, whatever else is asked for.",
        ),
        tool_errors_option(),
    ]


def _list_option(name: str, variable: str, text: str) -> click.Option:
    return click.Option([name], metavar="NAME,NAME", envvar=variable, show_envvar=True, help=text)


def _complete_profile(context: Any, parameter: Any, incomplete: str) -> list[CompletionItem[str]]:
    del context, parameter
    return [CompletionItem(name) for name in _profile_names() if name.startswith(incomplete)]
