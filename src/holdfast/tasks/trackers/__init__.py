"""Two-way synchronisation of tasks with issue trackers.

- Trackers: `tracker` is the interface that `github`, `jira`, `linear`, `asana`, `trello` and `custom`
  implement; `settings` checks their settings, `service` sends their requests, `json_fields` reads the
  responses. `github_issues` maps GitHub's issues.
- Items, as the tasks of other programs are called: `foreign` is the model, `adapter` converts it to and from
  our tasks.
- Synchronisation: `three_way_merge` decides which side wins for each field, `synchronisation` applies that to
  both sides, `counterparts` stores which item corresponds to which task.
- Used by the tools: `connection`, `github_actions`, `report`.
"""
