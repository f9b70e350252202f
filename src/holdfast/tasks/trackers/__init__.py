"""Other trackers, and how tasks are kept in step with them.

- What is a tracker, whatever it is called there? `tracker`, and `service` (JSON over HTTP).
- How is one spoken to? `github`, `jira`, `linear`, `asana`, `trello`, `custom`.
- What is a task over there in our words? `foreign`, and `adapter` for the way there and back.
- Who wins where both sides changed? `three_way_merge`; `synchronisation` carries it out.
- What is remembered? `counterparts`: which item is which task, and what both agreed on.
- What do the tools do with it? `connection`, `github_actions`, `report`.
"""
