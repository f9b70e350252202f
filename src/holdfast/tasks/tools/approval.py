"""A person's word, where the workspace asks for it and the client can ask one."""

from __future__ import annotations

from holdfast.kernel.call import current_call
from holdfast.kernel.questions import Form
from holdfast.tasks.store.tasks import Tasks

_SCHEMA = {
    "type": "object",
    "properties": {"done": {"type": "boolean", "title": "The task is done"}},
    "required": ["done"],
}


def asked_for_approval(room: Tasks, task: str) -> bool:
    """Ask the person at the client whether a task is done, where the gate wants it and the client can."""
    call = current_call()
    if room.workspace().gate != "human" or not call.can_ask("elicitation"):
        return False
    name = room.get(task).id
    answer = call.ask({"done": Form(f"Is {name} done?", _SCHEMA)})["done"]
    return answer.get("action") == "accept" and bool(answer.get("content", {}).get("done"))
