"""The tools of the inbox, one module each: importing this package declares them, resources and prompts too.

Only `holdfast.toolsets` imports it.
"""

from __future__ import annotations

from holdfast.inbox import resources
from holdfast.inbox.tools import (
    check_lazygit_messages,
    drain_messages,
    list_messages,
    reply_to_message,
    send_message,
    show_message,
)
from holdfast.inbox.toolset import inbox as toolset

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

__all__ = ("toolset",)
