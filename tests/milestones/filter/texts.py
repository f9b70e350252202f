"""Texts that are filters, and texts that nearly are."""

from __future__ import annotations

from hypothesis import strategies as st

_PIECES = (
    "status title label labels text author assignee milestone due created updated comments has_comments"
    " open_issues id description and or not in contains AND Or == = != < <= > >= ~ ! && || ( ) [ ] ,"
    " open closed draft null true false bug 7d 12h 2023-11-01 2023-11-01T12:00:00Z 0 1 -3 0001-01-01"
    ' 9999-12-31 999999w "x" \'y\' "\\u0041" "\\q" \' " \\ é 日本 \x00 \u202e'
)


def texts_like_filters() -> st.SearchStrategy[str]:
    """Return pieces of the language in any order, with and without space between them."""
    pieces = st.lists(st.sampled_from(_PIECES.split(" ")), max_size=14)
    return st.builds(lambda found, joint: joint.join(found), pieces, st.sampled_from([" ", "", "  \n"]))


def _values(field: str) -> st.SearchStrategy[str]:
    words = {
        "status": ["draft", "open", "closed"],
        "comments": ["0", "1", "2", "-1"],
        "open_issues": ["0", "1", "3"],
        "has_comments": ["true", "false"],
    }
    moments = [
        "2023-11-01",
        "2023-11-10",
        "2023-11-01T12:00:00Z",
        "'2023-11-10T12:00:01+00:00'",
        "3d",
        "10d",
        "0001-01-01",
        "9999-12-31",
        "999999w",
    ]
    texts = [
        "bug",
        "BUG",
        "'a b'",
        "Ada",
        "ada@example.org",
        "'Ada <ada@example.org>'",
        "ß",
        "SS",
        "'%_'",
        "é",
    ]
    if field in ("created", "updated", "due"):
        return st.sampled_from(moments)
    return st.sampled_from(words.get(field, texts))


def _comparison(field: str, operators: tuple[str, ...], *, nullable: bool) -> st.SearchStrategy[str]:
    values = _values(field)
    or_null = values | st.just("null") if nullable else values
    forms = [
        st.builds(f"{field} {{}} {{}}".format, st.just(sign), values) for sign in operators if sign != "in"
    ]
    forms += [st.builds(f"{field} {{}} {{}}".format, st.sampled_from(["=", "!="]), or_null)] * (
        "=" in operators
    )
    if "in" in operators:
        several = st.lists(or_null, min_size=1, max_size=3).map(", ".join)
        forms.append(st.builds(f"{field} {{}} [{{}}]".format, st.sampled_from(["in", "not in"]), several))
    return st.one_of(forms)


def filters(kind: str) -> st.SearchStrategy[str]:
    """Return filters about entities of a kind, each of which can be read."""
    from holdfast.milestones.filter.fields import FIELDS

    comparisons = st.one_of(
        [
            _comparison(field.name, field.operators, nullable=field.nullable)
            for field in FIELDS.values()
            if kind in field.kinds
        ]
    )
    return st.recursive(
        comparisons,
        lambda inner: st.one_of(
            st.builds("({} and {})".format, inner, inner),
            st.builds("({} or {})".format, inner, inner),
            st.builds("not ({})".format, inner),
        ),
        max_leaves=5,
    )
