"""Sample cells, as a server offers them to its clients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from workcell.errors import UnknownName
from workcell.service.message import MessageValue

if TYPE_CHECKING:
    from workcell.commands.cell import Cell


class SampleInfo(MessageValue, frozen=True):
    """A sample cell: how it is called, what it shows and what it holds.

    ``picture`` is the address of a small picture (WebP); ``duration`` is the length of its run [s], 0 without one.
    """

    name: str
    title: str
    text: str
    picture: str
    duration: float
    robots: list[str]
    programs: list[str]
    source: str


class Samples(Protocol):
    """Sample cells by name."""

    def infos(self) -> Sequence[SampleInfo]:
        """Return what there is, in the order of the gallery."""

    def picture(self, name: str) -> bytes:
        """Return the picture of a sample; UnknownName if there is none."""

    def open(self, name: str) -> Cell:
        """Return a new cell in memory with the content and the run of a sample; UnknownName if there is none."""


class NoSamples:
    """A server without samples."""

    def infos(self) -> Sequence[SampleInfo]:
        """Return nothing."""
        return ()

    def picture(self, name: str) -> bytes:
        """Refuse every name."""
        raise UnknownName.among("sample cell", name, [])

    def open(self, name: str) -> Cell:
        """Refuse every name."""
        raise UnknownName.among("sample cell", name, [])
