"""Films: 1,200 pictures of the welding cell at film size; the goal is less than 40 seconds on two free cores.

The processor time is printed beside the wall clock: on a busy machine, only it can be compared.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import resource
import runpy
import tempfile
import time
from pathlib import Path

from workcell.errors import MissingDependency
from workcell.simulation import film

ASKED = 40.0
EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "05_welding_cell.py"


def used() -> float:
    """Return the processor time of this process and of its finished children [s]."""
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def main() -> None:
    """Film the welding cell as .gif and, if there is an encoder, as .mp4."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=int, default=1200)
    count = parser.parse_args().pictures
    with contextlib.redirect_stdout(io.StringIO()):
        cell, _ = runpy.run_path(str(EXAMPLE))["main"]()
    snapshot, recording = cell.snapshot(), cell.session.recording
    rate = (count - 1) / recording.duration
    list(film.frames(snapshot, recording, film.frame_times(recording, 2.0 / recording.duration)))  # compiled
    with tempfile.TemporaryDirectory() as folder:
        for ending in (".mp4", ".gif"):
            clock, before = time.perf_counter(), used()
            try:
                made = film.save_recording_film(snapshot, recording, Path(folder) / f"weld{ending}", rate=rate)
            except MissingDependency as error:
                print(f"{ending}: {error}")
                continue
            took, cpu = time.perf_counter() - clock, used() - before
            cores = os.cpu_count() or 1
            print(
                f"{ending}: {made.pictures} pictures of {film.SIZE[0]} × {film.SIZE[1]} in {took:.1f} s of wall clock, "
                f"{cpu:.1f} s of the processor ({cpu / cores:.1f} s on {cores} free cores; {ASKED:g} s is the goal), "
                f"{made.size / 1e6:.1f} MB"
            )
    cell.close()


if __name__ == "__main__":
    main()
