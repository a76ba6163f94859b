"""The units in which somebody types and reads: those of the cell, or their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from workcell.spatial.units import Units

if TYPE_CHECKING:
    from workcell.world.database import Database

_MILLIMETRES = Units()
_READER = msgspec.json.Decoder(Units)


class DisplayUnits:
    """The meaning of a bare number for one user."""

    def __init__(self, database: Database, own: Units | None = None) -> None:
        self._database = database
        self._own = own
        self._units, self._sizes, self._read_at = _MILLIMETRES, _MILLIMETRES.tables(), -1

    @property
    def now(self) -> Units:
        """The user's own units, or those of the cell."""
        self.sizes()
        return self._units

    def sizes(self) -> dict[str, dict[str, float]]:
        """For each quantity, the SI value of one of each unit; the empty name stands for a bare number."""
        stamp = self._database.history.settings_stamp
        if stamp != self._read_at:
            units = self.of_cell if self._own is None else self._own
            if units != self._units:
                self._units, self._sizes = units, units.tables()
            self._read_at = stamp
        return self._sizes

    @property
    def own(self) -> Units | None:
        """The user's own units; None if the cell decides."""
        return self._own

    def choose(self, units: Units | None) -> None:
        """Read and answer in these units from now on, or in those of the cell."""
        self._own, self._read_at = units, -1

    @property
    def of_cell(self) -> Units:
        """The display units of the cell."""
        text = self._database.setting("units")
        return _READER.decode(text) if text else _MILLIMETRES
