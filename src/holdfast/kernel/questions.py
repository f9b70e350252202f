"""What an operation may ask of the client while it runs: a person, a model, or which folders are open.

An operation asks by key and acts only on the answers:

    answers = current_call().ask({"confirm": Form("Close 12 issues?", Confirmation)})

Where the protocol lets a server ask in the middle of a call, the operation waits for the answer. Where
it does not, the call ends with the questions and is run again from its start once the answers are
there. So an operation asks before it acts, and asks the same questions for the same arguments.
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
    """Carries questions to whoever can answer them."""

    def supports(self, capability: Capability) -> bool:
        """Return whether the client said it can answer such questions."""

    def ask(self, questions: Mapping[str, Question]) -> Answers:
        """Return the answers by key, as the protocol writes them, or raise `InputRequired`."""


class NoClient:
    """Stands in where there is no client, as on the command line."""

    def supports(self, capability: Capability) -> bool:  # noqa: ARG002 - nobody has any
        """Return False."""
        return False

    def ask(self, questions: Mapping[str, Question]) -> Answers:
        """Say that nobody can be asked."""
        raise missing_capability(next(iter(questions.values())).needs)


class InputRequired(HoldfastError, kind="input_required", number=4280, exit_code=2, http_status=428):
    """The call cannot go on before these questions are answered; it is not a failure."""

    questions: Mapping[str, Question]

    @classmethod
    def of(cls, questions: Mapping[str, Question]) -> InputRequired:
        """Return the end of a call that these questions keep from going on."""
        required = cls("The operation needs answers first.", keys=sorted(questions))
        required.questions = dict(questions)
        return required


class MissingCapability(Unavailable, kind="missing_capability", number=5011):
    """The client did not say that it can answer this kind of question."""


def missing_capability(capability: Capability) -> MissingCapability:
    """Return the failure of an operation that has to ask a client that cannot be asked."""
    return MissingCapability(
        f"This operation has to ask something, and the client does not support {capability}.",
        hint="Use a client that does, or give the answer as an argument where the operation takes one.",
        capability=capability,
    )
