"""A report as one HTML file: safe, self-contained, and its tables can be sorted."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

from holdfast.analysis.render.html_page import element, html_page, listed, table

HOSTILE = "</td><script>alert(1)</script>\u202e&"
ROWS = [["b", 2, 1.5], [HOSTILE, 10, None], ["a", 1234567, 0.25]]


def report() -> str:
    parts = [element("p", HOSTILE, HOSTILE), listed("ul", [HOSTILE]), table(("Name", "Count", "Share"), ROWS)]
    return html_page(HOSTILE, parts)


def test_texts_are_escaped_and_the_policy_allows_its_own_script_only() -> None:
    page = report()
    assert page.count("<script>") == page.count("</script>") == 1
    assert "\u202e" not in page
    (script,) = re.findall("<script>(.*)</script>", page, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in page
    assert not re.findall(r"\b(?:src|href)=|url\(|@import", page)


def test_a_table_without_rows_and_an_empty_report() -> None:
    assert "<th>Name</th>" in table(("Name",), [])
    assert html_page("Empty", []).endswith("</html>\n")
