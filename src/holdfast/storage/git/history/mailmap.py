"""Maps the names of people in commits to those that the repository's `.mailmap` gives them."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.storage.git.command import Git

_UNACCEPTED_CHARACTERS = frozenset("<>\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
"""Characters that `check-mailmap` does not accept in a contact, and those at which `splitlines` splits."""

Person = tuple[str, str]
"""A name and an email address."""


def names_by_mailmap(git: Git, people: Iterable[Person]) -> dict[Person, str]:
    """Return each person's name according to `.mailmap`; unchanged where git would not accept the contact."""
    names = {person: person[0] for person in people}
    contacts = [person for person in names if _UNACCEPTED_CHARACTERS.isdisjoint("".join(person))]
    text = "".join(f"{name} <{email}>\n" for name, email in contacts)
    stdin = text.encode("utf-8", "surrogateescape")
    result = git.execute("check-mailmap", "--stdin", stdin=stdin)
    lines = result.output.decode("utf-8", "replace").splitlines()
    # If git fails, a report with the names as committed is better than none.
    if result.status == 0 and len(lines) == len(contacts):
        names |= {person: line.rpartition(" <")[0] for person, line in zip(contacts, lines, strict=True)}
    return names
