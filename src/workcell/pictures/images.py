"""Finished images: PNG files, captions, several images in one."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell.errors import FileProblem, InvalidValue
from workcell.pictures.colours import Colour

Image = NDArray[np.uint8]

_INK: Colour = (0.20, 0.23, 0.27)

_PNG = b"\x89PNG\r\n\x1a\n"
_COMPRESSION = 4
"""The compression level: files a tenth larger than at 6, in half the time."""


def save_png(image: Image, path: str | Path) -> Path:
    """Write an image as a PNG file; the folder must exist, and a file that is not a picture is not replaced."""
    target = picture_file(path)
    picture = _pillow(image)
    try:
        picture.save(target, format="PNG", compress_level=_COMPRESSION)
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileProblem(f"The picture cannot be written to {target}: {reason}.", path=str(target)) from error
    return target


def picture_file(path: str | Path) -> Path:
    """Return the path; refuse it if a picture cannot go there: wrong ending, or another file is there."""
    target = Path(path)
    checked_ending(target)
    try:
        if target.is_file():
            with target.open("rb") as file:
                refuse_other(target, file.read(len(_PNG)))
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileProblem(f"The picture cannot be written to {target}: {reason}.", path=str(target)) from error
    return target


def checked_ending(path: Path) -> None:
    """Refuse a name without the ending of a picture."""
    if path.suffix.lower() not in (".png", ""):
        raise FileProblem(
            f"A picture is written as PNG, and {path.name} ends in {path.suffix}; give a name that ends in .png.",
            path=str(path),
        )


def refuse_other(path: Path, start: bytes) -> None:
    """Refuse to overwrite a file that begins with these bytes and is not a picture."""
    if start and not start.startswith(_PNG):
        raise FileProblem(
            f"{path} is not a picture and is not overwritten; give another name, or remove it first.", path=str(path)
        )


def png_bytes(image: Image) -> bytes:
    """An image as the bytes of a PNG file."""
    import io

    buffer = io.BytesIO()
    _pillow(image).save(buffer, format="PNG", compress_level=_COMPRESSION)
    return buffer.getvalue()


def caption(image: Image, text: str, size: int = 16, colour: Colour = _INK) -> Image:
    """The image with a line of text in its upper left corner."""
    return write(image, [(size * 0.9, size * 0.7, text)], size, colour)


def write(
    image: Image, texts: Sequence[tuple[float, float, str]], size: int, colour: Colour = _INK, anchor: str = "la"
) -> Image:
    """The image with texts at (x, y) [pixel]; ``anchor`` is that of pillow."""
    from PIL import ImageDraw

    picture = _pillow(image)
    draw = ImageDraw.Draw(picture)
    font = _font(size)
    fill = tuple(round(255 * part) for part in colour)
    for x, y, text in texts:
        draw.text((x, y), text, font=font, fill=fill, anchor=anchor)
    return np.array(picture)


@functools.lru_cache(maxsize=32)
def glyph(text: str, size: int) -> NDArray[np.float32]:
    """(h, w, 1) the share of each pixel of its own box that a text covers, from 0 to 1; read-only."""
    from PIL import Image as Pillow
    from PIL import ImageDraw

    left, top, right, bottom = (round(edge) for edge in _font(size).getbbox(text))
    picture = Pillow.new("L", (right - left, bottom - top))
    ImageDraw.Draw(picture).text((-left, -top), text, fill=255, font=_font(size))
    cover = np.asarray(picture, dtype=np.float32)[:, :, None] / np.float32(255.0)
    cover.flags.writeable = False
    return cover


@functools.lru_cache(maxsize=8)
def _font(size: int) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size)


def contact_sheet(
    images: Sequence[Image],
    captions: Sequence[str] = (),
    columns: int = 0,
    gap: int = 8,
    background: Colour = (1.0, 1.0, 1.0),
) -> Image:
    """Several images in rows, each with its caption.

    Args:
        images: (h, w, 3) bytes each; smaller ones are centred in their place.
        captions: one for each image, or none.
        columns: the number of images side by side; 0 makes the sheet about square.
        gap: the gap between and around images [pixel].
        background: the colour between them.
    """
    if not len(images):
        raise InvalidValue("A contact sheet needs at least one image.")
    if captions and len(captions) != len(images):
        raise InvalidValue(
            f"There are {len(images)} images but {len(captions)} captions; give one for each image, or none."
        )
    if columns < 0 or gap < 0:
        raise InvalidValue(f"Columns and gap must not be negative; found {columns} and {gap}.")
    checked = [_checked(image) for image in images]
    columns = min(len(checked), columns or math.ceil(math.sqrt(len(checked))))
    rows = math.ceil(len(checked) / columns)
    tall, wide = (max(image.shape[axis] for image in checked) for axis in (0, 1))
    sheet = np.empty((gap + rows * (tall + gap), gap + columns * (wide + gap), 3), dtype=np.uint8)
    sheet[:] = [round(255 * part) for part in background]
    for index, image in enumerate(checked):
        h, w = image.shape[:2]
        top = gap + (index // columns) * (tall + gap) + (tall - h) // 2
        left = gap + (index % columns) * (wide + gap) + (wide - w) // 2
        sheet[top : top + h, left : left + w] = caption(image, captions[index]) if captions else image
    return sheet


def _checked(image: Image) -> Image:
    array = np.asarray(image)
    if array.ndim != 3 or array.shape[2] != 3 or array.dtype != np.uint8 or not array.size:
        raise InvalidValue(f"An image must be (height, width, 3) bytes; found shape {array.shape}, {array.dtype}.")
    return array


def _pillow(image: Image) -> Any:
    from PIL import Image as Pillow

    return Pillow.fromarray(np.ascontiguousarray(_checked(image)))
