"""The tools of the room, one module each.

A command imports the module of its own tool, `toolset` imports all. Only `holdfast.toolsets` does either.
"""

from __future__ import annotations

from holdfast.kernel.operation import Toolset


def __getattr__(name: str) -> Toolset:
    if name != "toolset":
        raise AttributeError(name)
    from holdfast.inbox import resources
    from holdfast.inbox.tools import (
        check_lazygit_messages,
        drain_messages,
        list_messages,
        reply_to_message,
        send_message,
        show_message,
    )
    from holdfast.inbox.toolset import inbox

    # Importing them declares what they hold.
    del (
        check_lazygit_messages,
        drain_messages,
        list_messages,
        reply_to_message,
        resources,
        send_message,
        show_message,
    )
    return inbox
