"""What the list of tools costs: its bytes as sent, and the tokens of the part that a model reads.

    python -m bench.tool_list [--check] [--save]

The list is that of `holdfast serve` without options. A model reads the names, descriptions and argument
schemas. Tokens are counted by two public tokenizers, which npm installs into the user's cache at the first
run; the newest models have others, so the larger count is the one with a bar.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench._results import Results, arguments
from holdfast.faces.mcp.catalogue import ProtocolCatalogue
from holdfast.faces.mcp.output_schemas import output_schema
from holdfast.faces.mcp.profiles import PROFILES
from holdfast.kernel.limits import LIMITS
from holdfast.toolsets import full_registry

MAX_BYTES = 60_000
MAX_TOKENS = 7_000
TOKENIZERS = ("@anthropic-ai/tokenizer@0.0.4", "gpt-tokenizer@3.4.0")
COUNT = """
import { readFileSync } from "node:fs";
import { countTokens } from "@anthropic-ai/tokenizer";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
const text = readFileSync(0, "utf8");
const counts = { "@anthropic-ai/tokenizer": countTokens(text), o200k_base: encode(text).length };
console.log(JSON.stringify(counts));
"""


def encoded(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def count_tokens(text: bytes) -> dict[str, int]:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "holdfast-bench" / "tokenizers"
    if not (folder / "count.mjs").exists():
        folder.mkdir(parents=True, exist_ok=True)
        npm = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run([*npm, *TOKENIZERS], check=True)
        (folder / "count.mjs").write_text(COUNT, encoding="utf-8")
    counted = subprocess.run(["node", folder / "count.mjs"], input=text, capture_output=True, check=True)
    counts: dict[str, int] = json.loads(counted.stdout)
    return counts


def main() -> None:
    options = arguments(__doc__)
    registry = full_registry()
    catalogue = ProtocolCatalogue(registry, PROFILES["everything"], LIMITS.list_page)
    listed = catalogue.tools(None)
    assert listed.next_cursor is None, "the list has more than one page"
    tools: list[dict[str, Any]] = [
        tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in listed.tools
    ]
    read_by_models = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in tools]
    complete = [
        output_schema(operation)
        for operation in registry.operations
        if operation.structured and any(tool["name"] == operation.listed_name for tool in tools)
    ]
    results = Results("bench.tool_list", f"{len(tools)} tools, as `holdfast serve` lists them")
    size = len(encoded(tools))
    rows = [
        ("the whole list", size),
        ("of it read by models", len(encoded(read_by_models))),
        ("of it schemas of results", sum(len(encoded(tool.get("outputSchema", ""))) for tool in tools)),
        ("schemas of results, complete", sum(len(encoded(schema)) for schema in complete)),
    ]
    results.table("bytes", ("part", "bytes"), rows)
    tokens = count_tokens(encoded(read_by_models))
    results.table("tokens", ("tokenizer", "tokens read by models"), list(tokens.items()))
    results.bar("list of tools, kB", size / 1000, MAX_BYTES / 1000)
    results.bar("list of tools, tokens a model reads", max(tokens.values()), MAX_TOKENS)
    sys.exit(results.finish(options))


if __name__ == "__main__":
    main()
