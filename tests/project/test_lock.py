from __future__ import annotations

import re
import tomllib

from tests.conftest import ROOT

LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
PIN = re.compile(
    r"(?P<name>[a-z0-9-]+)==(?P<version>[\w.]+)(?: ; [^\\]+)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n"
)


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def wanted() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    requirements = [
        *project["project"]["dependencies"],
        *project["project"]["optional-dependencies"]["dev"],
        *project["build-system"]["requires"],
    ]
    return {normal(re.split(r"[\s<>=!~\[;]", requirement)[0]) for requirement in requirements}


def test_every_line_belongs_to_a_pin_with_hashes():
    entries = re.sub(r"^#.*\n", "", LOCK, flags=re.MULTILINE)
    assert PIN.sub("", entries) == ""


def test_no_package_is_pinned_twice():
    names = [pin["name"] for pin in PIN.finditer(LOCK)]
    assert len(names) == len(set(names))


def test_the_lock_names_no_index_no_host_and_no_path():
    assert not re.search(r"://|index|find-links|trusted-host|file:|(^|\s)/\w", LOCK)


def test_all_that_the_project_asks_for_is_locked():
    assert wanted() <= {pin["name"] for pin in PIN.finditer(LOCK)}
