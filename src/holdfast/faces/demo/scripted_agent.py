"""The agent of `holdfast demo --live`: a script that answers remarks while somebody watches the page.

It receives and answers remarks by the same operations as any agent. What it changes and says about the remark
that waits at the start is in `tidepool.yaml`; to other remarks it says that it is a script.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from holdfast.faces.demo.project import read_plan, run_operation
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace

NAME = "scripted-agent"
_FIRST_SECONDS = 6.0
"""Before it looks for remarks. A judgement: the page is open by then, and shows that a remark waits."""
_POLL_SECONDS = 0.5
_WORK_SECONDS = 3.0
"""Between receiving a remark and answering it. A judgement: long enough to see that it is with the agent."""
_ANSWER = (
    "Your remark on {place} reached me right after you sent it. I am a script: an agent that you connect with"
    " 'holdfast install' would change the code now, and answer here."
)


@contextmanager
def scripted_agent(folder: Path) -> Iterator[None]:
    """Let a scripted agent answer the remarks of the sample project in `folder` meanwhile."""
    ended = threading.Event()
    thread = threading.Thread(target=_answer_remarks, args=(folder, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _answer_remarks(folder: Path, ended: threading.Event) -> None:
    edits = {edit["path"]: edit for edit in read_plan()["live"]}
    ended.wait(_FIRST_SECONDS)
    workspace = Workspace.discover(folder)
    with closing(workspace), closing(Dispatcher(full_registry(), workspace.room)) as dispatcher:
        tree = Tree(workspace.repository)
        while not ended.wait(_POLL_SECONDS):
            for message in run_operation(dispatcher, NAME, "check_lazygit_messages", {}).messages:
                if ended.wait(_WORK_SECONDS):
                    return
                text = _act_on(tree, message, edits)
                run_operation(dispatcher, NAME, "reply_to_message", {"message_id": message.id, "text": text})


def _act_on(tree: Tree, message: Any, edits: dict[str, Any]) -> str:
    """Make the change that the plan has for the file of a remark, once, and return what to answer."""
    edit = edits.pop(message.file, None)
    if edit is None:
        return _ANSWER.format(place=f"{message.file}:{message.line}" if message.line else message.file)
    path = RepoPath.parse(edit["path"])
    text = tree.read_bytes(path, LIMITS.diff_file_bytes)
    tree.write(path, text.replace(edit["old"].encode(), edit["new"].encode()))
    return str(edit["answer"])
