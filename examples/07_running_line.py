"""A running line: parts come onto a belt at random times, go down a slide, queue up before a gate and leave.

Three belts and a slide run all the time. A program closes the gate so that parts gather before it, and then opens it,
three times. A light barrier counts the parts that pass. The belts never stop, so parts are handed over, blocked and
released at exact instants, and none is lost between the source and the sink.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import workcell as wc

TITLE = "A running line"
SCENE = """
add conveyor Infeed 1000
modify Infeed runs 200mm/s
add slide Chute 800 down 200 speed 400mm/s at 1060,0,0
add conveyor Queue 1500 at 1900,0,-200
modify Queue runs 200mm/s
add conveyor Outfeed 1000 at 3520,0,-200
modify Outfeed runs 250mm/s
add solid Parcel box 100 80 60 at 0,-900,30 colour orange --movable
create signal gate
add stop Barrier on Queue at 1200 signal gate
add source Feed of Parcel on Infeed every 2s stock 20 seed 11
add sink Out on Outfeed
add light-barrier Eye from 3700,-300,530 to 3700,300,530
"""
PROGRAM = """program work
  repeat 3
    set-signal gate 1
    wait 12
    set-signal gate 0
    wait 8
  end
end"""


def modelled() -> wc.Cell:
    """Return the cell; the caller closes it."""
    cell = wc.Cell()
    for line in SCENE.strip().splitlines():
        cell.do(line)
    cell.do(PROGRAM)
    return cell


def sample() -> wc.Cell:
    """Return the cell after its run; the caller closes it."""
    cell = modelled()
    cell.do("run work")
    return cell


def main(folder: str | Path | None = None) -> dict[str, float]:
    """Run the line for a minute; print and return its figures."""
    cell = sample()
    target = Path(folder or tempfile.mkdtemp())
    try:
        events = cell.session.recording.events
        count = {
            kind.__name__: sum(isinstance(one, kind) for one in events)
            for kind in (wc.events.PartMade, wc.events.PartTaken, wc.events.HandedOver, wc.events.Blocked)
        }
        seen = sum(isinstance(one, wc.events.SensorChanged) and one.value == 1.0 for one in events)
        state = cell.session.state
        found = {
            "time": state.time,
            "parts in": count["PartMade"],
            "parts out": count["PartTaken"],
            "on the line": count["PartMade"] - count["PartTaken"],
            "handed over": count["HandedOver"],
            "waited": count["Blocked"],
            "seen by the barrier": seen,
        }
        for name, value in found.items():
            print(f"{name}: {value:g}")
        print(cell.do("stations"))
        cell.do(f"render {target / 'line.png'} iso size 1200 600")
        return found
    finally:
        cell.close()


if __name__ == "__main__":
    main()
