"""`taskpilot_rule_update` and `taskpilot_rules`: list and change rules, and detect them in feedback."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from holdfast.kernel.errors import InvalidArguments, InvalidCursor, NotFound
from holdfast.kernel.operation import Effect
from holdfast.kernel.paging import decode_cursor, encode_cursor
from holdfast.kernel.route import Address
from holdfast.kernel.text import one_line, shorten
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.caller import identify_caller
from holdfast.tasks.models import InSession, Reported, Result, ShortText, Stored
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.texts import rules
from holdfast.tasks.texts.rule_detection import DetectedOut, detect_rules
from holdfast.tasks.texts.rules import Rule, RuleType
from holdfast.tasks.toolset import PLANNING, tasks
from holdfast.tasks.view.budget import fit_items
from holdfast.tasks.view.results import workspace_ref

_MAX_RULE_CHARACTERS = 1000
"""A judgement: a rule is a few sentences."""
_MAX_PAGE_BYTES = 7000
"""A judgement: a page leaves some of the default budget (`view/budget.py`) for the rest of the result."""
_MAX_DETECTED_SHOWN = 20
"""A judgement: more rules than one message contains."""
_MAX_FEEDBACK_CHARACTERS = 20_000
"""A judgement: one very long message."""
_MAX_LINE_CHARACTERS = 200
"""Rules in the text of a result are cut to this. A judgement: one or two lines of a wide terminal."""
_LIST_HINT = "The action `list` shows the rules and their ids."


class UpdateRules(InSession):
    """An action on rules."""

    action: Literal["add", "update", "remove", "list", "detect"] = Field(
        default="list", description="What to do; `detect` only finds rules in `rule_content`."
    )
    rule_type: RuleType | None = Field(default=None, description="Subject of the rule, or of those to list.")
    rule_content: Stored | None = Field(
        default=None,
        max_length=_MAX_FEEDBACK_CHARACTERS,
        description="The rule, or feedback to search for rules.",
    )
    rule_id: ShortText | None = Field(default=None, description="Which rule to update or remove.")
    cursor: str | None = Field(default=None, max_length=1000, description="Cursor of the page before.")


class RuleOut(Result):
    """One rule."""

    id: str
    type: RuleType
    scope: rules.Scope
    text: UntrustedText


class RulesResult(Reported):
    """The changed, listed or detected rules."""

    rules: list[RuleOut] = Field(description="The rule that changed, or all that were requested.")
    total: int = Field(description="Number of active rules.")
    detected: list[DetectedOut] | None = None
    next_cursor: str | None = Field(default=None, description="Pass it as `cursor` for more rules.")
    truncated: bool | None = Field(default=None, description="Set if not all of them are shown.")


def _text(result: RulesResult) -> str:
    lines = [
        f"{item.id}  [{item.scope}, {item.type}]"
        f"  {shorten(one_line(item.text), _MAX_LINE_CHARACTERS, tidy=True)}"
        for item in result.rules
    ]
    lines += [
        f"Detected ({item.confidence:.2f}, {item.type}): {one_line(item.text)}"
        for item in result.detected or ()
    ]
    if result.next_cursor is not None:
        lines.append(f"{result.total} in all; more with the cursor {result.next_cursor}")
    return "\n".join(lines) or "No rules."


@tasks.operation(
    "taskpilot_rule_update",
    title="Update rules",
    effect=Effect.WRITE,
    listed=False,
    command="rules",
    positional=("action",),
    example='holdfast tasks rules add --rule-type testing --rule-content "Run the tests before you commit."',
    specified=True,
    idempotent=True,
    text=_text,
    annotations=PLANNING,
    addresses=(Address("POST", "workspaces/{workspace_path}/rules"),),
)
def rule_update(room: Tasks, arguments: UpdateRules) -> RulesResult:
    """Maintain the rules of the workspace: files in .task/rules that every agent reads when it starts."""
    who = identify_caller(room, arguments)
    if arguments.action == "detect":
        return _result(room, [], detected=detect_rules(_required_content(arguments))[:_MAX_DETECTED_SHOWN])
    if arguments.action == "list":
        return _rules_page(room, arguments.rule_type, arguments.cursor)
    changed = _change_rule(room, arguments, who.actor)
    return _result(room, [rule_out(changed, changed.text)])


class ListRules(InSession):
    """A filter for rules, and a page."""

    rule_type: RuleType | None = Field(default=None, description="Only rules about this.")
    cursor: str | None = Field(default=None, max_length=1000, description="Cursor of the page before.")


@tasks.operation(
    "taskpilot_rules",
    title="List rules",
    effect=Effect.READ,
    command="list-rules",
    example="holdfast tasks list-rules --rule-type testing",
    text=_text,
    annotations=PLANNING,
    listed=False,
    addresses=(Address("GET", "workspaces/{workspace_path}/rules"),),
)
def list_rules(room: Tasks, arguments: ListRules) -> RulesResult:
    """List the active rules. `taskpilot_rule_update` lists them too, but needs permission to write."""
    identify_caller(room, arguments)
    return _rules_page(room, arguments.rule_type, arguments.cursor)


def _rules_page(room: Tasks, rule_type: RuleType | None, cursor: str | None) -> RulesResult:
    following = [rule for rule in rules.active_rules(room) if rule_type in (None, rule.type)]
    query = f"rules {rule_type}"
    if cursor is not None:
        last_shown = decode_cursor(query, cursor)
        ids = [rule.id for rule in following]
        if last_shown not in ids:
            raise InvalidCursor("The cursor's rule no longer exists.", hint="Start again without a cursor.")
        following = following[ids.index(last_shown) + 1 :]
    shown = fit_items([rule_out(rule, rule.text) for rule in following], _MAX_PAGE_BYTES)
    if len(shown) == len(following):
        return _result(room, shown)
    return _result(room, shown, truncated=True, next_cursor=encode_cursor(query, shown[-1].id))


def rule_out(rule: Rule, text: str) -> RuleOut:
    """Return a rule as results show it, with its whole or a shortened text."""
    return RuleOut(id=rule.id, type=rule.type, scope=rule.scope, text=text)


def _change_rule(room: Tasks, arguments: UpdateRules, actor: str) -> Rule:
    """Add, remove or reword a rule, and return it."""
    if arguments.action == "add":
        rule = Rule(arguments.rule_type or "custom", _rule_text(arguments), "workspace")
        return rules.add(room, rule, source=actor)
    if arguments.action == "remove":
        return rules.remove(room, arguments.rule_id or _find_rule_id(room, arguments), source=actor)
    if arguments.rule_id is None:
        raise InvalidArguments("`update` needs `rule_id`.", hint=_LIST_HINT)
    return rules.replace(room, arguments.rule_id, _rule_text(arguments), source=actor)


def _find_rule_id(room: Tasks, arguments: UpdateRules) -> str:
    """Return the id of the rule with the text in `rule_content`."""
    if not arguments.rule_content:
        raise InvalidArguments("`remove` needs `rule_id`, or the rule in `rule_content`.", hint=_LIST_HINT)
    text = _rule_text(arguments)
    for rule in rules.active_rules(room):
        if _normalise(rule.text) == _normalise(text):
            return rule.id
    raise NotFound(f'There is no rule "{shorten(text, _MAX_LINE_CHARACTERS)}".', hint=_LIST_HINT)


def _normalise(text: str) -> str:
    return text.casefold().rstrip(".")


def _result(room: Tasks, shown: list[RuleOut], **more: Any) -> RulesResult:
    return RulesResult(
        operation="rule_update",
        workspace=workspace_ref(room.workspace()),
        rules=shown,
        total=len(rules.active_rules(room)),
        **more,
    )


def _required_content(arguments: UpdateRules) -> str:
    content = arguments.rule_content or ""
    if not content.strip():
        raise InvalidArguments(f"`{arguments.action}` needs `rule_content`.", hint="Write the rule there.")
    return content


def _rule_text(arguments: UpdateRules) -> str:
    """Return the text of the rule in `rule_content`, on one line."""
    text = " ".join(_required_content(arguments).split())
    if len(text) > _MAX_RULE_CHARACTERS:
        raise InvalidArguments(
            f"A rule has at most {_MAX_RULE_CHARACTERS} characters.",
            hint="Shorten it, or split it into several.",
        )
    return text
