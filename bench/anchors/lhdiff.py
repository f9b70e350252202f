"""The benchmark of the LHDiff authors: Eclipse sources with line maps checked by hand.

`NAME_1.java` is the original, `NAME_<n>.java` the later versions; `NAME.xml` holds a LOCATION for each line.
Version 1 is the identity and says nothing. BaseTypes is left out unless asked for, as in the published
tables; `asdf` is the authors' scrap and always is.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from bench.anchors.buckets import bucket
from bench.anchors.cases import Case, Label
from holdfast.comments.tracking.placement import FileVersion


def is_here(folder: Path) -> bool:
    """Tell whether a folder holds this benchmark."""
    return any(folder.glob("*_1.java"))


def load(folder: Path, base_types: bool = False) -> Iterator[Case]:
    """Yield a case for each later version of each file."""
    for description in sorted(folder.glob("*.xml")):
        if description.stem == "asdf" or (description.stem == "BaseTypes" and not base_types):
            continue
        old = _read(folder, description.stem, 1)
        for found in ElementTree.parse(description).getroot().iter("VERSION"):
            number = int(found.attrib["NUMBER"])
            if number == 1:
                continue
            new = _read(folder, description.stem, number)
            yield Case(
                name=f"{description.stem} 1 to {number}",
                old=old,
                new=new,
                labels=tuple(_labels(old, new, found)),
            )


def _read(folder: Path, stem: str, number: int) -> FileVersion:
    text = (folder / f"{stem}_{number}.java").read_bytes().decode("latin-1")
    return FileVersion(f"{stem}.java", text.replace("\r\n", "\n"))


def _labels(old: FileVersion, new: FileVersion, version: ElementTree.Element) -> Iterator[Label]:
    for location in version.iter("LOCATION"):
        line, kept = int(location.attrib["ORIG"]), int(location.attrib["NEW"])
        truth = kept if kept > 0 else None
        yield Label(line, truth, bucket(old, new, line, truth))
