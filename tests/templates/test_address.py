from __future__ import annotations

import pytest

from holdfast.templates.address import TemplateAddress
from holdfast.templates.catalogue import Templates
from holdfast.templates.errors import InvalidTemplateUri, TemplateNotFound
from tests.storage.hostile_paths import HOSTILE_PATHS, HOSTILE_URI_PARTS

MALFORMED = [
    "",
    "template",
    "template://",
    "template:///",
    "template:///makefile/rust/cli",
    "template://makefile/rust",
    "template://makefile/rust/",
    "template://makefile//cli",
    "template://makefile/rust/cli/",
    "template://makefile/rust/cli/extra",
    "template://../../etc/passwd",
    "template://makefile/../cli",
    "template://makefile/rust/..",
    "template://makefile/rust/.",
    "template://makefile/%2e%2e/cli",
    "template://makefile/rust/%2e%2e%2fsecret",
    "template://makefile/rust/cli%2fx",
    "template://makefile/rust/%252e%252e",
    "template://makefile/rust/cli%00",
    "template://makefile/rust/cli\x00",
    "template://makefile/rust/cli\n",
    "template://makefile/rust/cli%0a",
    "template://makefile/rust/%ff",
    "template://makefile/rust/cli?x=1",
    "template://makefile/rust/cli#top",
    "template://makefile/rust/cli%3fx",
    "template://user@makefile/rust/cli",
    "template://makefile:80/rust/cli",
    "template://makefile/rust/CLI",
    "template://makefile/rust/cli ",
    " template://makefile/rust/cli",
    "TEMPLATE://makefile/rust/cli",
    "template:makefile/rust/cli",
    "file:///etc/passwd",
    "http://makefile/rust/cli",
    "template://makefile\\rust\\cli",
    "template://makefile/rust/-cli",
    "template://makefile/rust/cli_x",
    "template://makefile/rust/ｃｌｉ",
    f"template://makefile/rust/{'x' * 41}",
    f"template://{'a/' * 1000}",
]


@pytest.mark.parametrize("uri", MALFORMED)
def test_what_is_not_three_plain_names_is_malformed(room: Templates, uri: str):
    with pytest.raises(InvalidTemplateUri) as failure:
        room.find(uri)
    assert "template://category/toolchain/variant" in failure.value.sentence()


def test_no_hostile_path_or_part_passes_for_a_name(room: Templates):
    for part in (*HOSTILE_PATHS, *HOSTILE_URI_PARTS):
        for uri in (f"template://{part}", f"template://makefile/rust/{part}", f"template://{part}/rust/cli"):
            with pytest.raises((InvalidTemplateUri, TemplateNotFound)):
                room.find(uri)


def test_an_address_is_found_exactly_and_never_by_its_beginning(room: Templates):
    with pytest.raises(TemplateNotFound) as failure:
        room.find("template://makefile/rust/cli-anything")
    assert failure.value.data["uri"] == "template://makefile/rust/cli-anything"
    assert 'Did you mean "template://makefile/rust/cli"?' in failure.value.sentence()


def test_an_escape_of_an_ordinary_letter_is_the_letter():
    assert TemplateAddress.parse("template://make%66ile/rust/cli") == TemplateAddress(
        "makefile", "rust", "cli"
    )
