"""`taskpilot_rule_update` and `taskpilot_rules`: change and list rules, and detect them in feedback."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import Field

from holdfast.kernel.errors import InvalidArguments, InvalidCursor, NotFound
from holdfast.kernel.operation import Effect
from holdfast.kernel.paging import decode_cursor, encode_cursor
from holdfast.kernel.route import Address
from holdfast.kernel.text import one_line, shorten
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.models import InSession, Reported, Result, ShortText, Stored
from holdfast.tasks.store.session import identify_caller
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.texts import rules
from holdfast.tasks.texts.rules import Rule, RuleType, is_similar
from holdfast.tasks.toolset import PLANNING, tasks
from holdfast.tasks.view.budget import fit_items
from holdfast.tasks.view.results import workspace_ref

MIN_CONFIDENCE = 0.3
"""A sentence with less confidence is not reported. A judgement: any indicator is enough, except a hedged
`should` (0.25)."""

_INDICATORS: tuple[tuple[re.Pattern[str], float], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), weight)
    for pattern, weight in (
        (r"\bnever\b", 0.9),
        (r"\balways\b", 0.9),
        (r"\bmust( not)?\b", 0.8),
        (r"\bremember( to| that)?\b", 0.7),
        (r"\b(don't|do not|dont)\b", 0.7),
        (r"\bavoid\b", 0.7),
        (r"\buse\b.+\binstead\b", 0.7),
        (r"\bprefer\b", 0.6),
        (r"\bshould(n't| not)?\b", 0.5),
        (r"\bfrom now on\b", 0.8),
    )
)
"""Words that indicate a rule, each with the confidence it gives. A judgement: absolute words weigh most."""
_EXTRA_INDICATOR_WEIGHT = 0.05
"""Confidence that each further indicator adds. A judgement: several weak ones do not equal a strong one."""
_HEDGES = re.compile(r"\b(maybe|perhaps|might|not sure|i think|could)\b|\?\s*$", re.IGNORECASE)
_TOPIC_WORDS: tuple[tuple[RuleType, str], ...] = (
    ("testing", "tests?|testing|coverage|assert|mocks?|fixtures?|pytest"),
    ("git", "commits?|branch(es)?|git|merge|rebase|push|pull requests?"),
    ("security", "passwords?|secrets?|tokens?|keys?|credentials?|security|injection|sanitiz\\w+"),
    ("performance", "performance|slow|fast|cache|memory|latency|queries|n\\+1"),
    ("coding", "functions?|class(es)?|types?|names?|naming|style|imports?|comments?|code|variables?|any"),
)
"""For each rule type, the words from which it is guessed; the first type with a word in the rule applies."""
_TOPICS = tuple((kind, re.compile(rf"\b({words})\b", re.IGNORECASE)) for kind, words in _TOPIC_WORDS)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


class DetectedOut(Result):
    """A sentence that reads like a rule."""

    type: RuleType
    text: UntrustedText
    confidence: float


def detect_rules(feedback: str) -> list[DetectedOut]:
    """Return the sentences of a text that read like rules, without similar ones, most confident first."""
    found: list[DetectedOut] = []
    for sentence in _SENTENCE_END.split(feedback):
        text = " ".join(sentence.split()).lstrip("-*• ").strip()
        confidence = _confidence(text)
        if confidence >= MIN_CONFIDENCE and not any(is_similar(text, item.text) for item in found):
            matching = (kind for kind, topic in _TOPICS if topic.search(text))
            kind: RuleType = next(matching, "custom")
            found.append(DetectedOut(type=kind, text=text, confidence=confidence))
    return sorted(found, key=lambda item: -item.confidence)


def _confidence(text: str) -> float:
    """Return the weight of the strongest indicator, plus a little for each further one; halved if hedged."""
    weights = sorted((weight for pattern, weight in _INDICATORS if pattern.search(text)), reverse=True)
    if not weights:
        return 0.0
    confidence = weights[0] + _EXTRA_INDICATOR_WEIGHT * (len(weights) - 1)
    if _HEDGES.search(text):
        confidence /= 2
    return round(min(confidence, 1.0), 2)


MAX_RULE_CHARACTERS = 1000
"""A judgement: a rule is a few sentences."""
_MAX_PAGE_BYTES = 7000
"""A judgement: a page leaves some of the default budget (`view/budget.py`) for the rest of the result."""
_MAX_DETECTED_SHOWN = 20
"""A judgement: more rules than one message contains."""
MAX_FEEDBACK_CHARACTERS = 20_000
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
        max_length=MAX_FEEDBACK_CHARACTERS,
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
    return _result(room, [_rule_out(_change_rule(room, arguments, who.actor))])


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
    """Return a page of the active rules of a type, or of all types."""
    found = [rule for rule in rules.active_rules(room) if rule_type in (None, rule.type)]
    query = f"rules {rule_type}"
    if cursor is not None:
        last_shown = decode_cursor(query, cursor)
        ids = [rule.id for rule in found]
        if last_shown not in ids:
            raise InvalidCursor("The cursor's rule no longer exists.", hint="Start again without a cursor.")
        found = found[ids.index(last_shown) + 1 :]
    shown = fit_items([_rule_out(rule) for rule in found], _MAX_PAGE_BYTES)
    if len(shown) == len(found):
        return _result(room, shown)
    return _result(room, shown, truncated=True, next_cursor=encode_cursor(query, shown[-1].id))


def _rule_out(rule: Rule) -> RuleOut:
    return RuleOut(id=rule.id, type=rule.type, scope=rule.scope, text=rule.text)


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
    if len(text) > MAX_RULE_CHARACTERS:
        raise InvalidArguments(
            f"A rule has at most {MAX_RULE_CHARACTERS} characters.",
            hint="Shorten it, or split it into several.",
        )
    return text
