"""Issue trackers, and how tasks are synchronised with them.

- The interface of every tracker: `tracker`, and `service` (JSON over HTTP).
- The trackers: `github`, `jira`, `linear`, `asana`, `trello`, `custom`.
- An item of a tracker as a task: `foreign`, and `adapter` for the conversion in both directions.
- Which side wins where both changed: `three_way_merge`; `synchronisation` carries it out.
- What is stored: `counterparts`: which item is which task, and the values both last agreed on.
- What the tools do with it: `connection`, `github_actions`, `report`.
"""
