"""The addresses of uploads: ``PUT …/uploads/NAME`` sends a file that a command then imports.

NAME may have folders, as the meshes of a URDF file have.
"""

from __future__ import annotations

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from workcell.errors import UnknownName, WorkcellError
from workcell.service.cell_address import FIRST
from workcell.service.cell_messages import Uploaded
from workcell.service.cell_thread import settled
from workcell.service.cells import Cells
from workcell.service.uploads import DROPPED


class UploadRoutes:
    """Takes uploads for all cells; the gate has checked token and origin."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells

    def routes(self) -> list[BaseRoute]:
        """Return the routes; without ``/cells/ID``, they are for the first cell."""
        return [Route(f"{cell}/uploads/{{name:path}}", self._upload, methods=["PUT"]) for cell in ("", "/cells/{cell}")]

    async def _upload(self, request: Request) -> Response:
        try:
            hub = self._cells.hub(request.path_params.get("cell", FIRST))
            await settled(hub.ready)
            assert hub.files is not None
            announced = request.headers.get("content-length", "")
            size = int(announced) if announced.isdecimal() else None
            name = request.path_params["name"]
            path = await hub.files.uploads.receive(name, request.stream(), size)
            found = Uploaded(f"{DROPPED}/{name}", path.stat().st_size)
        except ClientDisconnect:
            return PlainTextResponse("The upload was cancelled.", status_code=499)
        except UnknownName as error:
            return PlainTextResponse(str(error), status_code=404)
        except WorkcellError as error:
            return PlainTextResponse(str(error), status_code=409 if error.evidence.get("taken") else 400)
        return Response(msgspec.json.encode(found), status_code=201, media_type="application/json")
