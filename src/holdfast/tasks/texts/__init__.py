"""Texts of a workspace: `rules` and `documents` are files in `.task/`, `step_texts` overrides prompts.

`shipped_steps` has the built-in prompt texts, `flows` the order of tools and steps.
"""
