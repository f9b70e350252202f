"""`holdfast serve`: the MCP server on standard input and output, or over HTTP."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from holdfast.faces.cli.groups import handwritten_command
from holdfast.faces.cli.host import starting_directory
from holdfast.faces.cli.options import complete_from, database_option, root_option
from holdfast.faces.cli.output import is_terminal
from holdfast.faces.http.settings import (
    HttpSettings,
    ListenAddress,
    OAuthSettings,
    validate_settings,
    validate_url,
)
from holdfast.faces.logs import FORMATS, LEVELS, log_to_standard_error
from holdfast.faces.mcp.profiles import PROFILES, Profile
from holdfast.kernel.errors import Invalid, did_you_mean
from holdfast.kernel.registry import Selection
from holdfast.kernel.text import parse_natural

if TYPE_CHECKING:
    from holdfast.workspace import Workspace

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8765
"""A judgement: not assigned to a common service, and easy to remember."""
_MAX_PORT = 65535
_MAX_QUOTED_CHARACTERS = 9
"""Of a port that is refused. A judgement: enough to see what is wrong with it."""
_TOOL_ERRORS = ("error", "result")
_TOOL_NAMES = ("plain", "dotted")

_WAITING = """\
Waiting for an MCP client on standard input. A client starts this command itself:
  holdfast install CLIENT    add it to the configuration of a client
  holdfast serve --http      listen for clients and browsers instead
  holdfast open              show the page in a browser
Ctrl-D ends it.
"""

_HELP = """Serve the repository to an agent over the Model Context Protocol.

Without --http the server uses standard input and output, as clients that start it themselves expect. Every
option can also be set with the environment variable that is named with it.

