from __future__ import annotations

import re
import tomllib

from tests.conftest import ROOT

LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
PIN = re.compile(
    r"(?P<name>[a-z0-9-]+)==(?P<version>[\w.]+)(?: ; [^\\]+)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n"
)


SERVING = (ROOT / "serving.lock").read_text(encoding="utf-8")


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def wanted(*extras: str) -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    requirements = [
        *project["project"]["dependencies"],
        *(one for extra in extras for one in project["project"]["optional-dependencies"][extra]),
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
    assert wanted("dev") <= {pin["name"] for pin in PIN.finditer(LOCK)}


def test_what_serving_installs_is_a_part_of_the_lock_without_the_tools_of_development():
    def pins(lock: str) -> dict[str, tuple[str, str]]:
        return {pin["name"]: (pin["version"], pin[3]) for pin in PIN.finditer(lock)}

    assert PIN.sub("", re.sub(r"^#.*\n", "", SERVING, flags=re.MULTILINE)) == ""
    assert pins(SERVING).items() <= pins(LOCK).items()
    assert wanted("postgres", "telemetry") | {"editables"} <= pins(SERVING).keys()
    assert not {"mypy", "pytest", "playwright", "matplotlib", "pyarrow"} & pins(SERVING).keys()
