"""A generated table of all commands, with which one can be listed, found and loaded without loading the others.

Importing every tool takes several times as long as most commands run. So a command looks itself up here and imports
only the module of its own tool. `python -m holdfast.faces.docs --write` generates the table from the declarations,
`--check` compares them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from holdfast.kernel.registry import Registry


class CatalogueCommand(NamedTuple):
    """The command of an operation."""

    command: str
    operation: str
    module: str
    """The module that declares the operation, relative to the package."""
    summary: str
    shortcut: str | None = None


class CatalogueToolset(NamedTuple):
    """A toolset and its commands, in the order of the list."""

    name: str
    summary: str
    commands: tuple[CatalogueCommand, ...]
    hidden: bool = False


def catalogue_of(registry: Registry) -> tuple[CatalogueToolset, ...]:
    """Return the commands of a registry."""
    return tuple(
        CatalogueToolset(
            toolset.name, toolset.summary, tuple(_commands(registry, toolset.name)), hidden=toolset.hidden
        )
        for toolset in registry.toolsets
    )


def _commands(registry: Registry, toolset: str) -> list[CatalogueCommand]:
    from holdfast.faces.cli.arguments import name_commands

    names = {item.listed_name: f"holdfast {item.toolset} {item.command}" for item in registry.operations}
    listed = [operation for operation in registry.operations if operation.toolset == toolset]
    return [
        CatalogueCommand(
            item.command,
            item.name,
            item.function.__module__.removeprefix("holdfast."),
            name_commands(item.summary, names),
            item.shortcut,
        )
        for item in sorted(listed, key=lambda item: item.command)
    ]


_command = CatalogueCommand
_toolset = CatalogueToolset

# fmt: off
# ruff: noqa: E501
# The table begins here.
CATALOGUE: tuple[CatalogueToolset, ...] = (
    _toolset('comments', 'Notes on lines of code that follow the code when it changes, stored beside it in `<source>.comments`.', (
        _command('add', 'add_comment', 'comments.tools.add_comment', 'Add a comment to a line of a source file; it follows the code when the code changes.', None),
        _command('blame', 'blame_file', 'comments.tools.blame_file', 'Show a source file with the comments on each line beside it.', None),
        _command('confirm-memory', 'confirm_memory', 'comments.tools.confirm_memory', 'Confirm that a memory still holds, after you have checked it against the code.', None),
        _command('correct-memory', 'correct_memory', 'comments.tools.correct_memory', 'Replace the text of a memory that no longer holds.', None),
        _command('delete', 'delete_comment', 'comments.tools.delete_comment', 'Delete a comment and the marker that anchors it to its line.', None),
        _command('edit', 'edit_comment', 'comments.tools.edit_comment', 'Replace the text of a comment. Its tag, author and place stay as they are.', None),
        _command('export', 'write_comments', 'comments.tools.write_comments', 'Write all comments to a file: JSON, Markdown, AI training data (JSON lines) or Parquet.', None),
        _command('export-answer', 'export_comments', 'comments.tools.export_comments', 'Export comments as JSON, Markdown, AI training data (JSON lines) or Parquet.', None),
        _command('list', 'list_comments', 'comments.tools.list_comments', 'List comments by file and line, with filters.', None),
        _command('merge', 'merge_sidecars', 'comments.tools.merge_sidecars', "Merge two versions of a comment file, as git's merge driver; `holdfast install git` sets it up.", None),
        _command('move', 'move_comment', 'comments.tools.move_comment', 'Move a comment to another line of the same or another file; it keeps its id and its dates.', None),
        _command('orphans', 'list_orphans', 'comments.tools.list_orphans', 'List comments whose code is gone or uncertain, with the code as it was and where it may be now.', None),
        _command('re-anchor', 'reanchor_comments', 'comments.tools.reanchor_comments', 'Find the code of every comment in the current files and write its new line to the sidecar.', None),
        _command('recall', 'recall', 'comments.tools.recall', 'Recall what we know: memories by words, about a file or folder, for a task, or for this session.', 'recall'),
        _command('remember', 'remember', 'comments.tools.remember', 'Remember a fact about a symbol, some lines, a file, a folder or the whole repository.', 'remember'),
        _command('reply', 'reply_to_comment', 'comments.tools.reply_to_comment', 'Reply to a comment; the reply is shown with it, also in the editor.', None),
        _command('resolve', 'resolve_comment', 'comments.tools.resolve_comment', 'Mark a comment as resolved, as not to be acted on, or as open again. It stays in the file.', None),
        _command('retire-memory', 'retire_memory', 'comments.tools.retire_memory', 'Retire a memory that is no longer of use. It is kept, with the reason.', None),
        _command('search', 'search_comments', 'comments.tools.search_comments', 'Search the text of all comments in the workspace, with optional filters.', None),
        _command('show', 'get_file_comments', 'comments.tools.get_file_comments', 'Retrieve all comments of a file, each on the line where its code is now.', None),
    ), hidden=False),
    _toolset('inbox', 'Review remarks that people leave in lazygit, an editor or a shell for an agent to act on.', (
        _command('apply', 'apply_suggestion', 'inbox.tools.apply_suggestion', 'Put the lines that a message suggests in place of those it is about, in the work tree.', None),
        _command('check', 'check_lazygit_messages', 'inbox.tools.check_lazygit_messages', 'Check for new messages from lazygit: review remarks a person left about files of this repository.', None),
        _command('drain', 'drain_messages', 'inbox.tools.drain_messages', 'Print the waiting messages within a size bound, or nothing at all if none is waiting.', None),
        _command('list', 'list_messages', 'inbox.tools.list_messages', 'List messages in the order they arrived, including delivered ones. Listing delivers nothing.', None),
        _command('reply', 'reply_to_message', 'inbox.tools.reply_to_message', 'Reply to a message; the person who sent it reads the reply with `holdfast inbox show`.', None),
        _command('send', 'send_message', 'inbox.tools.send_message', 'Leave a review remark about a file for the agent that works on this repository.', 'send'),
        _command('show', 'show_message', 'inbox.tools.show_message', 'Show a message in full, with all its replies. An unambiguous prefix of its id is enough.', None),
        _command('withdraw', 'withdraw_message', 'inbox.tools.withdraw_message', 'Withdraw a message before an agent gets it. It stays in the history, and is not delivered.', None),
    ), hidden=False),
    _toolset('milestones', "Milestones and issues that live in the repository's own git refs and travel with push and fetch.", (
        _command('assign', 'git_mile.assign', 'milestones.tools.assign', 'Assign it to somebody, to yourself by default, or to nobody.', None),
        _command('claim', 'git_mile.claim', 'milestones.tools.claim', 'Claim what you are going to work on, so that others take something else; claim again to extend it.', None),
        _command('close', 'git_mile.close', 'milestones.tools.close', 'Close a milestone or an issue; it can be opened again.', None),
        _command('comment', 'git_mile.comment', 'milestones.tools.comment', 'Comment on a milestone or issue, or edit an earlier comment.', None),
        _command('create', 'git_mile.create', 'milestones.tools.create', 'Create a milestone or issue with its labels, milestone and first comment in one step.', None),
        _command('delete-comment', 'git_mile.delete_comment', 'milestones.tools.delete_comment', 'Delete a comment in every clone. Its body stays in the history of the log.', None),
        _command('edit', 'git_mile.edit', 'milestones.tools.edit', 'Change the title, description or due day. The fields are then no longer contested.', None),
        _command('export', 'git_mile.export', 'milestones.tools.export', 'Export everything: as operations, which can be imported without loss, or as readable JSON.', None),
        _command('import', 'git_mile.import', 'milestones.tools.import_', "Import Holdfast's own export, GitHub issues, or beads' issues.jsonl.", None),
        _command('init', 'git_mile.init', 'milestones.tools.init', 'Make plain `git fetch` fetch milestones and issues too. Not needed for `git mile sync`.', None),
        _command('label', 'git_mile.label', 'milestones.tools.label', 'Add and remove labels. An addition in another clone wins over a concurrent removal here.', None),
        _command('link', 'git_mile.link', 'milestones.tools.link', "Set an issue's milestone, dependencies and links, or remove them.", None),
        _command('list', 'git_mile.list', 'milestones.tools.list', 'List milestones or issues of this repository, a page at a time, most recently updated first.', None),
        _command('log', 'git_mile.log', 'milestones.tools.log', 'Show who did what to a milestone or issue, newest first; without an id, to all of them.', None),
        _command('open', 'git_mile.open', 'milestones.tools.open', 'Open a draft, or reopen what was closed.', None),
        _command('overview', 'git_mile.overview', 'milestones.tools.overview', 'List what `holdfast milestones list` lists, each with its assignee, due day, milestone, claim and progress.', None),
        _command('ready', 'git_mile.ready', 'milestones.tools.ready', 'Find open issues that are neither claimed nor blocked, earliest due first, then oldest first.', None),
        _command('release', 'git_mile.release', 'milestones.tools.release', 'Give up a claim before it ends, so that others can take over.', None),
        _command('show', 'git_mile.show', 'milestones.tools.show', 'Show a complete milestone or issue: description, labels, comments and all other fields.', None),
        _command('sync', 'git_mile.sync', 'milestones.tools.sync', 'Fetch milestones and issues from a remote, merge them with those here, and push the result.', None),
        _command('vocabulary', 'git_mile.vocabulary', 'milestones.tools.vocabulary', 'List the fields, operators and values of filters, and the sort keys of lists.', None),
    ), hidden=False),
    _toolset('tasks', 'Tasks that several agents and people share: dependencies, claims that expire, and proof before done.', (
        _command('add', 'taskpilot_add', 'tasks.tools.add', 'Add a task, or several that may depend on each other.', None),
        _command('approve', 'taskpilot_approve', 'tasks.tools.update', 'Approve, as a person, that a task in review is done. Servers never offer this to programs.', None),
        _command('attach', 'taskpilot_attach', 'tasks.tools.attach', 'Attach a picture, a voice note or another small file to a task.', None),
        _command('attachment', 'taskpilot_attachment', 'tasks.tools.attach', 'Show an attachment of a task: the picture, audio or text, or a link if it is larger.', None),
        _command('audit', 'taskpilot_audit', 'tasks.tools.audit', 'Find inconsistencies: tasks done without proof, stale claims, missing files, dropped dependencies.', None),
        _command('board', 'taskpilot_board', 'tasks.tools.list_tasks', 'Show tasks as cards of a board, with what each lacks to be done, and the allowed transitions.', None),
        _command('chart', 'taskpilot_chart', 'tasks.tools.chart', 'Draw the tasks by status, the open tasks by day, or the dependency graph.', None),
        _command('claim', 'taskpilot_claim', 'tasks.tools.claim', 'Claim a task so that no one else takes it, renew or release the claim, or hand the task over.', None),
        _command('create-task', 'taskpilot_create_task', 'tasks.tools.add', 'Create one task and return it. `holdfast tasks add` does the same for several at once.', None),
        _command('document', 'taskpilot_update_resources', 'tasks.tools.update_resources', 'Write project.md or design.md in .task, which tell people and agents what the project is about.', None),
        _command('done', 'taskpilot_done', 'tasks.tools.update', "Mark a task as done, if it meets the workspace's done gate.", None),
        _command('events', 'taskpilot_events', 'tasks.tools.status', 'Show who did what, newest first: for all tasks, one task, tasks about a file, or one agent.', None),
        _command('export', 'taskpilot_export', 'tasks.tools.export', 'Write all tasks with their history as lines of JSON; the output is reproducible.', None),
        _command('flow', 'taskpilot_update_flow', 'tasks.tools.flows', "Copy a shipped flow into the workspace, to change its step, or delete the workspace's own.", None),
        _command('flows', 'taskpilot_flows', 'tasks.tools.flows', 'Show for each tool the step that follows it and the next tool, as shipped and as changed here.', None),
        _command('focus', 'taskpilot_focus', 'tasks.tools.focus', 'Begin a task: claim it, and get everything known about it and its files in one result.', None),
        _command('from', 'taskpilot_from', 'tasks.tools.task_from', 'Create a task from a review message, a code comment or an issue, linked to its source.', None),
        _command('github', 'taskpilot_github', 'tasks.tools.remote_interface', 'Synchronise tasks with GitHub issues, create issues and pull requests, follow a pull request.', None),
        _command('graph', 'taskpilot_graph', 'tasks.tools.chart', 'Return which task waits for which, open tasks with dependencies first.', None),
        _command('health', 'taskpilot_health', 'tasks.tools.workspaces', 'Check that the task store responds to a query.', None),
        _command('import', 'taskpilot_import', 'tasks.tools.import_tasks', "Import a Markdown check list, a Backlog.md folder, or task-master's JSON.", None),
        _command('init', 'taskpilot_init', 'tasks.tools.init', 'Initialize a TaskPilot workspace with .task folder structure and configuration.', None),
        _command('join', 'taskpilot_join', 'tasks.tools.init', 'Let this clone use the workspace of a shared database that it names. Servers never offer this.', None),
        _command('list', 'taskpilot_list', 'tasks.tools.list_tasks', 'Find tasks by state, readiness, holder, label, file or text, a page at a time.', None),
        _command('list-rules', 'taskpilot_rules', 'tasks.tools.rule_update', 'List the active rules. `holdfast tasks rules` lists them too, but needs permission to write.', None),
        _command('next', 'taskpilot_next', 'tasks.tools.claim', 'Claim the task that should be done next, as `claim next` does.', None),
        _command('prompt', 'taskpilot_generate_prompt', 'tasks.tools.generate_prompt', 'Generate a prompt for an operation: the same text as the prompt of that name, filled with task data.', None),
        _command('remote', 'taskpilot_remote_interface', 'tasks.tools.remote_interface', 'Connect GitHub, Jira, Linear, Asana, Trello or another tracker, and synchronise tasks with it.', None),
        _command('restore', 'taskpilot_restore', 'tasks.tools.export', 'Restore what `export` wrote, from SQLite into PostgreSQL or back, or from another clone.', None),
        _command('rules', 'taskpilot_rule_update', 'tasks.tools.rule_update', 'Maintain the rules of the workspace: files in .task/rules that every agent reads when it starts.', None),
        _command('show', 'taskpilot_show', 'tasks.tools.list_tasks', 'Show one task with all its details, without claiming it.', None),
        _command('start', 'taskpilot_start', 'tasks.tools.start', 'Begin work: open a session, and see which tasks you hold, which are ready, and where the rules are.', None),
        _command('status', 'taskpilot_status', 'tasks.tools.status', 'Show the status of the workspace: counts, velocity, ready, stale and blocked tasks, bottlenecks.', None),
        _command('step', 'taskpilot_update_steps', 'tasks.tools.steps', 'Override the text of a step for this workspace, or restore the shipped text.', None),
        _command('steps', 'taskpilot_steps', 'tasks.tools.steps', 'Show the texts of the workflow steps, as shipped and as changed by this workspace.', None),
        _command('update', 'taskpilot_update', 'tasks.tools.update', 'Change a task: its text, state, lists, criteria and evidence.', None),
        _command('workspaces', 'taskpilot_workspaces', 'tasks.tools.workspaces', 'List the workspaces of the database, each with its activity and number of tasks.', None),
    ), hidden=False),
    _toolset('templates', "Files of a new project, generated from templates: built-in ones, your own and the repository's.", (
        _command('generate', 'generate_template', 'templates.tools.generate_template', 'Generate the text of one file from a template and its parameters.', None),
        _command('list', 'list_templates', 'templates.tools.list_templates', 'List templates with their parameters.', None),
        _command('scaffold', 'scaffold_project', 'templates.tools.scaffold_project', 'Generate several files of one toolchain from shared parameters; `all` gives a project that builds.', None),
        _command('search', 'search_templates', 'templates.tools.search_templates', 'Search templates by name, description and parameters; best first, with what matched.', None),
        _command('validate', 'validate_template', 'templates.tools.validate_template', 'Check parameters for a template without generating anything, and report every problem.', None),
        _command('write', 'write_scaffold', 'templates.tools.write_scaffold', 'Generate a project and, with --write, write it to a directory.', 'scaffold'),
    ), hidden=False),
    _toolset('analyze', 'Measured facts about the code: complexity, churn, debt, dead code, dependencies.', (
        _command('churn', 'analyze_code_churn', 'analysis.tools.analyze_code_churn', 'Analyze git history for code churn: which files changed most in a period, how much, and by whom.', None),
        _command('complexity', 'analyze_complexity', 'analysis.tools.analyze_complexity', 'Analyze code complexity: cyclomatic and cognitive complexity, Halstead effort, maintainability.', None),
        _command('comprehensive', 'analyze_comprehensive', 'analysis.tools.analyze_comprehensive', 'Combine duplicates, dead code, defect prediction, complexity and technical debt gradient of a project.', None),
        _command('context', 'analyze_deep_context', 'analysis.tools.analyze_deep_context', 'Combine all analyses of a project: scorecard, files to improve, recommendations, annotated file tree.', None),
        _command('dead-code', 'analyze_dead_code', 'analysis.tools.analyze_dead_code', 'Find functions, methods, classes, variables, imports and statements that nothing uses.', None),
        _command('debt', 'analyze_debt', 'analysis.tools.analyze_debt', 'List self-admitted technical debt: TODO, FIXME and the like, and comments that read like debt.', None),
        _command('defects', 'analyze_defect_probability', 'analysis.tools.analyze_defect_probability', 'Predict which files are likely to need a fix within a year, with probability, confidence and reasons.', None),
        _command('duplicates', 'analyze_duplicates', 'analysis.tools.analyze_duplicates', 'Find code that occurs more than once: copied, renamed, changed in places, or similar in structure.', None),
        _command('files', 'measure_files', 'analysis.tools.measure_files', 'Measure each file: lines, complexity, churn, hot spots, debt; or duplication, defects, coverage.', None),
        _command('gate', 'quality_gate', 'analysis.tools.quality_gate', 'Check code against thresholds: complexity, duplication, coverage, defects, debt, dead code.', None),
        _command('graph', 'analyze_dependency_graph', 'analysis.tools.analyze_dependency_graph', 'Show dependencies: calls between functions, imports between files, base types.', None),
        _command('graph-metrics', 'analyze_graph_metrics', 'analysis.tools.analyze_graph_metrics', 'Measure the dependency graph: centrality, PageRank, clustering, communities, components.', None),
        _command('heat', 'analyze_function_heat', 'analysis.tools.analyze_function_heat', 'Show which functions are complex and change often, function by function.', None),
        _command('names', 'analyze_name_similarity', 'analysis.tools.analyze_name_similarity', 'Find the names of a project that are similar to a given one, by meaning, by letters and by sound.', None),
        _command('picture', 'draw_dependency_graph', 'analysis.tools.draw_dependency_graph', 'Draw the imports between files as SVG, in layers, and list the cycles.', None),
        _command('record-trend', 'record_trend', 'analysis.tools.record_trend', 'Record the headline numbers of a project at the last commit, for `holdfast analyze trend`.', None),
        _command('trend', 'analyze_trend', 'analysis.tools.analyze_trend', 'Show how the headline numbers of a project changed from commit to commit, along the first parents.', None),
    ), hidden=False),
    _toolset('source', 'The source itself: folders, files and their lines.', (
        _command('blame', 'read_blame', 'source.tools.read_blame', 'Show who last changed each line of a file, when, and in which commit.', None),
        _command('diff', 'read_diff', 'source.tools.read_diff', 'Show which files differ, or the lines of one file, with changed words and moved blocks marked.', None),
        _command('find', 'find_files', 'source.tools.find_files', 'Find files and symbols by letters of their names, in order: `wrktree` finds `work_tree.py`.', None),
        _command('history', 'read_history', 'source.tools.read_history', 'Show the commits that changed a file, or some of its lines such as those of a function, newest first.', None),
        _command('image', 'read_image', 'source.tools.read_image', 'Show an image of the repository.', None),
        _command('list', 'list_files', 'source.tools.list_files', 'List the folders and files of one folder that git tracks or would add.', None),
        _command('read', 'read_source', 'source.tools.read_source', 'Read lines of a file, highlighted on request.', None),
    ), hidden=False),
    _toolset('stores', 'The stores themselves: checks them for damage, counts and measures them.', (
        _command('check', 'check_stores', 'doctor', 'Check every store and report damage, leftovers and risks.', 'doctor'),
        _command('stats', 'measure_stores', 'stats', 'Count what every room has stored, and measure its size on disk.', 'stats'),
    ), hidden=False),
    _toolset('tools', 'The tools themselves: searches all of them, with their arguments.', (
        _command('find', 'find_tools', 'tool_search', 'Find tools that are not listed, by words for what you want to do.', None),
    ), hidden=False),
)
