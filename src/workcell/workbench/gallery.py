"""The gallery: the sample cells that come with Workcell, with pictures, ready to play."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from workcell.errors import UnknownName
from workcell.service.samples import SampleInfo
from workcell.workbench.samples import archives
from workcell.workbench.samples.archive import Archive

if TYPE_CHECKING:
    from workcell.commands.cell import Cell


class Gallery:
    """The archives of the package, read once; any thread may use it."""

    @cached_property
    def archives(self) -> dict[str, Archive]:
        """The samples by name, in the order of the gallery: as their scripts are numbered, then the others."""
        return {one.about.name: one for one in sorted(archives(), key=lambda one: one.about.source)}

    def _named(self, name: str) -> Archive:
        found = self.archives.get(name)
        if found is None:
            raise UnknownName.among("sample cell", name, self.archives)
        return found

    def infos(self) -> Sequence[SampleInfo]:
        """Return what there is, in the order of the gallery."""
        return [
            SampleInfo(
                about.name,
                about.title,
                about.text,
                f"/samples/{about.name}.webp",
                about.duration,
                about.robots,
                about.programs,
                about.source,
            )
            for about in (archive.about for archive in self.archives.values())
        ]

    def picture(self, name: str) -> bytes:
        """Return the picture of a sample as WebP; UnknownName if there is none."""
        return self._named(name).picture

    def open(self, name: str) -> Cell:
        """Return a new cell in memory with the content and the run of a sample; UnknownName if there is none."""
        return self._named(name).opened()
