"""The joint-by-joint mode of the thesis: the shown clock stops while single joints move.

The plant's own time continues meanwhile, and the recording maps one to the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.motion.chained import Chained
from workcell.simulation.gliding import Glide
from workcell.simulation.happenings import Placed, twelve
from workcell.simulation.instants import later
from workcell.simulation.pieces import Exact
from workcell.simulation.timeline import Timeline

if TYPE_CHECKING:
    from workcell.simulation.plant import Plant


def proceed(plant: Plant, time: float) -> None:
    """Continue moves that have begun until the clock shows a time, or to the last good instant before a contact."""
    drives, state = plant.drives, plant.state
    stop = None if plant.watch is None else plant.watch.look(plant, list(drives.values()), time)
    if stop is not None:
        for name, shown in stop.shown.items():
            if shown <= 0.0 and not drives[name].recorded:
                del drives[name]  # it cannot even start
            else:
                drives[name].planned = drives[name].planned.until(shown)
        if not drives:
            raise stop.error
        time = stop.time
    timeline = Timeline(list(drives.values()), plant.time, time)
    begin, clock_then = plant.now, plant.time
    stands = timeline.duration - (time - plant.time)
    if state.clock is None and stands == 0.0:
        clock, end = None, time
    else:
        clock, end = time, later(begin, stands + (time - plant.time))
        here, passed = timeline.knots
        for at, shows in zip(here[:-1].tolist(), passed[:-1].tolist(), strict=True):
            plant.recorder.shows(min(begin + at, end), clock_then + shows)
        plant.recorder.shows(end, time)
    poses, joints = dict(state.poses), dict(state.joints)
    over = {name: min(begin + timeline.over(one), end) for name, one in drives.items() if time >= one.end}
    for name, drive in sorted(drives.items(), key=lambda item: over.get(item[0], end)):
        planned, until = drive.planned, over.get(name, end)
        if isinstance(planned, Glide):
            poses[name] = planned.end if name in over else planned.at(time - drive.begin)
            row = poses[name].matrix[:3].ravel()
        else:
            row = joints[name] = planned.end if name in over else planned.at(time - drive.begin)
        plant.announce(drive)
        drive.since = None
        if until > drive.mark:
            step = plant.pose_step if isinstance(planned, Glide) else planned.step
            motion, frames = timeline.motions[name], timeline.frames(drive)
            assert not isinstance(motion, Chained)
            piece = Exact(begin, drive.mark, until, motion, drive.row, row, step, planned.resolution, frames)
            plant.recorder.drive(name, piece)
        drive.mark, drive.row = end, row
        if name in over:
            plant.report(drive, until)
            if isinstance(planned, Glide):
                plant.recorder.change(Placed(until, name, twelve(poses[name])))
    plant.state = state.with_(time=end, clock=clock, joints=joints, poses=poses)
    resting = [name for name in over if isinstance(drives[name].planned, Glide)]
    for name in over:
        del drives[name]
    plant.happened += bool(over)
    plant.changed()
    for name in resting:
        plant.come_to_rest(name)
    if stop is not None:
        plant.halt_after(stop)
