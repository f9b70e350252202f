"""Ask an advisory service about every locked package, and fail unless it answered about each of them.

pip-audit passes over what its service does not know, and without a network that is everything: it says so and
ends with 0. Here that is a failure. A release with many advisories is asked about as well: a service that
has nothing to say about it, such as a mirror that leaves advisories out, was not a service.

Ends with 0 when all were looked at and none is affected, 1 when one is, 2 when it could not be checked.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)(?: ; [^\\]+)?", re.MULTILINE)
KNOWN_TO_BE_AFFECTED = "django"
CONTROL = f"{KNOWN_TO_BE_AFFECTED}==3.2.0 --hash=sha256:{'0' * 64}\n"
"""Nothing is installed, so the hash is not looked at; a file with hashes has one on every line."""
SECONDS = 900


def normal(name: str) -> str:
    """Return the one spelling of a package's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def answered(lock: str, options: list[str]) -> tuple[list[dict[str, Any]], str]:
    """Return what pip-audit says about each package, and its complaints."""
    with tempfile.TemporaryDirectory() as folder:
        requirements = Path(folder, "requirements.txt")
        # What is for other machines is asked about too.
        plain = re.sub(r" ; [^\\\n]+", "", lock)
        requirements.write_text(plain.rstrip("\n") + "\n" + CONTROL, encoding="utf-8")
        command = ["pip-audit", "--requirement", str(requirements), "--disable-pip", "--format", "json"]
        done = subprocess.run(
            [*command, "--progress-spinner", "off", *options], capture_output=True, text=True, timeout=SECONDS
        )
    try:
        return list(json.loads(done.stdout)["dependencies"]), done.stderr
    except (ValueError, KeyError):
        return [], done.stderr


def main() -> int:
    """Print what is affected and what could not be checked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--lock", type=Path, default=ROOT / "requirements.lock")
    chosen, options = parser.parse_known_args()
    lock = chosen.lock.read_text(encoding="utf-8")
    wanted = {normal(name) for name, _ in PIN.findall(lock)}
    found, complaints = answered(lock, options)
    checked = {normal(one["name"]): one["vulns"] for one in found if "vulns" in one}
    unchecked = sorted(wanted - set(checked))
    if not wanted or unchecked or not checked.get(KNOWN_TO_BE_AFFECTED):
        reasons = [one["skip_reason"] for one in found if "skip_reason" in one]
        reasons += [] if found else complaints.strip().splitlines()[-1:]
        reason = (reasons or ["The service knows of no advisory at all."])[0]
        print(f"audit: NOT CHECKED: {len(unchecked)} of {len(wanted)} packages. {reason}")
        print("\n".join(unchecked[:20]))
        return 2
    affected = {name: checked[name] for name in sorted(wanted) if checked[name]}
    for name, advisories in affected.items():
        print(f"{name}: {', '.join(one['id'] for one in advisories)}")
    print(f"audit: {len(wanted)} packages checked, {len(affected)} affected")
    return 1 if affected else 0


if __name__ == "__main__":
    sys.exit(main())
