"""Builds parts of SQL statements: lists of parameters, inserts, upserts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from holdfast.storage.sql.sql_store import Connection

PARAMETERS_PER_STATEMENT = 500
"""About half of 999, SQLite's limit before 3.32 (https://sqlite.org/limits.html): a statement can have other
parameters, too."""


def in_list(values: Sequence[str], prefix: str = "v") -> tuple[str, dict[str, str]]:
    """Return a parenthesised list of placeholders for `IN`, and its parameters.

    The lists of one statement need different prefixes, from which the parameters are named.
    """
    names, text = _placeholders(len(values), prefix)
    return text, dict(zip(names, values, strict=True))


@lru_cache(maxsize=1024)
def _placeholders(count: int, prefix: str) -> tuple[tuple[str, ...], str]:
    names = tuple(f"{prefix}{number}" for number in range(count))
    return names, f"({', '.join(f':{name}' for name in names)})"


def in_list_batches(values: Iterable[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield lists that together have all values, each as from `in_list` and short enough for a statement."""
    distinct = list(dict.fromkeys(values))
    for start in range(0, len(distinct), PARAMETERS_PER_STATEMENT):
        yield in_list(distinct[start : start + PARAMETERS_PER_STATEMENT])


def select_by_uids(connection: Connection, query: str, uids: Iterable[str]) -> Iterator[Any]:
    """Yield the rows of a query for some tasks; `{}` in the query is replaced with the list of their uids."""
    for listed, values in in_list_batches(uids):
        yield from connection.execute(query.format(listed), values)


def insert(table: str, columns: Iterable[str], conflict: str | None = None) -> str:
    """Return an INSERT with named parameters; `conflict` follows ON CONFLICT."""
    names = list(columns)
    values = ", ".join(f":{name}" for name in names)
    clause = "" if conflict is None else f" ON CONFLICT {conflict}"
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({values}){clause}"


def on_conflict_update(key: str, columns: Iterable[str]) -> str:
    """Return the conflict clause that updates some columns of the row with the same key (an upsert)."""
    return f"({key}) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in columns)}"
