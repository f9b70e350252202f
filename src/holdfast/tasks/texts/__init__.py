"""The texts of a workspace that people and agents write: rules, documents, and texts of workflow steps.

- `rules` and `documents` read and write files in `.task/`; `rule_detection` finds rules in feedback.
- `shipped_steps` has the built-in texts of the steps, which the prompts use; `step_texts` stores the
  workspace's own texts, which override them.
- `flows` defines which step and which tool follow a tool.
"""
