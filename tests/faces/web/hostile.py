"""A repository in which every text that somebody can write tries to become a program in somebody's page."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from holdfast.faces.rest.operations import path_of
from holdfast.kernel.operation import Effect, Operation
from holdfast.toolsets import full_registry
from tests.contract.case import CURSOR
from tests.contract.cases import CASES
from tests.faces.web.payloads import PAYLOADS
from tests.faces.web.site import Site

PROBE = "<xss-probe onclick=pwned()>"
WRITES = {item.listed_name: item for item in full_registry().operations if item.effect is not Effect.READ}
MAX_CHARACTERS = 8_000
LONG = 1_000
SHORT = 120
FEW_TURNS = 2
MAX_TITLES = 24
TIES = {"requestId", "client_key", "if_version"}

Place = tuple[str, ...]
"""The name of an argument, and of a member of it."""


@dataclass
class Stored:
    """For each operation: which arguments took hostile text, and which texts they were offered and took."""

    site: Site
    places: dict[str, set[Place]] = field(default_factory=dict)
    offered: dict[str, set[str]] = field(default_factory=dict)
    taken: dict[str, set[str]] = field(default_factory=dict)

    def accepts(self, operation: Operation, arguments: Any) -> bool:
        answered = self.site.server.ask("POST", f"/api/{path_of(operation)}", arguments)
        while answered.status == 429:  # the machine is quicker than one caller may be
            answered = self.site.server.ask("POST", f"/api/{path_of(operation)}", arguments)
        assert answered.status < 500, answered.body
        return answered.status < 400

    def store(self, operation: Operation, arguments: dict[str, Any]) -> None:
        """Find out which arguments take any text, then send every payload through them."""
        name = operation.listed_name
        places = free_texts(operation)
        new = [
            place
            for place in sorted(places.keys() - self.places.setdefault(name, set()))
            if self.accepts(operation, placed(arguments, {place: (places[place], PROBE)}))
        ]
        self.places[name].update(new)
        shift = sorted(WRITES).index(name)
        texts = {place: fitting(places[place], shift + count) for count, place in enumerate(sorted(new))}
        prose = [place for place in new if is_prose(place, places[place])]
        for turn in range(rounds_for(texts, prose)):
            given = {place: (places[place], found[turn % len(found)]) for place, found in texts.items()}
            self.offered.setdefault(name, set()).update(text for _, text in given.values())
            alone = [{place: item} for place, item in given.items() if turn < FEW_TURNS]
            for part in (given, {place: given[place] for place in prose}, *alone):
                if part and self.accepts(operation, placed(arguments, part)):
                    self.taken.setdefault(name, set()).update(text for _, text in part.values())
                    if part is given:
                        break


def rounds_for(texts: dict[Place, list[str]], prose: list[Place]) -> int:
    """Return how often to write until the roomiest argument has had every payload, and titles many."""
    roomiest = min((len(texts[place]) for place in prose or texts), default=0)
    return max(roomiest, min(MAX_TITLES, max((len(texts[place]) for place in prose), default=0)))


def free_texts(operation: Operation) -> dict[Place, dict[str, Any]]:
    """Return where an operation takes texts or lists of them, with their schemas; also inside an argument."""
    schema = operation.input.model_json_schema(by_alias=True)
    return dict(_free_texts(schema, schema.get("$defs", {}), ()))


def _free_texts(
    schema: dict[str, Any], models: dict[str, Any], above: Place
) -> Iterator[tuple[Place, dict[str, Any]]]:
    for name, described in schema.get("properties", {}).items():
        for shape in [described, *described.get("anyOf", [])]:
            inner = shape.get("items", shape)
            if inner.get("type") == "string" and not {"enum", "const", "pattern", "format"} & inner.keys():
                yield (*above, name), shape
            if "$ref" in shape and not above:
                yield from _free_texts(models[shape["$ref"].rpartition("/")[2]], models, (name,))


def is_prose(place: Place, schema: dict[str, Any]) -> bool:
    """Return whether an argument is a title or a longer text, not a name or a path."""
    is_path = re.search("file|path", place[-1], re.IGNORECASE) is not None
    return place[-1] == "title" or (schema.get("maxLength", 0) >= LONG and not is_path)


def placed(arguments: dict[str, Any], texts: dict[Place, tuple[dict[str, Any], str]]) -> dict[str, Any]:
    """Return arguments with texts in some places, and without what ties them to an earlier request."""
    made = {name: value for name, value in arguments.items() if name not in TIES}
    for (first, *rest), (schema, text) in texts.items():
        value = [text] if schema.get("type") == "array" else text
        made[first] = {**made.get(first, {}), rest[0]: value} if rest else value
    return made


def fitting(schema: dict[str, Any], shift: int) -> list[str]:
    """Return all payloads in pieces that an argument has room for; every argument begins elsewhere."""
    most = min(schema.get("items", schema).get("maxLength", SHORT), MAX_CHARACTERS)
    start = (shift * 37) % len(PAYLOADS)
    pieces, piece = [], ""
    for payload in [*PAYLOADS[start:], *PAYLOADS[:start]]:
        if piece and len(piece) + len(payload) + 2 > most:
            pieces.append(piece)
            piece = ""
        between = "\n\n" if most > SHORT else " "
        piece = f"{piece}{between}{payload}" if piece else payload
    return [*pieces, piece]


def store_everything(site: Site) -> Stored:
    """Send every payload through every operation that writes, in the order in which their cases work."""
    stored = Stored(site)
    for case in CASES:
        if case.operation in WRITES and case.fails is None and CURSOR not in case.arguments.values():
            stored.store(WRITES[case.operation], case.arguments)
            stored.accepts(WRITES[case.operation], case.arguments)
    return stored


def hostile_names() -> Iterator[str]:
    """Yield names that a file may have."""
    for payload in PAYLOADS:
        name = "".join(letter for letter in payload if letter.isprintable() and letter not in "/\\")
        if 0 < len(name.encode()) < 100 and not name.startswith(("-", " ")):
            yield f"{name.rstrip()}.py"


def commit_everything(site: Site) -> None:
    """Commit files whose names, contents, message and author are hostile, and change them since."""
    names = list(itertools.islice(hostile_names(), 40))
    body = "\n".join(f"# {payload!r}" for payload in PAYLOADS)
    (site.root / "<xss-probe>").mkdir()
    for name in names:
        (site.root / name).write_text(
            f"def f(a):\n    if a:\n        return {json.dumps(PAYLOADS)}\n{body}\n"
        )
    (site.root / "<xss-probe>" / "in.js").write_text("\n".join(PAYLOADS))
    author = "-c", "user.name=<xss-probe>", "-c", "user.email=x@example.org"
    for arguments in (("add", "--all"), (*author, "commit", "--quiet", "--message", "\n\n".join(PAYLOADS))):
        subprocess.run(["git", *arguments], cwd=site.root, check=True)
    (site.root / names[0]).write_text(f"{body}\n")
    (site.root / "src" / "main.py").write_text("\n".join(PAYLOADS))
