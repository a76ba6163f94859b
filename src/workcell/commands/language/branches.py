"""The branch of inverse kinematics as a parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.language.tokens import Tokens
from workcell.commands.language.values import Value

if TYPE_CHECKING:
    from workcell.commands.session import Session


class Branch(Value):
    """The branch of inverse kinematics that a move uses."""

    label = "BRANCH"
    help = (
        "nearest, roomiest, agent (limit 45°), agent:60 (another limit), frozen (the branch that the arm is in "
        "now), the Agent's index 0…7, or Ding's signs of A, E, W such as -+-"
    )

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read a rule by name, an index, or three signs."""
        from workcell.errors import InvalidValue
        from workcell.simulation.branch_policy import checked_policy

        if tokens.done:
            raise tokens.fail(f"Expected a branch: {self.help}.", {self.label: f"a branch: {self.help}"})
        token = tokens.take()
        try:
            return checked_policy(token.text)
        except InvalidValue as error:
            raise tokens.fail(str(error), [self.label], token.start) from None

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> list[tuple[str, str]]:
        """The policies."""
        from workcell.simulation.branch_policy import FROZEN, POLICIES

        words = POLICIES | {
            "agent:60": "the same with another limit, in degrees",
            FROZEN: "the branch that the arm is in now",
        }
        return [(word, help) for word, help in words.items() if word.startswith(prefix)]

    def checked(self, value: Any) -> Any:
        """Accept an index as a number, too."""
        from workcell.simulation.branch_policy import checked_policy

        return checked_policy(value)