Over HTTP every caller needs a token: the owner's, which the first start creates, one from `holdfast token
add`, or an access token of the authorization server given with --oauth-issuer.
"""


def serve_command() -> click.Command:
    """Return the command that serves a repository."""
    return handwritten_command("serve", _HELP, _options(), _serve)


def parse_listen_address(text: str) -> ListenAddress:
    """Return the address that text names: a port, `HOST:PORT`, or a host with the default port."""
    host, port = _split_address(text)
    number = parse_natural(port)
    if number is None or number > _MAX_PORT:
        hint = f"Pass HOST:PORT with a port between 0 and {_MAX_PORT}."
        raise Invalid(f'"{port[:_MAX_QUOTED_CHARACTERS]}" is not a port.', hint=hint)
    return ListenAddress(host, number)


def parse_selection(
    toolsets: Iterable[str], tools: Iterable[str], exclude_tools: Iterable[str], *, read_only: bool
) -> Selection:
    """Return the selection that names of toolsets and tools describe; commas may separate them as well."""
    return Selection(
        toolsets=_names(toolsets) or None,
        tools=_tool_names(tools) or None,
        exclude_tools=_tool_names(exclude_tools),
        read_only=read_only,
    )


def parse_http_settings(
    http: str,
    public_url: str | None,
    workers: int,
    oauth_issuer: str | None,
    oauth_audience: str | None,
    oauth_keys: str | None,
) -> HttpSettings:
    """Return the HTTP settings from the options; raise when these contradict each other."""
    public = None if public_url is None else validate_url(public_url, "--public-url")
    oauth = _oauth_settings(public, oauth_issuer, oauth_audience, oauth_keys)
    return validate_settings(HttpSettings(parse_listen_address(http), public, workers, oauth))


def _oauth_settings(
    public_url: str | None, issuer: str | None, audience: str | None, keys: str | None
) -> OAuthSettings | None:
    if issuer is None:
        if audience is not None or keys is not None:
            raise Invalid("OAuth needs an authorization server.", hint="Pass --oauth-issuer.")
        return None
    if audience is None and public_url is None:
        raise Invalid(
            "Access tokens are accepted for one audience only.", hint="Pass --oauth-audience or --public-url."
        )
    return OAuthSettings(
        validate_url(issuer, "--oauth-issuer"),
        validate_url(audience, "--oauth-audience") if audience is not None else f"{public_url}/mcp",
        None if keys is None else validate_url(keys, "--oauth-keys"),
    )


def _serve(root: str | None, database: str | None, profile: str, **options: Any) -> int:
    from holdfast.toolsets import full_registry
    from holdfast.workspace import Workspace

    http_names = ("http", "public_url", "workers", "oauth_issuer", "oauth_audience", "oauth_keys")
    settings = None
    if options["http"] is not None:
        settings = parse_http_settings(**{name: options[name] for name in http_names})
    selected = {name: options[name] for name in ("toolsets", "tools", "exclude_tools")}
    selection = parse_selection(**selected, read_only=options["read_only"])
    if any(selected.values()):
        full_registry().select(selection)  # Refuses unknown names.
    server_profile = select_profile(profile, options["tool_errors"], options["tool_names"])
    workspace = Workspace.discover(starting_directory(root), database)
    start_logging(options["log_level"], options["log_format"])
    return _run_server(workspace, selection, server_profile, settings)


def _run_server(
    workspace: Workspace, selection: Selection, profile: Profile, settings: HttpSettings | None
) -> int:
    if settings is None:
        from holdfast.faces.hooks.listener import answering_hooks
        from holdfast.faces.mcp.stdio import serve_stdio

        if is_terminal(sys.stdin) and is_terminal(sys.stderr):
            sys.stderr.write(_WAITING)
            sys.stderr.flush()
        answers_hooks = not (selection.read_only or profile.is_strict)
        with answering_hooks(workspace) if answers_hooks else nullcontext():
            return serve_stdio(workspace, selection, profile)
    from holdfast.faces.http.serve import serve_http

    return serve_http(workspace, selection, profile, settings)


def select_profile(name: str, tool_errors: str | None, tool_names: str | None = None) -> Profile:
    """Return a profile by name, with the given forms of tool errors and tool names instead of its own."""
    if name not in PROFILES:
        raise Invalid(f'There is no profile named "{name}".', hint=did_you_mean(name, PROFILES))
    profile = PROFILES[name]
    if tool_errors is not None:
        if tool_errors not in _TOOL_ERRORS:
            hint = f"Choose one of: {', '.join(_TOOL_ERRORS)}."
            raise Invalid(f'Tools cannot fail with a "{tool_errors}".', hint=hint)
        profile = replace(profile, errors_as_results=tool_errors == "result")
    if tool_names is None:
        return profile
    if tool_names not in _TOOL_NAMES:
        hint = f"Choose one of: {', '.join(_TOOL_NAMES)}."
        raise Invalid(f'Tools cannot have "{tool_names}" names.', hint=hint)
    return replace(profile, uses_dotted_names=tool_names == "dotted")


def tool_errors_option() -> click.Option:
    """Return the option for the form of tool errors."""
    text = (
        "How tools fail that can do both: with a JSON-RPC error, or with a result that the model sees."
        "  [default: result, with a profile error]"
    )
    return _option("tool-errors", "|".join(_TOOL_ERRORS), text)


def tool_names_option() -> click.Option:
    """Return the option for the names of tools whose specified names contain a dot."""
    text = (
        "How to list tools whose specified names contain dots, which some clients refuse; calls may use"
        " either name.  [default: depends on the profile]"
    )
    return _option("tool-names", "|".join(_TOOL_NAMES), text)


def log_options() -> list[click.Option]:
    """Return the options for the log on standard error."""
    format_help = "The format of the log.  [default: text on a terminal, else json]"
    return [
        _option("log-level", "|".join(LEVELS), "What to log on standard error.", default="warning"),
        _option("log-format", "|".join(FORMATS), format_help),
    ]


def start_logging(log_level: str, log_format: str | None) -> None:
    """Start logging on standard error, as the options specify."""
    options = (log_level, LEVELS, "--log-level"), (log_format, FORMATS, "--log-format")
    for chosen, choices, option in options:
        if chosen is not None and chosen not in choices:
            raise Invalid(f'{option} cannot be "{chosen}".', hint=f"Choose one of: {', '.join(choices)}.")
    log_to_standard_error(log_level, log_format)


def _split_address(text: str) -> tuple[str, str]:
    if text.startswith("["):
        host, _, rest = text[1:].partition("]")
        return host, rest.removeprefix(":") or str(DEFAULT_PORT)
    if text.isdigit():
        return DEFAULT_HOST, text
    host, _, port = text.partition(":")
    return host, port or str(DEFAULT_PORT)


def _names(texts: Iterable[str]) -> frozenset[str]:
    parts = (part.strip() for text in texts for part in text.split(","))
    return frozenset(part for part in parts if part)


def _tool_names(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(name.replace(".", "_") for name in _names(texts))


def _options() -> list[click.Option]:
    address = f"{DEFAULT_HOST}:{DEFAULT_PORT}"
    return [
        root_option(),
        database_option(),
        _option(
            "http",
            "[HOST:PORT]",
            f"Listen for HTTP.  [without a value: {address}]",
            is_flag=False,
            flag_value=address,
        ),
        _option("public-url", "URL", "The URL that clients use, if it differs from the address."),
        _option(
            "workers",
            "NUMBER",
            "The number of processes that serve HTTP.  [default: 1]",
            type=click.INT,
            default=1,
        ),
        _option("oauth-issuer", "URL", "Accept access tokens of this authorization server."),
        _option(
            "oauth-audience",
            "URL",
            "The audience that access tokens must be for.  [default: the public URL of /mcp]",
        ),
        _option("oauth-keys", "URL", "The URL of its keys.  [default: from the issuer's metadata]"),
        _option(
            "profile",
            "NAME",
            "Act as the server of one specification: git-mile, lazygit, paired-comments, taskpilot or"
            " toolkit.  [default: everything]",
            default="everything",
            shell_complete=complete_from(PROFILES),
        ),
        _option(
            "toolsets", "NAME,NAME", "Offer only these toolsets, and list all their tools.", multiple=True
        ),
        _option(
            "tools",
            "NAME,NAME",
            "Offer only these tools, or these in addition to the toolsets.",
            multiple=True,
        ),
        _option("exclude-tools", "NAME,NAME", "Leave these tools out.", multiple=True),
        _option("read-only", None, "Offer nothing that writes, whatever the other options.", is_flag=True),
        tool_errors_option(),
        tool_names_option(),
        *log_options(),
    ]


def _option(name: str, metavar: str | None, text: str, **more: Any) -> click.Option:
    """Return an option that can also be set with an environment variable."""
    variable = f"HOLDFAST_{name.upper().replace('-', '_')}"
    return click.Option([f"--{name}"], metavar=metavar, envvar=variable, show_envvar=True, help=text, **more)
