"""`holdfast open`: serves the repository's page while the command runs, and opens it in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from holdfast.faces.cli.groups import handwritten_command
from holdfast.faces.cli.host import starting_directory
from holdfast.faces.cli.options import database_option, root_option
from holdfast.faces.cli.output import write
from holdfast.faces.cli.serve import (
    DEFAULT_HOST,
    DEFAULT_PORT,
    log_options,
    parse_listen_address,
    select_profile,
    start_logging,
)
from holdfast.faces.http.settings import HttpSettings, ListenAddress, validate_settings
from holdfast.kernel.errors import Busy
from holdfast.kernel.registry import Selection
from holdfast.storage.git.repository import Repository
from holdfast.storage.network.login_codes import LoginCodes
from holdfast.storage.network.served_address import served_address

_HELP = """Serve the repository on this machine and open its page in the browser.

If a server of the repository is running already, its page is opened. The link that is opened logs the browser
in. Agents can use the same server; see `holdfast serve --help`, which also has the options for serving other
machines.
"""


def open_command() -> click.Command:
    """Return the command that opens the page."""
    read_only = click.Option(["--read-only"], is_flag=True, help="Do not allow changes from the page.")
    options = [root_option(), database_option(), address_option(), read_only, *log_options()]
    return handwritten_command("open", _HELP, options, _open)


def address_option() -> click.Option:
    """Return the option for the address of the page."""
    return click.Option(
        ["--http"],
        metavar="[HOST:]PORT",
        help=f"Where to listen.  [default: {DEFAULT_HOST}:{DEFAULT_PORT}, or any free port if it is taken]",
    )


def page_settings(http: str | None, *, open_browser: bool = True) -> HttpSettings:
    """Return the settings for serving the page; raise if the address cannot be used."""
    address = _default_address() if http is None else parse_listen_address(http)
    return validate_settings(HttpSettings(address, open_browser=open_browser))


def _open(root: str | None, database: str | None, http: str | None, *, read_only: bool, **log: Any) -> int:
    start = starting_directory(root)
    if http is None and database is None and not read_only and _open_served_page(start):
        return 0
    settings = page_settings(http)
    start_logging(**log)
    return serve_page(start, settings, database=database, read_only=read_only)


def _open_served_page(start: Path) -> bool:
    """Open the page of a server that is running already; return whether there is one."""
    import webbrowser

    from holdfast.faces.http.login import login_url

    repository = Repository.discover(start)
    base = served_address(repository)
    if base is None:
        return False
    link = login_url(base, LoginCodes(repository).add(""))
    opened = webbrowser.open(link)
    write(f"{link}\n")
    click.echo(
        "A server of this repository is running already. "
        + ("Its page is opened." if opened else "No browser could be started; open the link yourself."),
        err=True,
    )
    return True


def serve_page(
    start: Path, settings: HttpSettings, *, database: str | None = None, read_only: bool = False
) -> int:
    """Serve the repository that contains the folder `start`, until a signal arrives; return the status."""
    from holdfast.faces.http.serve import serve_http
    from holdfast.workspace import Workspace

    workspace = Workspace.discover(start, database)
    return serve_http(
        workspace, Selection(read_only=read_only), select_profile("everything", "error"), settings
    )


def _default_address() -> ListenAddress:
    """Return the default address, with any free port if the default one is taken."""
    from holdfast.faces.http.listener import listening_socket

    try:
        listening_socket(DEFAULT_HOST, DEFAULT_PORT).close()
    except Busy:
        return ListenAddress(DEFAULT_HOST, 0)
    return ListenAddress(DEFAULT_HOST, DEFAULT_PORT)
