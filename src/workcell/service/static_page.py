"""The files of the built page."""

from __future__ import annotations

import asyncio
import gzip
import os
from pathlib import Path
from typing import ClassVar

from starlette.datastructures import Headers
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

PAGE = Path(__file__).resolve().parent.parent / "workbench" / "static"
"""Where the built page is."""
_POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self' ws: wss:; frame-ancestors {}; base-uri 'none'; form-action 'none'"
)
_NOTEBOOKS = "http://localhost:* http://127.0.0.1:*"
"""Who may show the page in a frame, if anybody: notebooks of this machine."""
HEADERS = {
    "content-security-policy": _POLICY.format("'none'"),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}
UNBUILT = """<!doctype html><meta charset="utf-8"><title>Workcell</title>
<body style="font: 16px system-ui; margin: 4rem auto; max-width: 36rem">
<h1>The page is not built yet</h1><p>Run <code>make page</code> and reload.</p>"""


def page_route(folder: Path, framed: bool = False) -> BaseRoute:
    """Return the route of the page in a folder, or one that explains how to build the page.

    Args:
        folder: the folder of the built page.
        framed: whether notebooks of this machine may show the page in a frame.
    """
    if (folder / "index.html").is_file():
        return Mount("/", _Page(folder, framed))
    return Route("/", lambda _request: HTMLResponse(UNBUILT, status_code=503))


def takes_gzip(headers: Headers) -> bool:
    """Whether a client accepts compressed answers."""
    return "gzip" in headers.get("accept-encoding", "")


class _Page(StaticFiles):
    """The built page: browsers keep files with a hash in the name and check the others again; text is compressed."""

    _made: ClassVar[dict[tuple[str, int, int], bytes]] = {}

    def __init__(self, folder: Path, framed: bool) -> None:
        super().__init__(directory=folder, html=True)
        self._headers = {**HEADERS, "content-security-policy": _POLICY.format(_NOTEBOOKS if framed else "'none'")}

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        if isinstance(response, FileResponse) and takes_gzip(Headers(scope=scope)):
            response = await self._compressed(response)
        kept = path.startswith("assets/")
        response.headers["cache-control"] = "public, max-age=31536000, immutable" if kept else "no-cache"
        for name, value in self._headers.items():
            response.headers[name] = value
        return response

    async def _compressed(self, response: FileResponse) -> Response:
        """Return the file compressed, which is done once; pictures and fonts are already compressed."""
        if not response.media_type or not response.media_type.startswith(("text/", "application/j", "image/svg")):
            return response
        found = await asyncio.to_thread(os.stat, response.path)
        key = str(response.path), found.st_mtime_ns, found.st_size
        if key not in self._made:
            self._made[key] = await asyncio.to_thread(_gzipped, Path(response.path))
        headers = {name: response.headers[name] for name in ("etag", "last-modified") if name in response.headers}
        headers |= {"content-encoding": "gzip", "vary": "accept-encoding"}
        return Response(self._made[key], response.status_code, headers, response.media_type)


def _gzipped(path: Path) -> bytes:
    return gzip.compress(path.read_bytes(), mtime=0)
