"""Sends the questions of an operation to its client, as each protocol era prescribes.

Handshake era: the server sends a request to the client, and the operation waits in its worker thread.
Stateless era: the call ends with the questions, and the client calls again with the answers. Answers from
earlier rounds come back inside the sealed request state.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from pydantic import BaseModel, ValidationError

from holdfast.faces.mcp.request import Context, is_stateless
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Cancelled, HoldfastError, Invalid
from holdfast.kernel.questions import (
    Answers,
    Asker,
    Capability,
    Form,
    InputRequired,
    Question,
    Roots,
    Sample,
    missing_capability,
)

_CANCELLATION_CHECK_SECONDS = 0.2
"""How often a worker that waits for an answer checks for cancellation. A judgement: a cancelled call should
end without a noticeable delay, and five checks a second cost nothing."""

_ANSWER_TYPES: dict[Capability, type[BaseModel]] = {
    "elicitation": types.ElicitResult,
    "sampling": types.CreateMessageResult,
    "roots": types.ListRootsResult,
}


def asker_for(ctx: Context, params: types.InputResponseRequestParams) -> ClientAsker:
    """Return the asker for the era of a request."""
    if is_stateless(ctx.protocol_version):
        return ReplayingAsker(ctx, params.input_responses, params.request_state)
    return WaitingAsker(ctx)


def unanswered_questions(asker: Asker, error: HoldfastError) -> types.InputRequiredResult | None:
    """Return the result that lists unanswered questions if these ended the call, or None otherwise."""
    if isinstance(error, InputRequired) and isinstance(asker, ReplayingAsker):
        return asker.input_required(error)
    return None


class ClientAsker:
    """Checks which questions the client of a request can answer."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    def supports(self, capability: Capability) -> bool:
        declared = self._ctx.session.client_capabilities
        return declared is not None and getattr(declared, capability, None) is not None

    def ask(self, questions: Mapping[str, Question]) -> Answers:
        """Return the answers by key, or raise `InputRequired`."""
        raise NotImplementedError

    def check(self, questions: Mapping[str, Question]) -> None:
        """Raise if the client cannot answer one of these."""
        for question in questions.values():
            if not self.supports(question.needs):
                raise missing_capability(question.needs)


class WaitingAsker(ClientAsker):
    """Sends requests to the client and waits for the answers."""

    def __init__(self, ctx: Context) -> None:
        super().__init__(ctx)
        self._loop = asyncio.get_running_loop()

    def ask(self, questions: Mapping[str, Question]) -> Answers:
        self.check(questions)
        return {key: self._answer(question) for key, question in questions.items()}

    def _answer(self, question: Question) -> dict[str, Any]:
        future = asyncio.run_coroutine_threadsafe(self._send(question), self._loop)
        try:
            answer = _wait_unless_cancelled(future)
        except MCPError as failure:
            raise Invalid(
                f"The client answered the question with an error: {failure.error.message}"
            ) from None
        except BaseException:
            future.cancel()
            raise
        return answer.model_dump(by_alias=True, mode="json", exclude_none=True)

    async def _send(self, question: Question) -> BaseModel:
        return await self._ctx.session.send_request(
            client_request(question),
            _ANSWER_TYPES[question.needs],
            metadata=ServerMessageMetadata(related_request_id=self._ctx.request_id),
        )


def _wait_unless_cancelled(future: Future[BaseModel]) -> BaseModel:
    """Wait for the answer; raise `Cancelled` when the call is cancelled first."""
    while True:
        try:
            return future.result(_CANCELLATION_CHECK_SECONDS)
        except TimeoutError:
            if current_call().cancelled:
                raise Cancelled("The request was cancelled.") from None


class ReplayingAsker(ClientAsker):
    """Ends the call with its questions unless the client sent the answers along."""

    def __init__(self, ctx: Context, responses: Mapping[str, Any] | None, state: str | None) -> None:
        super().__init__(ctx)
        self.answers: Answers = {} if state is None else json.loads(state)
        """The answers of this and earlier rounds, by the key of the question."""
        self._responses = responses or {}

    def ask(self, questions: Mapping[str, Question]) -> Answers:
        """Return the answers of this and earlier rounds, or raise with the unanswered questions."""
        self.check(questions)
        for key, question in questions.items():
            answer = valid_answer(question, self._responses.get(key))
            if answer is not None:
                self.answers[key] = answer
        missing = {key: question for key, question in questions.items() if key not in self.answers}
        if missing:
            raise InputRequired.of(missing)
        return {key: self.answers[key] for key in questions}

    def input_required(self, unanswered: InputRequired) -> types.InputRequiredResult:
        return types.InputRequiredResult(
            input_requests={key: client_request(question) for key, question in unanswered.questions.items()},
            request_state=json.dumps(self.answers),
        )


def client_request(
    question: Question,
) -> types.ElicitRequest | types.CreateMessageRequest | types.ListRootsRequest:
    """Return the protocol's request for a question."""
    match question:
        case Form():
            schema = dict(question.schema)
            return types.ElicitRequest(
                params=types.ElicitRequestFormParams(message=question.message, requested_schema=schema)
            )
        case Sample():
            content = types.TextContent(type="text", text=question.prompt)
            return types.CreateMessageRequest(
                params=types.CreateMessageRequestParams(
                    messages=[types.SamplingMessage(role="user", content=content)],
                    max_tokens=question.max_tokens,
                )
            )
        case Roots():
            return types.ListRootsRequest()


def question_of(request: Mapping[str, Any]) -> Question:
    """Return the question of a stored request of the protocol, as far as its answer is checked against it."""
    params = request.get("params") or {}
    match request["method"]:
        case "elicitation/create":
            return Form(params["message"], params["requestedSchema"])
        case "sampling/createMessage":
            return Sample("")
        case _:
            return Roots()


def valid_answer(question: Question, response: Any) -> dict[str, Any] | None:
    """Return a response in the protocol's form, or None when it is not an answer to the question."""
    raw = response.model_dump(by_alias=True, mode="json") if isinstance(response, BaseModel) else response
    try:
        answer = _ANSWER_TYPES[question.needs].model_validate(raw, by_name=False)
    except ValidationError:
        return None
    values = answer.model_dump(by_alias=True, mode="json", exclude_none=True)
    return values if _matches_form(question, values) else None


def _matches_form(question: Question, answer: dict[str, Any]) -> bool:
    """Return whether an answer matches the schema of its form; other answers always do."""
    if not isinstance(question, Form) or answer["action"] != "accept":
        return True
    # Slow to import, and only forms need it.
    import jsonschema  # type: ignore[import-untyped]

    return bool(jsonschema.Draft202012Validator(dict(question.schema)).is_valid(answer.get("content", {})))
