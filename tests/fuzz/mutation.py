"""Sound examples made unsound: bytes flipped, cut, doubled, moved, spliced, nested, and odd words put in."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

LONGEST = 1 << 16
ODD = (
    b"\xed\xa0\x80", b"\\ud800", b"\\udc00\\ud800", b"\xff\xfe", b"\xef\xbb\xbf", b"\0", b"\x1b[2J",
    b"\xe2\x80\xae",     b"9" * 5000, b"-1", b"1e999", b"NaN", b"0x10", b"99999999999999999999", b"null",
    b"true", b"[]", b"{}", b'""', b"''",     b"[" * 3000, b'{"a":' * 3000, b"(" * 3000, b"]", b"}", b")",
    b'"', b"'", b"\\", b"`", b"*", b"%2e%2e%2f", b"%ff", b"..",     b"/", b"\n", b"\r\n", b"\t", b" ",
    b"---\n", b"#", b"<<<<<<<", b"&a *a", b"0001-01-01T00:00:00+10:00",     b"9999-12-31T23:59:59-10:00",
    b"http://[", b":", b";", b",", b"=", b"|", b"\xc3\xa9", b"\xf0\x9f\x98\x80",
)  # fmt: skip

PIECES = tuple(map(re.compile, (rb"\"[^\"\n]*\"|'[^'\n]*'|[\w.+-]+", rb"\[[^][]*\]|\{[^{}]*\}")))
VALUES = (
    b"1",
    b"-1.5",
    b"null",
    b"true",
    b"[]",
    b"{}",
    b'"x"',
    b'"\\ud800"',
    b"[[1]]",
    b'{"a": 1}',
    b'""',
    b"9" * 25,
)


def mutated(chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    """Return one of the examples with one to four changes."""
    data = bytearray(chance.choice(seeds))
    for _ in range(chance.randint(1, 4)):
        at, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
        match chance.randrange(9):
            case 0 if data:
                data[min(at, len(data) - 1)] = chance.randrange(256)
            case 1:
                del data[at:]
            case 2:
                del data[at : min(end, at + 40)]
            case 3:
                data[at:at] = data[at:end] * chance.choice((1, 2, 50))
            case 4:
                other = chance.choice(seeds)
                start = chance.randrange(len(other) + 1)
                data[at:at] = other[start : start + chance.randrange(1, 200)]
            case 5:
                data[at:end] = chance.choice(ODD)
            case 6:
                data[at:at] = chance.choice(ODD)
            case _:  # what keeps the form and changes the kind of a value
                if found := [match.span() for match in chance.choice(PIECES).finditer(data)]:
                    data[slice(*chance.choice(found))] = chance.choice(VALUES)
        del data[LONGEST:]
    return bytes(data)
