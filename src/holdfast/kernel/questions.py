"""Questions that a running operation may ask the client: of a person, of a model, or about its open folders.

An operation asks by key and acts only after the answers:

    answers = current_call().ask({"confirm": Form("Close 12 issues?", Confirmation)})

Where the protocol lets a server ask during a call, the operation waits for the answer. Where it does not, the
call ends with the questions and runs again from the start once there are answers. So an operation asks before
it acts, and asks the same questions for the same arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from holdfast.kernel.errors import HoldfastError, Unavailable

Capability = Literal["elicitation", "sampling", "roots"]


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
    """Which folders the client has open."""

    needs: Capability = field(default="roots", init=False)


Question = Form | Sample | Roots
Answers = dict[str, dict[str, Any]]


class Asker(Protocol):
    """Passes questions to the client."""

    def supports(self, capability: Capability) -> bool:
        """Return whether the client said it can answer such questions."""

    def ask(self, questions: Mapping[str, Question]) -> Answers:
        """Return the answers by key, in the protocol's form, or raise `InputRequired`."""


class NoClient:
    """The asker where there is no client, as on the command line."""

    def supports(self, capability: Capability) -> bool:  # noqa: ARG002 - the protocol's signature
        """Return False."""
        return False

    def ask(self, questions: Mapping[str, Question]) -> Answers:
        """Raise `MissingCapability`."""
        raise missing_capability(next(iter(questions.values())).needs)


class InputRequired(HoldfastError, kind="input_required", number=4280, exit_code=2, http_status=428):
    """The call cannot continue until these questions are answered; not a failure."""

    questions: Mapping[str, Question]

    @classmethod
    def of(cls, questions: Mapping[str, Question]) -> InputRequired:
        """Return the end of a call that needs these answers."""
        required = cls("The operation needs answers first.", keys=sorted(questions))
        required.questions = dict(questions)
        return required


class MissingCapability(Unavailable, kind="missing_capability", number=5011):
    """The client has not declared that it can answer this kind of question."""


def missing_capability(capability: Capability) -> MissingCapability:
    """Return the failure of an operation that needs a capability the client lacks."""
    return MissingCapability(
        f"This operation has to ask a question, and the client does not support {capability}.",
        hint="Use a client that does, or give the answer as an argument where the operation takes one.",
        capability=capability,
    )
