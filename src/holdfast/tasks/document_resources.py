"""Resources with the texts of a workspace: its rules, its status, and its project documents."""

from __future__ import annotations

from holdfast.kernel.content import ContentAnnotations
from holdfast.kernel.errors import UnknownResource
from holdfast.kernel.resource import ResourceBody
from holdfast.tasks.resources import TOPIC, complete_from, list_workspace_resource, served_workspace
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.texts import documents, rules
from holdfast.tasks.toolset import tasks
from holdfast.tasks.view.overview import EVERYTHING, overview
from holdfast.tasks.view.resource_text import JSON, json_body, markdown_body

MARKDOWN = "text/markdown"
_RULES_FOR_AGENTS = ContentAnnotations(audience=("assistant",), priority=0.8)
_DOCUMENT_NAMES = [name.removesuffix(".md") for name in documents.PATHS]


@tasks.resource(
    "taskpilot://workspace/{workspace_id}/rules",
    name="Rules of a workspace",
    title="📝 Rules",
    description="The active rules of one workspace, its own before the standard ones",
    mime_type=MARKDOWN,
    topic="tasks/:rules",
    list_topic="tasks/*",
    annotations=_RULES_FOR_AGENTS,
    members=list_workspace_resource(
        "rules",
        name="Rules",
        description="The active rules of this workspace",
        mime_type=MARKDOWN,
        title="📝 Rules",
    ),
    specified=True,
)
@tasks.resource(
    "taskpilot://workspace/current/rules",
    name="Workspace Rules",
    title="📝 Project Rules & Guidelines",
    description="Project-specific coding standards and rules",
    mime_type=MARKDOWN,
    topic="tasks/:rules",
    annotations=_RULES_FOR_AGENTS,
    specified=True,
)
def workspace_rules(room: Tasks, workspace_id: str = "current") -> ResourceBody:
    """Return the active rules as one document."""
    with room.reading() as transaction:
        served_workspace(transaction, workspace_id)
    return markdown_body(rules.markdown(room), name="Workspace Rules", title="📝 Project Rules & Guidelines")


@tasks.resource(
    "taskpilot://workspace/{workspace_id}/status",
    name="Status of a workspace",
    title="📈 Status",
    description="Counts, velocity, ready, stale and blocked tasks, active agents",
    mime_type=JSON,
    topic=TOPIC,
    members=list_workspace_resource(
        "status", name="Status", description="The status of this workspace", mime_type=JSON, title="📈 Status"
    ),
    specified=True,
)
def workspace_status(room: Tasks, workspace_id: str) -> ResourceBody:
    """Return the status of a workspace, as `taskpilot_status` does with everything included."""
    with room.reading() as transaction:
        served_workspace(transaction, workspace_id)
    return json_body(overview(room, EVERYTHING, detailed=True).wire(), name="Status")


@tasks.resource(
    "taskpilot://workspace/{workspace_id}/{document}.md",
    name="Project document",
    title="📄 Project document",
    description="project.md or design.md, as written by `taskpilot_update_resources`",
    mime_type=MARKDOWN,
    topic="tasks/:documents",
    complete={"document": complete_from(_DOCUMENT_NAMES)},
)
def project_document(room: Tasks, workspace_id: str, document: str) -> ResourceBody:
    """Return one of the project documents."""
    with room.reading() as transaction:
        served_workspace(transaction, workspace_id)
    for name in documents.PATHS:
        if name == f"{document}.md" and (text := documents.read_document(room, name)) is not None:
            return markdown_body(text, name=name)
    raise UnknownResource(
        "Resource not found: there is no such document.",
        hint="`taskpilot_update_resources` writes project.md and design.md.",
    )
