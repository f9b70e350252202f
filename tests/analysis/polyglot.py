"""Trees of several languages in which every analysis finds something."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from tests.analysis.duplicates.test_near_clones import BUILT_ALIKE, CHANGED, ORIGINAL

DAY = 86_400
TANGLE = "".join(f"    if a == {number} and b:\n        a += {number}\n" for number in range(15))

FILES = {
    "src/app.py": (
        "import json\nimport ctypes\nfrom src import util\nfrom src.shapes import Square\n\n\n"
        f"def tangle(a, b):\n    # FIXME: it grows\n{TANGLE}    return a\n\n\n"  # hygiene: to be found
        "def main():\n    ctypes.CDLL('libnative.so').add(1, 2)\n"
        "    return util.helper(tangle(1, 2)), Square().area()\n\n\n"
        "def nobody_calls_this():\n    return 1\n\n\nif __name__ == '__main__':\n    main()\n"
    ),
    "src/util.py": (
        "from src import app\n\n\ndef helper(value):\n"
        "    # TODO: say what for\n    return value, app\n"  # hygiene: to be found
    ),
    "src/shapes.py": (
        "class Shape:\n    def area(self):\n        return 0\n\n\n"
        "class Square(Shape):\n    def area(self):\n        return super().area()\n"
    ),
    "web/index.ts": (
        "import { view } from './view';\n\nexport function start(): string {\n  return view(1);\n}\n"
    ),
    "web/view.ts": "export function view(n: number): string {\n  return n > 1 ? 'many' : 'one';\n}\n",
    "native/lib.rs": (
        '#[no_mangle]\npub extern "C" fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n'
        "#[wasm_bindgen]\npub fn greet() -> i32 {\n    1\n}\n"
    ),
    "README.md": "# Kelp\n",
}

COPIES = {
    "copies/a.py": ORIGINAL,
    "copies/b.py": "import os\n\n\n" + ORIGINAL,
    "copies/c.py": ORIGINAL.replace("accounts", "users").replace("number", "index"),
    "copies/d.py": CHANGED,
    "copies/e.py": BUILT_ALIKE,
}
"""Clones of every kind."""


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def commit(root: Path, message: str, days_ago: float = 0.01) -> None:
    moment = f"{int(time.time() - days_ago * DAY)} +0000"
    environment = os.environ | {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}
    for arguments in (("add", "--all"), ("commit", "--quiet", "--allow-empty", "-m", message)):
        subprocess.run(["git", "-C", str(root), *arguments], check=True, env=environment)


def polyglot(root: Path) -> Path:
    """Write the tree into a repository, with a history of a hundred days."""
    write(root, FILES)
    commit(root, "Begin", days_ago=100)
    write(root, {"src/util.py": FILES["src/util.py"] + "\n\ndef other():\n    return helper(2)\n"})
    commit(root, "Help more", days_ago=60)
    write(root, {"src/app.py": FILES["src/app.py"].replace("return 1\n", "return 2\n")})
    commit(root, "Count on")
    return root


def larger(root: Path) -> Path:
    """Write the tree several times over, each part with changes of its own."""
    for part in ("kelp", "crab", "moss", "gull"):
        write(root / part, FILES)
        tangled = (
            FILES["src/app.py"]
            .replace("tangle", f"{part}_tangle")
            .replace("def main", "def extra(): pass\n\n\ndef main")
        )
        write(root / part, {"src/app.py": tangled, f"src/{part}.py": "from src import util\n\nx = util\n"})
        commit(root, f"Add {part}")
    tangled = FILES["src/app.py"].replace(TANGLE, 2 * TANGLE)
    unused = "".join(f"def unused_{number}():\n    return {number}\n\n\n" for number in range(60))
    debts = (
        "# SECURITY: no check\nx = 1\n\n# this is an ugly workaround we should remove\ny = 2\n\n"
        "# KLUDGE: twice\nz = 1\n\n# SLOW: by far\nz = 2\n\n# UNTESTED: all of it\nz = 3\n"
    )
    write(root, {"kelp/src/app.py": tangled, "crab/src/unused.py": unused, "moss/src/moss.py": debts})
    write(root, {"coverage.xml": COVERAGE, **COPIES})
    commit(root, "Go on")
    for arguments in (
        ("checkout", "-q", "-b", "side", "HEAD~1"),
        ("commit", "-q", "--allow-empty", "-m", "Aside"),
        ("checkout", "-q", "main"),
        ("merge", "-q", "--no-ff", "-m", "Merge", "side"),
    ):
        subprocess.run(["git", "-C", str(root), *arguments], check=True)
    os.utime(root / "coverage.xml", (1, 1))
    return root


COVERAGE = (
    '<coverage><packages><package><classes><class filename="kelp/src/util.py"><lines>'
    '<line number="1" hits="1"/><line number="4" hits="0"/></lines></class></classes></package>'
    "</packages></coverage>"
)
