"""What tests of commits and of their packs write with."""

from __future__ import annotations

from tests.storage.git.test_commits import writing, writing_in

__all__ = ["writing", "writing_in"]
