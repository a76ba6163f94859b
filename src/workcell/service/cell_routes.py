"""The addresses of the cells of a server: their shapes, and the pictures of the samples."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from workcell.errors import UnknownName, WorkcellError
from workcell.service.cell_address import FIRST
from workcell.service.cells import Cells
from workcell.service.robot_pictures import RobotPictures
from workcell.service.static_page import takes_gzip


class CellRoutes:
    """Answers requests to ``/cells/ID/…``; without ``/cells/ID``, they are for the first cell."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self._pictures = RobotPictures()

    def routes(self) -> list[BaseRoute]:
        """Return the routes."""
        return [
            Route("/glb/{names}", self._glb),
            Route("/cells/{cell}/glb/{names}", self._glb),
            Route("/samples/{name}.webp", self._sample_picture),
            Route("/robots/{name}.webp", self._robot_picture),
        ]

    async def _glb(self, request: Request) -> Response:
        gzipped = takes_gzip(request.headers)
        try:
            hub = self._cells.hub(request.path_params.get("cell", FIRST))
            data = await hub.glb(request.path_params["names"], gzipped=gzipped)
        except UnknownName as error:
            return PlainTextResponse(str(error), status_code=404)
        except WorkcellError as error:
            return PlainTextResponse(str(error), status_code=500)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return PlainTextResponse("The cell was closed.", status_code=404)  # while the shapes waited to be made
        headers = {"cache-control": "private, max-age=31536000, immutable", "vary": "accept-encoding"}
        if gzipped:
            headers["content-encoding"] = "gzip"
        return Response(data, media_type="model/gltf-binary", headers=headers)

    async def _sample_picture(self, request: Request) -> Response:
        try:
            data = await asyncio.to_thread(self._cells.samples.picture, request.path_params["name"])
        except UnknownName as error:
            return PlainTextResponse(str(error), status_code=404)
        return Response(data, media_type="image/webp", headers={"cache-control": "public, max-age=3600"})

    async def _robot_picture(self, request: Request) -> Response:
        try:
            data = await asyncio.wrap_future(self._pictures.of(request.path_params["name"]))
        except UnknownName as error:
            return PlainTextResponse(str(error), status_code=404)
        return Response(data, media_type="image/webp", headers={"cache-control": "public, max-age=3600"})
