"""One transaction of a cell's database."""

from __future__ import annotations

from workcell.world.connection import Connection


class Transaction:
    """``BEGIN IMMEDIATE`` … ``COMMIT``, or ``ROLLBACK`` if anything is raised."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        try:
            if kind is None:
                self._connection.execute("COMMIT")
        finally:
            self._connection.rollback_if_open()
