"""A PostgreSQL server of the tests' own: made in a temporary folder, reached through a socket there."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path

_NUMBERS = count(1)
_QUIET = {"capture_output": True, "check": True, "timeout": 60, "cwd": "/"}


@cache
def binaries() -> Path | None:
    """Return the folder with the server's programs of the newest version, or None where there is none."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    candidates = [*reversed(folders), *(Path(found).parent for found in [shutil.which("initdb")] if found)]
    return next((path for path in candidates if (path / "initdb").exists()), None)


def is_missing() -> str | None:
    """Return why no server can be started here, or None when one can."""
    if binaries() is None:
        return "PostgreSQL is not installed; ./scripts/test installs it where apt works"
    if _driver_is_missing():
        return "psycopg is not installed"
    if os.geteuid() == 0 and _server_user() is None:
        return "the server refuses to run as root, and there is no user postgres"
    return None


def _driver_is_missing() -> bool:
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return True
    return False


def _server_user() -> str | None:
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        return None


def _as_server(*command: str) -> list[str]:
    """Return a command line for the user that may run a server: it refuses root."""
    user = _server_user()
    return ["runuser", "-u", user, "--", *command] if os.geteuid() == 0 and user else list(command)


class Server:
    """A running server; each test gets a database of its own."""

    def __init__(self, folder: Path, control: list[str]) -> None:
        self.folder = folder
        self._control = control

    def crash_and_start(self) -> None:
        """End every process of the server at once, nothing written back, and start it again."""
        for action in (("-m", "immediate", "stop"), ("start",)):
            subprocess.run(_as_server(*self._control, *action), **_QUIET)  # type: ignore[call-overload]

    def address(self, database: str) -> str:
        return f"postgresql://holdfast@/{database}?host={self.folder}"

    def new_database(self, options: str = "") -> str:
        import psycopg

        name = f"test_{os.getpid()}_{next(_NUMBERS)}"
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} {options}".encode())
        return self.address(name)

    def copy_database(self, name: str, of: str) -> None:
        """Let a database be what another one is, whatever it was."""
        import psycopg

        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {of}".encode())


@contextmanager
def running_server(*, durable: bool = False) -> Iterator[Server]:
    """Run a server for as long as the block lasts; only a durable one waits for the disk."""
    programs = binaries()
    assert programs is not None
    folder = Path(tempfile.mkdtemp(prefix="hf-pg-", dir="/tmp"))
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    folder.chmod(0o755)
    data = str(folder / "data")
    options = [
        "-c",
        "listen_addresses=",
        "-c",
        f"unix_socket_directories={folder}",
        "-c",
        "max_connections=60",
    ]
    options += ["-c", "shared_buffers=32MB"]
    if not durable:
        options += ["-c", "fsync=off", "-c", "full_page_writes=off"]
    try:
        subprocess.run(
            _as_server(
                *(str(programs / "initdb"), "-D", data, "-U", "holdfast", "-A", "trust", "-N", "-E", "UTF8"),
                "--locale=C",
            ),
            **_QUIET,  # type: ignore[call-overload]
        )
        start = [
            str(programs / "pg_ctl"),
            "-D",
            data,
            "-w",
            "-l",
            str(folder / "log"),
            "-o",
            " ".join(options),
        ]
        subprocess.run(_as_server(*start, "start"), **_QUIET)  # type: ignore[call-overload]
        try:
            yield Server(folder, start)
        finally:
            subprocess.run(_as_server(*start, "-m", "immediate", "stop"), **_QUIET)  # type: ignore[call-overload]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
