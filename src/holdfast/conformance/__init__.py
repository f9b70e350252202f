"""Tools, resources and prompts that the protocol's official test suite calls by name.

Hidden: offered only when a server is started with `--toolsets conformance`. They are declared like any
other, so that the suite exercises our own registry, dispatch, error mapping and transports.
"""

from holdfast.conformance import prompts, questions, resources, tools
from holdfast.conformance.toolset import conformance as toolset

__all__ = ["prompts", "questions", "resources", "tools", "toolset"]
