"""Questions that a running operation may ask a person, the client's model, or the client about open folders.

An operation asks by key and acts only after the answers:

    answers = current_call().ask({"confirm": Form("Close 12 issues?", Confirmation)})

In versions of the protocol where a server can ask during a call, the operation waits for the answer. In
others the call ends with the questions, and runs again from the start with the answers. So an operation asks
before it acts, and asks the same questions for the same arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from holdfast.kernel.errors import HoldfastError, Unavailable

Capability = Literal["elicitation", "sampling", "roots", "tasks"]
"""What a client may be able to do: answer questions of a kind, or collect results later (the extension for
tasks)."""


@dataclass(frozen=True)
class Form:
    """A few fields for a person to fill in, as a JSON schema of a flat object."""

    message: str
    schema: Mapping[str, Any]
    needs: Capability = field(default="elicitation", init=False)


@dataclass(frozen=True)
class Sample:
    """A question for the client's model."""

    prompt: str
    max_tokens: int = 1000
    needs: Capability = field(default="sampling", init=False)


@dataclass(frozen=True)
class Roots:
    """A question for the folders that the client has open."""

    needs: Capability = field(default="roots", init=False)


Question = Form | Sample | Roots
Answers = dict[str, dict[str, Any]]


class Asker(Protocol):
    """Sends questions to the client."""

    def supports(self, capability: Capability) -> bool:
        """Return whether the client has declared that it can answer such questions."""

    def ask(self, questions: Mapping[str, Question]) -> Answers:
        """Return the answers by key, in the protocol's form, or raise `InputRequired`."""


class NoClient:
    """An asker for calls without a client, as on the command line."""

    def supports(self, capability: Capability) -> bool:  # noqa: ARG002 - the protocol's signature
        """Return False."""
        return False

    def ask(self, questions: Mapping[str, Question]) -> Answers:
        """Raise `MissingCapability`."""
        raise missing_capability(next(iter(questions.values())).needs)


class InputRequired(HoldfastError, kind="input_required", number=4280, exit_code=2, http_status=428):
    """Ends a call until its questions are answered; not a failure."""

    questions: Mapping[str, Question]

    @classmethod
    def of(cls, questions: Mapping[str, Question]) -> InputRequired:
        """Return the exception for these questions."""
        required = cls("The operation needs answers first.", keys=sorted(questions))
        required.questions = dict(questions)
        return required


class MissingCapability(Unavailable, kind="missing_capability", number=5011):
    """The client has not declared that it can answer this kind of question."""


def missing_capability(capability: Capability) -> MissingCapability:
    """Return the error for a question that needs a capability which the client lacks."""
    need = "have its result collected later" if capability == "tasks" else "ask a question"
    return MissingCapability(
        f"This operation has to {need}, and the client does not support {capability}.",
        hint="Use a client that does, or give the answer as an argument where the operation takes one.",
        capability=capability,
    )
