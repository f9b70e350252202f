"""Sources that tests write comments on."""

from __future__ import annotations

from typing import Any

AUTH = """\
import { hash } from './hash';

export class AuthService {
  private attempts = 0;

  constructor(private readonly users: Map<string, string>) {}

  validatePassword(name: string, password: string): boolean {
    this.attempts += 1;
    const stored = this.users.get(name);
    if (stored === undefined) {
      return false;
    }
    return comparePasswords(stored, hash(password));
  }
}

export function comparePasswords(left: string, right: string): boolean {
  if (left.length !== right.length) {
    return false;
  }
  return left === right;
}

const LIMIT = 5;
"""
VALIDATE, ATTEMPTS, STORED, COMPARE, LIMIT = 8, 9, 10, 18, 25
"""Lines of some things in it."""

PATH = "src/services/auth.ts"


def accepted_by_the_extension(document: Any) -> bool:
    """Say whether the extension's validator takes a document: its own rules, in our words."""
    return (
        _has_texts(document, "file", "version")
        and isinstance(document.get("comments"), list)
        and all(map(_is_comment, document["comments"]))
        and all(map(_is_marker, document.get("ghostMarkers", [])))
    )


def _is_comment(item: Any) -> bool:
    return _has_texts(item, "id", "text", "author", "created", "updated") and _is_number(item.get("line"))


def _is_marker(item: Any) -> bool:
    texts = ("id", "lineHash", "lineText", "prevLineText", "nextLineText", "lastVerified")
    anchor = item.get("astAnchor")
    anchored = anchor is None or {"symbolPath", "symbolKind", "containerName", "offset"} <= anchor.keys()
    return (
        _has_texts(item, *texts)
        and _is_number(item.get("line"))
        and isinstance(item.get("commentIds"), list)
        and anchored
    )


def _has_texts(item: Any, *names: str) -> bool:
    return isinstance(item, dict) and all(isinstance(item.get(name), str) for name in names)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
