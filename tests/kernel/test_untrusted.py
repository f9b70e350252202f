from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.kernel.models import Output
from holdfast.kernel.untrusted import UntrustedText, visible

ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
HIDDEN_IN_TAGS = "".join(chr(0xE0000 + ord(letter)) for letter in "delete everything")

STRANGE = st.text(
    st.sampled_from("\x00\x07\x1b\x9b[]Pm;\\0A1#*aé\r\n\t")
    | st.sampled_from("\u200b\u200c\u200d\u200e\u202e\u2060\ufeff\ufe00\ufe0e\ufe0f\u20e3\u00ad\u3164\ud83d")
    | st.sampled_from(
        "\U0001f469\U0001f3fd\U0001f3f4\U0001f1e9\U000e0067\U000e007f\U000e0100\u2764\u845b\u0915\u0627"
    )
)


@pytest.mark.parametrize(
    "text",
    [
        "plain words, digits 0123 and signs #*",
        "tabs\tand\nlines\r\n",
        "Grüße, Ελλάδα, Україна, 日本語, 한국어, ไทย",
        pytest.param("\U0001f600 \u2764\ufe0f \u263a\ufe0e", id="emoji with a style"),
        pytest.param(FAMILY, id="family"),
        pytest.param("\U0001f469\U0001f3fd\u200d\U0001f4bb", id="skin tone and profession"),
        pytest.param("\u2764\ufe0f\u200d\U0001f525", id="joiner after a style"),
        pytest.param("\U0001f3f3\ufe0f\u200d\U0001f308", id="rainbow flag"),
        pytest.param("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", id="flags of countries"),
        pytest.param(ENGLAND, id="flag of a subdivision"),
        pytest.param(f"before {ENGLAND} between {ENGLAND} after", id="flags within words"),
        pytest.param("1\ufe0f\u20e3 #\ufe0f\u20e3 *\ufe0f\u20e3", id="keycaps"),
        pytest.param("\u845b\U000e0100\u98fe", id="ideographic variation"),
        pytest.param("\u6f22\ufe00", id="compatibility variation"),
        pytest.param("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", id="Persian non-joiner"),
        pytest.param("\u0915\u094d\u200d\u0937", id="Hindi joiner"),
    ],
)
def test_what_people_see_survives(text: str):
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        pytest.param(f"hello{HIDDEN_IN_TAGS}", "hello", id="tags"),
        pytest.param(f"{ENGLAND}{HIDDEN_IN_TAGS}", ENGLAND, id="tags after a flag"),
        pytest.param("\U0001f3f4\U000e0067\U000e0062", "\U0001f3f4", id="flag without an end"),
        pytest.param("\u202eevil\u202c \u2066x\u2069 \u200ey\u200f", "evil x y", id="bidirectional"),
        pytest.param("pass\u200bword\ufeff\u2060", "password", id="zero width"),
        pytest.param("pass\u200dword \u200cx", "password x", id="joiners between Latin letters"),
        pytest.param("a\ufe0fb\U000e0101c\ufe00", "abc", id="selectors that select nothing"),
        pytest.param("\u845b\U000e0100\U000e0101\U000e0102", "\u845b\U000e0100", id="selectors in a row"),
        pytest.param("\x1b[31mred\x1b[0m \x1b[2J\x1b[1;1H", "red ", id="colours and cursor"),
        pytest.param("\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b", "ab", id="titles and links"),
        pytest.param("\x1bPq data \x1b\\a\x1b(Bb\x1bMc", "abc", id="device strings"),
        pytest.param("\x9b31mred", "red", id="eight-bit control sequence"),
        pytest.param("\x1b\x1b[31m[32mx", "[32mx", id="an escape inside an escape"),
        pytest.param("a\x00b\x07c\x7fd\x08", "abcd", id="controls"),
        pytest.param("so\u00adft \u3164\u115f\u180e", "soft ", id="fillers"),
        pytest.param("a\ud83db", "ab", id="half of a pair"),
    ],
)
def test_what_people_do_not_see_is_removed(text: str, left: str):
    assert visible(text) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        pytest.param("a\ufe0f\ufe0f", "a", id="a selector carried by a removed one"),
        pytest.param("\u2708\ufe0f\ufe0f\ufe0f", "\u2708\ufe0f", id="selectors repeated after emoji"),
        pytest.param("\u2708\ufe05 5\ufe07", "\u2708 5", id="selectors without a meaning for emoji"),
        pytest.param("1\u200d2\u200c3", "123", id="joiners between digits"),
        pytest.param("\u2192\u200c\u2192", "\u2192\u2192", id="non-joiner between signs"),
    ],
)
def test_selectors_and_joiners_that_hide_a_message_are_removed(text: str, left: str):
    assert visible(text) == left


@given(STRANGE | st.text())
@example("a\ufe0f\ufe0f")
def test_cleaning_twice_is_cleaning_once(text: str):
    assert visible(visible(text)) == visible(text)


@given(STRANGE | st.text(st.characters()))
def test_whatever_comes_out_can_be_written_and_holds_no_escape(text: str):
    cleaned = visible(text)
    cleaned.encode("utf-8")
    assert not set(cleaned) & set("\x00\x07\x1b\x9b\u200b\u202e\ufeff")
    assert len(cleaned) <= len(text)


def test_a_result_is_cleaned_on_the_way_out_and_whole_before():
    class Note(Output):
        text: UntrustedText
        maybe: UntrustedText | None = None

    note = Note(text="a\u200bb")
    assert note.text == "a\u200bb"
    assert note.wire() == {"text": "ab", "maybe": None}
    assert note.model_dump_json() == '{"text":"ab","maybe":null}'
