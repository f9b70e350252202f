"""Tools, resources and prompts that the protocol's official test suite calls by name.

Hidden: offered only when a server is started with `--toolsets conformance`. They are declared like any
other, so that the suite exercises our own registry, dispatch, error mapping and transports.

- `tools`: tools that answer, fail, report and tell of changes; `questions`: tools that ask the client first.
- `context`: resources to read and prompts to fill.
- `toolset`: the toolset, and what several of them show.
"""

from holdfast.conformance import context, questions, tools
from holdfast.conformance.toolset import conformance as toolset

__all__ = ["context", "questions", "tools", "toolset"]
