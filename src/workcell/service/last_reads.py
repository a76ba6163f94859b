"""Reading what a connection still has to say while it is closed."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection


@contextlib.contextmanager
def read_to_the_end(socket: ClientConnection) -> Iterator[None]:
    """Read all messages until the connection is closed: unread ones would keep its end from being seen."""
    reader = threading.Thread(target=_read, args=(socket,), daemon=True)
    reader.start()
    yield
    reader.join()


def _read(socket: ClientConnection) -> None:
    from websockets.exceptions import ConcurrencyError, ConnectionClosed

    with contextlib.suppress(ConcurrencyError, ConnectionClosed):  # another thread may be reading
        for _ in socket:
            pass
