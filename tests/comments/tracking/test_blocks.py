"""Notes at blocks stay with the block, and notes at declarations with the variable."""

from __future__ import annotations

from textwrap import dedent

import pytest

from holdfast.comments.tracking.placement import Anchor, Confidence, FileVersion, Placement
from holdfast.comments.tracking.track import track


def placed(old: str, new: str, mark: str, path: str = "A.java") -> Placement:
    """Follow the line of the old text that holds a mark, which is no part of the texts."""
    lines = dedent(old).split("\n")
    index = next(index for index, line in enumerate(lines) if mark in line)
    lines[index] = lines[index].replace(mark, "")
    (placement,) = track(
        FileVersion(path, "\n".join(lines)), FileVersion(path, dedent(new)), [Anchor(index + 1)]
    )
    return placement


def at(new: str, text: str) -> int:
    """Return the number of the line that holds a text."""
    return next(number for number, line in enumerate(dedent(new).split("\n"), 1) if text in line)


WALK = """\
class A {
    void walk(Node node) {
        int depth = 0;
        while (node.next() == null && depth > 0) {«here»
            visitor.tail(node, depth);
            node = node.parent();
            depth--;
        }
        visitor.done(depth);
    }
}
"""


def test_a_loop_whose_condition_went_inside_stays_the_loop():
    new = WALK.replace(
        "        while (node.next() == null && depth > 0) {«here»\n",
        "        while (true) {\n            if (!(node.next() == null && depth > 0)) break;\n",
    )
    placement = placed(WALK, new, "«here»")
    assert placement.line == at(new, "while (true)")


def test_a_loop_is_sure_where_its_lines_and_its_text_say_the_same():
    new = WALK.replace("node.next() == null && depth > 0) {«here»", "node.next() == null) {").replace(
        "        int depth = 0;\n", "        int depth = start();\n        log(depth);\n"
    )
    placement = placed(WALK, new, "«here»")
    assert (placement.line, placement.confidence) == (at(new, "while ("), Confidence.HIGH)


def test_a_try_goes_with_what_it_holds_and_not_to_the_next_try():
    old = """\
    class A {
        String first(Document doc) {
            try {«here»
                Source source = new Source(doc);
                Writer writer = new StringWriter();
                transform(source, writer);
                return writer.toString();
            } catch (Failure failure) {
                throw new IllegalStateException(failure);
            }
        }
    }
    """
    new = """\
    class A {
        boolean known(String name) {
            try {
                registry.find(name);
                return true;
            } catch (Missing missing) {
                return false;
            }
        }

        String second(Document doc, Options options) {
            try {
                Source source = new Source(doc);
                Writer writer = new StringWriter();
                transform(source, writer, options);
                return writer.toString();
            } catch (Failure failure) {
                throw new IllegalStateException(failure);
            }
        }
    }
    """
    assert placed(old, new, "«here»").line == at(new, "Source source") - 1


def test_what_is_done_otherwise_does_not_speak_for_the_condition():
    old = """\
    class A {
        void end(Token token) {
            if (in(token.name(), "body", "html")) {«here»
                other(token);
            } else {
                builder.error(this);
                builder.skip(token);
            }
        }
    }
    """
    new = """\
    class A {
        void end(Token token) {
            String name = token.normalName();
            if (sorted(name, ENDS)) {
                otherwise(token, name);
            } else if (name.equals("template")) {
                builder.error(this);
                builder.skip(token);
            }
        }
    }
    """
    assert placed(old, new, "«here»").line == at(new, "if (sorted")


def test_a_block_that_became_no_block_is_for_review_and_offered():
    old = """\
    def width(value, least):
        if value < least:«here»
            value = least
        return value * SCALE
    """
    new = """\
    def width(value, least):
        value = least if value < least else value
        return value * SCALE
    """
    placement = placed(old, new, "«here»", "a.py")
    assert placement.line is None
    assert placement.confidence in (Confidence.LOW, Confidence.NONE)


def test_a_condition_inside_an_expression_may_become_part_of_a_line():
    old = """\
    NAMES = [
        name.strip().lower()
        for name in read_names(SOURCE)«here»
    ]
    """
    new = "NAMES = [name.strip().lower() for name in read_names(SOURCE)]\n"
    assert placed(old, new, "«here»", "a.py").line == 1


DECLARED = """\
class A {
    Element read(Reader in) {
        Element label = parse(in).getAsObject().remove(fieldName);«here»
        if (label == null) {
            throw new Failure();
        }
        return label;
    }
}
"""


def test_a_declaration_stays_with_its_variable_and_not_with_its_value():
    new = DECLARED.replace(
        "        Element label = parse(in).getAsObject().remove(fieldName);«here»\n",
        "        Element label;\n"
        "        if (kept) {\n"
        "            label = parse(in).getAsObject().get(fieldName);\n"
        "        } else {\n"
        "            label = parse(in).getAsObject().remove(fieldName);\n"
        "        }\n",
    )
    assert placed(DECLARED, new, "«here»").line == at(new, "Element label;")


def test_a_variable_that_is_declared_twice_is_followed_by_its_text():
    new = DECLARED.replace(
        "        Element label = parse(in).getAsObject().remove(fieldName);«here»\n",
        "        if (quick) {\n"
        "            Element label = null;\n"
        "            return label;\n"
        "        }\n"
        "        Element label = parse(in).getAsObject().remove(fieldNames);\n",
    )
    assert placed(DECLARED, new, "«here»").line == at(new, "remove(fieldNames)")


@pytest.mark.parametrize("path", ["notes.txt", "notes.md"])
def test_words_of_blocks_mean_nothing_in_prose(path: str):
    old = """\
    About the harbour.

    when the tide is low, boats wait outside«here»
    and nobody enters before noon.
    """
    new = """\
    About the harbour.

    All boats wait outside when the tide is low
    and nobody enters before noon.
    """
    assert placed(old, new, "«here»", path).line == 3
