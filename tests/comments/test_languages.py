"""Each of the fifteen languages: what a note is about, where a range ends, how complex a function is."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest

from holdfast import toolsets
from holdfast.kernel.dispatch.validation import validate_arguments
from tests.comments.conftest import Desk

toolset = toolsets.toolset("comments")


class Sample(NamedTuple):
    """A file with a type and a function in it that decides twice."""

    path: str
    text: str
    kind: str
    symbol: list[str]
    start: int
    end: int
    grown: str
    """A line that the function gets before its second line."""


SAMPLES = [
    Sample(
        "shop.py",
        "class Cart:\n    def total(self, items):\n        amount = 0\n        for item in items:\n"
        "            if item.paid:\n                amount += item.price\n        return amount\n",
        *("Method", ["Cart", "total"], 2, 7, "        items = list(items)"),
    ),
    Sample(
        "shop.js",
        "class Cart {\n  total(items) {\n    let amount = 0;\n    for (const item of items) {\n"
        "      if (item.paid) { amount += item.price; }\n    }\n    return amount;\n  }\n}\n",
        *("Method", ["Cart", "total"], 2, 8, "    items = [...items];"),
    ),
    Sample(
        "shop.ts",
        "export class Cart {\n  total(items: Item[]): number {\n    let amount = 0;\n"
        "    for (const item of items) {\n      if (item.paid) { amount += item.price; }\n    }\n"
        "    return amount;\n  }\n}\n",
        *("Method", ["Cart", "total"], 2, 8, "    items = [...items];"),
    ),
    Sample(
        "shop.tsx",
        "export function Cart({ items }: Props) {\n  const paid = items.filter((item) => item.paid);\n"
        "  if (paid.length === 0) {\n    return <p>None</p>;\n  }\n"
        "  return <ul>{paid.length > 9 ? <b>many</b> : <i>few</i>}</ul>;\n}\n",
        *("Function", ["Cart"], 1, 7, "  const title = items.length;"),
    ),
    Sample(
        "Cart.java",
        "public class Cart {\n  int total(List<Item> items) {\n    int amount = 0;\n"
        "    for (Item item : items) {\n      if (item.paid) { amount += item.price; }\n    }\n"
        "    return amount;\n  }\n}\n",
        *("Method", ["Cart", "total"], 2, 8, "    check(items);"),
    ),
    Sample(
        "shop.go",
        "package shop\n\ntype Cart struct{}\n\nfunc (c *Cart) Total(items []Item) int {\n\tamount := 0\n"
        "\tfor _, item := range items {\n\t\tif item.Paid {\n\t\t\tamount += item.Price\n\t\t}\n\t}\n"
        "\treturn amount\n}\n",
        *("Method", ["Cart", "Total"], 5, 13, "\tcheck(items)"),
    ),
    Sample(
        "shop.rs",
        "struct Cart;\n\nimpl Cart {\n    fn total(&self, items: &[Item]) -> i32 {\n"
        "        let mut amount = 0;\n"
        "        for item in items {\n            if item.paid {\n                amount += item.price;\n"
        "            }\n        }\n        amount\n    }\n}\n",
        *("Method", ["Cart", "total"], 4, 12, "        check(items);"),
    ),
    Sample(
        "shop.c",
        "#include <stdio.h>\n\nint total(const struct item *items, int count)\n{\n  int amount = 0;\n"
        "  for (int i = 0; i < count; i++) {\n    if (items[i].paid)\n      amount += items[i].price;\n  }\n"
        "  return amount;\n}\n",
        *("Function", ["total"], 3, 11, "  check(items);"),
    ),
    Sample(
        "shop.cpp",
        "namespace shop {\nclass Cart {\n public:\n  int total(const std::vector<Item> &items) const {\n"
        "    int amount = 0;\n    for (const auto &item : items) {\n"
        "      if (item.paid) { amount += item.price; }\n    }\n    return amount;\n  }\n};\n}\n",
        *("Method", ["shop", "Cart", "total"], 4, 10, "    check(items);"),
    ),
    Sample(
        "Cart.cs",
        "namespace Shop {\n  class Cart {\n    int Total(List<Item> items) {\n      var amount = 0;\n"
        "      foreach (var item in items) {\n        if (item.Paid) { amount += item.Price; }\n      }\n"
        "      return amount;\n    }\n  }\n}\n",
        *("Method", ["Shop", "Cart", "Total"], 3, 9, "      Check(items);"),
    ),
    Sample(
        "shop.rb",
        "module Shop\n  class Cart\n    def total(items)\n      amount = 0\n      while items.any?\n"
        "        amount += items.shift.price if items.first.paid\n      end\n      amount\n"
        "    end\n  end\nend\n",
        *("Method", ["Shop", "Cart", "total"], 3, 9, "      check(items)"),
    ),
    Sample(
        "Cart.php",
        "<?php\nclass Cart {\n  public function total($items) {\n    $amount = 0;\n"
        "    foreach ($items as $item) {\n      if ($item->paid) { $amount += $item->price; }\n    }\n"
        "    return $amount;\n  }\n}\n",
        *("Method", ["Cart", "total"], 3, 9, "    check($items);"),
    ),
    Sample(
        "Cart.kt",
        "package shop\n\nclass Cart {\n    fun total(items: List<Item>): Int {\n        var amount = 0\n"
        "        for (item in items) {\n            if (item.paid) {\n                amount += item.price\n"
        "            }\n        }\n        return amount\n    }\n}\n",
        *("Method", ["Cart", "total"], 4, 12, "        check(items)"),
    ),
    Sample(
        "Cart.swift",
        "class Cart {\n    func total(_ items: [Item]) -> Int {\n        var amount = 0\n"
        "        for item in items {\n            if item.paid {\n                amount += item.price\n"
        "            }\n        }\n        return amount\n    }\n}\n",
        *("Method", ["Cart", "total"], 2, 10, "        check(items)"),
    ),
    Sample(
        "shop.sh",
        '#!/bin/bash\n\ntotal() {\n  local amount=0\n  for item in "$@"; do\n    if [ -n "$item" ]; then\n'
        '      amount=$((amount + 1))\n    fi\n  done\n  echo "$amount"\n}\n',
        *("Function", ["total"], 3, 11, '  check "$@"'),
    ),
]
named = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.path)


def test_there_is_a_sample_of_every_language() -> None:
    from holdfast.syntax.languages import LANGUAGES, language_of

    assert {language_of(sample.path) for sample in SAMPLES} == set(LANGUAGES)


@named
def test_a_note_is_about_the_innermost_symbol(desk: Desk, sample: Sample) -> None:
    desk.write(sample.path, sample.text)
    words = desk.words("add_comment", filePath=sample.path, line=sample.start + 2, text="x", tag="NOTE")
    assert f"anchored to the {sample.kind.lower()} '{sample.symbol[-1]}' and" in words
    (marker,) = desk.sidecar(sample.path)["ghostMarkers"]
    assert marker["astAnchor"] == {
        "symbolPath": sample.symbol,
        "symbolKind": sample.kind,
        "containerName": sample.symbol[-2] if len(sample.symbol) > 1 else None,
        "offset": 2,
    }
    assert f"Anchored to: {sample.symbol[-1]}()" in desk.words("get_file_comments", filePath=sample.path)


@named
def test_a_range_ends_where_its_function_ends(desk: Desk, sample: Sample) -> None:
    desk.write(sample.path, sample.text)
    note = {
        "id": "range",
        "line": sample.start,
        "startLine": sample.start,
        "endLine": sample.end,
        "text": "All of it",
        "author": "Ada",
        "created": "2025-10-19T09:57:09.438Z",
        "updated": "2025-10-19T09:57:09.438Z",
    }
    document = {"file": sample.path, "version": "2.1.0", "ghostMarkers": [], "comments": [note]}
    desk.write(f"{sample.path}.comments", json.dumps(document))
    (found,) = desk.show(sample.path)
    desk.run(
        "move_comment",
        sourceFile=sample.path,
        targetFile=sample.path,
        commentId=found["id"],
        targetLine=sample.start,
    )
    lines = sample.text.split("\n")
    # The function grows before its second line and is moved down by two.
    body = sample.start + (1 if lines[sample.start].strip() == "{" else 0)
    lines[body:body] = [sample.grown]
    first = 1 if lines[0].startswith(("<?php", "#!", "package")) else 0
    lines[first:first] = ["", ""]
    desk.write(sample.path, "\n".join(lines))
    (found,) = desk.show(sample.path)
    assert (found["line"], found["endLine"]) == (sample.start + 2, sample.end + 3)
    assert found["confidence"] == "high"


@named
def test_its_complexity_is_explained(desk: Desk, sample: Sample) -> None:
    desk.write(sample.path, sample.text)
    prompt = next(one for one in toolset.prompts if one.name == "explain_complexity")
    given = {"filePath": sample.path, "complexityThreshold": "3"}
    [message] = prompt.function(desk.room, validate_arguments(prompt.input, given, spelled=True))
    name, lines = ".".join(sample.symbol), f"{sample.start}-{sample.end}"
    title = f"{name} (lines {lines}, complexity 3; it branches at line "
    assert isinstance(message.content, str)
    assert title in message.content
    body = sample.text.split("\n")[sample.start - 1].strip()
    assert body in message.content
