"""Why parts cannot be handled: what was tried, how far each try came, and the one sentence about it."""

from __future__ import annotations

from workcell.errors import Refused

REACH, PLACE, WAY, GRIP, AWAY, PATH = range(6)
"""How far a try came: out of reach, in contact, no straight way in, not held, no way out again, no path there."""
_LISTED = 4
"""How many tries an error names."""


class Reasons:
    """The reasons why tries failed, for each thing that was tried the one of the try that came farthest."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, str]] = {}

    def add(self, tried: str, stage: int, reason: str) -> None:
        """Note why a try failed at a stage."""
        known = self._found.get(tried)
        if known is None or stage > known[0]:
            self._found[tried] = stage, reason.strip().rstrip(".")

    def __bool__(self) -> bool:
        return bool(self._found)

    @property
    def by_name(self) -> dict[str, str]:
        """The reason of each thing that was tried."""
        return {name: reason for name, (_, reason) in self._found.items()}

    def error(self, what: str, part: str, robot: str) -> Refused:
        """Return the error that says what cannot be done, and names each try with its reason."""
        alike: dict[str, list[str]] = {}
        for name, (_, reason) in sorted(self._found.items(), key=lambda item: -item[1][0]):  # who came farthest first
            alike.setdefault(reason, []).append(name)
        lines = [f"{' and '.join(names)}: {reason}" for reason, names in list(alike.items())[:_LISTED]]
        more = sum(len(names) for names in list(alike.values())[_LISTED:])
        if more:
            lines.append(f"{more} more {'fails' if more == 1 else 'fail'} too")
        return Refused(f"{what}: {'; '.join(lines)}.", part=part, robot=robot, reasons=self.by_name)
