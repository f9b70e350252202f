"""Everything that the room offers: importing this package declares it.

Only `holdfast.toolsets` imports it.
"""

from __future__ import annotations

from holdfast.tasks import operations
from holdfast.tasks.tools import audit, github, import_tasks, remote_interface
from holdfast.tasks.toolset import tasks as toolset

# Importing them declares what they hold.
del audit, github, import_tasks, operations, remote_interface

__all__ = ("toolset",)
