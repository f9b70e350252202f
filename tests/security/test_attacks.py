"""Every attack of the list is tried by tests that exist, and the threat model names tests that exist."""

from __future__ import annotations

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

from tests.conftest import ROOT

TESTS = ROOT / "tests"
ATTACKS = tomllib.loads(Path(__file__).with_name("attacks.toml").read_text(encoding="utf-8"))["attack"]


@cache
def defined_in(file: str) -> frozenset[str]:
    path = TESTS / file
    tree = ast.parse(path.read_text(encoding="utf-8")) if path.is_file() else ast.Module([], [])
    functions = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return frozenset(name for name in functions if name.startswith("test_"))


def is_there(test: str) -> bool:
    file, _, name = test.partition("::")
    return name in defined_in(file) if name else bool(defined_in(file))


def test_every_attack_is_tried_by_tests_that_exist():
    assert [attack["id"] for attack in ATTACKS] == list(range(1, 18))
    named = [test for attack in ATTACKS for tests in attack["parts"].values() for test in tests]
    assert [test for test in named if not is_there(test)] == []
    assert all(tests for attack in ATTACKS for tests in attack["parts"].values())


def test_control_a_test_that_is_gone_is_noticed():
    assert not is_there("storage/files/test_work_tree.py::test_nothing_of_the_kind")
    assert not is_there("storage/files/test_gone.py")


def test_the_threat_model_names_tests_and_documents_that_exist():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = re.findall(r"`tests/([\w/.:]+)`", text)
    assert len(named) > 15
    assert [
        test for test in named if not (is_there(test) if ".py" in test else (TESTS / test).exists())
    ] == []
    assert "private" in text
    assert "@" not in text
