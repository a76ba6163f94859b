"""A plant whose moves can be held, slowed and stopped on their way, for each device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from workcell.errors import Refused, UnknownName
from workcell.motion.override import require_percent
from workcell.simulation import steering
from workcell.simulation.company import firsts, names_of, rate_of
from workcell.simulation.drives import Follow
from workcell.simulation.modes import Mode
from workcell.simulation.plant import Plant
from workcell.simulation.rate_changes import set_rates
from workcell.simulation.recorder import Recorder
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.simulation.faults import Faults
    from workcell.simulation.steered import Steered


class Steerable(Plant):
    """Devices that people and programs can steer.

    Args:
        snapshot: what exists.
        state: where everything is.
        recorder: records what happens.
        mode: how moves are made.
    """

    def __init__(self, snapshot: Snapshot, state: CellState, recorder: Recorder, mode: Mode) -> None:
        super().__init__(snapshot, state, recorder)
        self.mode: Mode = mode
        self.rates: dict[str, float] = {}
        """The override of each device, as a fraction of its speed; 1 if none is set."""
        self.faults: Faults | None = None
        """The faults; None if there are none."""

    @property
    def least_rate(self) -> float:
        """The least override of the devices, as a fraction."""
        return min(self.rates.values(), default=1.0)

    def override(self, percent: float, device: str = "") -> list[Steered]:
        """Run the current and later moves at 1 to 100 % of their speed.

        Args:
            percent: the percentage of their own speed.
            device: the robot or solid; by default, all.

        Returns the results for the current moves.
        """
        rate = require_percent(percent)
        if self.mode == "joint-by-joint":
            raise Refused("The override works only if all joints move together; use `mode path`.")
        if device:
            self._require_device(device)
        names = self.snapshot.members(device) if device else self._devices
        self.rates.update(dict.fromkeys(names, rate))
        drives = [self.drives[name] for name in names if name in self.drives]
        going = firsts(drive for drive in drives if drive.rate > 0.0 and drive.number not in self.given_up)
        return [one for drive in going for one in set_rates(self, drive, rate_of(self.paces, drive.planned))]

    def hold(self, device: str = "") -> list[Steered]:
        """Stop a robot or solid, or everything, on its path as soon as the limits allow; ``resume`` continues."""
        if device:
            drives = firsts(self.drives_of(device, "hold"))
            if all(drive.rate == 0.0 for drive in drives):
                raise Refused(f"{device} is already held.", device=device)
            return [one for drive in drives if drive.rate > 0.0 for one in set_rates(self, drive, 0.0)]
        moving = self.drives.values()
        going = firsts(drive for drive in moving if drive.rate > 0.0 and drive.number not in self.given_up)
        return [one for drive in going for one in set_rates(self, drive, 0.0, force=True)]

    def resume(self, device: str = "") -> list[Steered]:
        """Resume the held move of a robot or solid, or all held moves, at the speed of the override."""
        drives = self.drives_of(device, "resume") if device else self.drives.values()
        held = firsts(drive for drive in drives if drive.rate == 0.0)
        if device and not held:
            raise Refused(f"{device} is not held: it moves.", device=device)
        if self.faults is not None:
            if device:
                self.faults.require_going(device)
            held = [drive for drive in held if not self.faults.stopped(names_of(drive.planned))]
        return [one for drive in held for one in set_rates(self, drive, rate_of(self.paces, drive.planned))]

    def stop(self, device: str) -> Steered:
        """Stop a robot or solid on its path as soon as the limits allow, and abandon its move."""
        return self.stop_all(device)[0]

    def stop_all(self, device: str) -> list[Steered]:
        """Stop a device as :meth:`stop` does; return the results for all that move in one timing with it."""
        why = "a stop was commanded"
        drives = firsts(self.drives_of(device, "stop"))
        return [one for drive in drives for one in set_rates(self, drive, 0.0, give_up=why)]

    def emergency_stop(self, device: str = "") -> list[Steered]:
        """Bring a robot or solid, or everything, to rest as fast as its limits allow, and abandon the moves."""
        drives = self.drives_of(device, "stop") if device else self.drives.values()
        robots = {placed.name: placed for placed in self.snapshot.robots}
        going = firsts(drive for drive in drives if drive.number not in self.given_up)
        return [one for drive in going for one in steering.emergency_stop(self, drive, robots.get(drive.name))]

    def drives_of(self, device: str, what: str) -> list[Follow]:
        """Return the drives of a robot, a solid or the members of a machine; refused if it is at rest."""
        names = self.snapshot.members(device)
        moving = [name for name in names if name in self.drives]
        if len(names) > 1 and not moving:
            raise Refused(f"{device} is at rest; there is no move to {what}.", device=device)
        return [self.drive_of(name, what) for name in moving or names]

    def drive_of(self, device: str, what: str) -> Follow:
        """Return the drive of a robot or solid; refused if it is at rest."""
        drive = self.drives.get(device)
        if drive is None:
            self._require_device(device)
            raise Refused(f"{device} is at rest; there is no move to {what}.", device=device)
        if drive.number in self.given_up:
            raise Refused(f"{device} was stopped and comes to rest; command another move then.", device=device)
        return drive

    def knows(self, device: str) -> bool:
        """Return whether there is a robot, machine or body with this name."""
        return device in self._devices or len(self.snapshot.members(device)) > 1

    def _require_device(self, device: str) -> None:
        known = [*self._devices, *(one.name for one in self.snapshot.machines)]
        if device not in known:
            raise UnknownName.among("robot or body", device, known)

    @property
    def _devices(self) -> list[str]:
        return [placed.name for placed in self.snapshot.robots] + [body.name for body in self.snapshot.bodies]

    @property
    def paces(self) -> Mapping[str, float]:
        """The fraction of its speed that each device keeps: its override, or less if a fault makes it slow."""
        return self.rates if self.faults is None else self.faults.paces(self.rates)
