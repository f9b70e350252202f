"""Check every locked package against an advisory service, and fail unless each was checked.

pip-audit skips packages that its service does not know, which without a network are all of them, and exits
with 0. Here that is a failure. As a control, a release with many known advisories is checked too: if the
service reports none for it, as a mirror without advisories would, the whole check counts as not done.

Exits with 0 if all packages were checked and none is affected, 1 if one is, 2 if the check could not be done.
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
"""Nothing is installed, so the hash is not verified; but if one line has a hash, all must."""
SECONDS = 900  # a chosen bound: one request for each package


def normal(name: str) -> str:
    """Return the normalised name of a package (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def audit(lock: str, options: list[str]) -> tuple[list[dict[str, Any]], str]:
    """Return pip-audit's result for each package, and its standard error."""
    with tempfile.TemporaryDirectory() as folder:
        requirements = Path(folder, "requirements.txt")
        # Without markers, packages for other platforms are checked too.
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
    """Print the affected packages and those that could not be checked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--lock", type=Path, default=ROOT / "requirements.lock")
    chosen, options = parser.parse_known_args()
    lock = chosen.lock.read_text(encoding="utf-8")
    wanted = {normal(name) for name, _ in PIN.findall(lock)}
    found, errors = audit(lock, options)
    checked = {normal(one["name"]): one["vulns"] for one in found if "vulns" in one}
    unchecked = sorted(wanted - set(checked))
    if not wanted or unchecked or not checked.get(KNOWN_TO_BE_AFFECTED):
        reasons = [one["skip_reason"] for one in found if "skip_reason" in one]
        reasons += [] if found else errors.strip().splitlines()[-1:]
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
