"""Blocks world: a rule-based planner (CLIPS) drives an arm through the Agent language, in a process of its own.

The planner knows which block stands on which. Its rules find the next block to move; each move is a few lines of the
Agent language, sent to `workcell agent` through a pipe. It needs `pip install clipspy`.
"""

from __future__ import annotations

import subprocess
import sys
from types import TracebackType

SIZE = 60.0
"""The edge of a block [mm]."""
PLACES = {"left": (600.0, -240.0), "middle": (600.0, -80.0), "right": (600.0, 80.0), "far": (600.0, 240.0)}
"""Where blocks may stand on the table: x and y [mm]."""
START = {"a": "middle", "b": "a", "c": "left"}
"""What each block stands on: a place or another block."""
GOAL = {"c": "middle", "b": "c", "a": "b"}

RULES = """
(deftemplate on (slot block) (slot under))
(deftemplate goal (slot block) (slot under))
(deftemplate place (slot name))

(defrule put-where-it-belongs
  "A free block goes to its goal, if that is free and everything below it is already right."
  (goal (block ?b) (under ?u))
  ?now <- (on (block ?b) (under ?v&~?u))
  (not (on (under ?b)))
  (not (on (under ?u)))
  (or (place (name ?u)) (and (goal (block ?u) (under ?w)) (on (block ?u) (under ?w))))
  =>
  (retract ?now)
  (assert (on (block ?b) (under ?u)))
  (carry ?b ?u))

(defrule put-aside
  "A block that is in the way goes to a free place."
  (declare (salience -1))
  (goal (block ?b) (under ?u))
  (on (block ?b) (under ~?u))
  ?now <- (on (block ?top) (under ?v&?b|?u))
  (not (on (under ?top)))
  (place (name ?p))
  (not (on (under ?p)))
  (not (goal (under ?p)))
  =>
  (retract ?now)
  (assert (on (block ?top) (under ?p)))
  (carry ?top ?p))
"""


class Arm:
    """An arm that is moved through a pipe to `workcell agent`."""

    def __init__(self) -> None:
        self._pipe = subprocess.Popen(
            [sys.executable, "-m", "workcell", "agent"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.at = dict(START)
        self._asked = 0
        self.send("make-agent arm PUMA 560", "make-object table box 500 800 20", "translate-object table x=600 z=-10")
        for block in sorted(START, key=self.height):
            x, y = self.place(block)
            self.send(
                f"make-object {block} box {SIZE:g} {SIZE:g} {SIZE:g}",
                f"translate-object {block} x={x:g} y={y:g} z={self.height(block):g}",
                f"define-grasping-point {block} 0 0 0 0 0 180",
                f"define-grasping-opening {block} {SIZE:g}",
            )
        self.send("define-default-grasping-gap 20")

    def send(self, *lines: str) -> None:
        """Send lines; an error of the Agent ends the program. The report of a question shows that all were done."""
        assert self._pipe.stdin is not None
        assert self._pipe.stdout is not None
        self._asked += 1
        mark = f"asked{self._asked}"
        for line in (*lines, f"{mark}: get-angles arm" if self._asked > 1 else ""):
            self._pipe.stdin.write(line + "\n")
        self._pipe.stdin.flush()
        while self._asked > 1:
            answer = self._pipe.stdout.readline()
            if answer.startswith("***") or not answer:
                raise SystemExit(f"The arm stopped: {answer}")
            if mark in answer:
                return

    def height(self, block: str) -> float:
        """The height of the middle of a block [mm]."""
        under = self.at[block]
        return SIZE / 2 if under in PLACES else self.height(under) + SIZE

    def place(self, block: str) -> tuple[float, float]:
        """Where a block stands: x and y [mm]."""
        under = self.at[block]
        return PLACES[under] if under in PLACES else self.place(under)

    def carry(self, block: str, under: str) -> None:
        """Put a block somewhere else: grasp it, lift it above all others, move across, let it down."""
        (x, y), z = self.place(block), self.height(block)
        self.at[block] = under
        (to_x, to_y), to_z = self.place(block), self.height(block)
        top = SIZE * (len(START) + 1)
        print(f"{block} goes onto {under}", flush=True)
        self.send(
            f"move-to-grasp arm {block}",
            f"grasp arm {block}",
            f"translate-agent arm z={top - z:g}",
            f"translate-agent arm x={to_x - x:g} y={to_y - y:g}",
            f"translate-agent arm z={to_z - top:g}",
            f"release arm {block}",
            f"translate-agent arm z={top - to_z:g}",
        )

    def __enter__(self) -> Arm:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pipe.communicate("exit\n")


def main() -> None:
    """Plan with rules, and let the arm build the tower."""
    import clips

    with Arm() as arm:
        planner = clips.Environment()
        planner.define_function(arm.carry, "carry")
        for rule in RULES.strip().split("\n\n"):
            for construct in rule.split("\n(deft"):
                planner.build(construct if construct.startswith("(") else f"(deft{construct}")
        for kind, known in (("on", START), ("goal", GOAL)):
            for block, under in known.items():
                planner.assert_string(f"({kind} (block {block}) (under {under}))")
        for place in PLACES:
            planner.assert_string(f"(place (name {place}))")
        rules = planner.run()
        print(f"{rules} moves; the tower is {'built' if arm.at == GOAL else 'not built'}: {arm.at}")
        if arm.at != GOAL:
            raise SystemExit(1)


if __name__ == "__main__":
    main()
