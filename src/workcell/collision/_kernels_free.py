"""Compiled questions with a yes or a no: is a joint configuration free, is a straight joint edge free.

``scene`` is the tuple :attr:`workcell.collision.free_space.FreeSpace.scene`, and ``room`` what :func:`new_room` makes
of it: memory for one thread that asks many questions. A configuration is one row of joint values of all robots.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.collision._kernels_meshes import new_small, new_tools, pair_within
from workcell.collision._kernels_poses import place_frames, relative
from workcell.collision._kernels_states import state_contacts

Array = NDArray[np.float64]

_NONE = -1


@compiled
def new_room(scene: Any) -> Any:
    """Return the memory that the questions of one thread about a scene need."""
    poses = scene[5].copy()
    found = np.empty((1, 3), dtype=np.int32)
    last = np.full(2, _NONE, dtype=np.int64)
    return poses, new_tools(), new_small(), found, last, np.zeros(1), np.zeros((1, 12)), np.empty(scene[8])


@compiled
def state_free(scene: Any, q: Array, room: Any) -> bool:
    """Return whether nothing touches or comes too near at a configuration; the search stops at the first contact.

    The pair that was too near when the answer last was no is tested first.
    """
    mesh, bodies, frames, which, still, _, moving, reach, _ = scene
    poses, tools, small, found, last, margin, free, _ = room
    frame = bodies[1]
    rel, back, hit, out, _ = small
    place_frames(frames, which, q, free, poses)
    if last[0] != _NONE:
        a, b = last[0], last[1]
        relative(poses, frame[a], frame[b], rel)
        if pair_within(mesh, bodies, a, b, rel, back, margin[0], tools, hit, out):
            return False
    if state_contacts(mesh, bodies, still, moving, reach, q, poses, 1, tools, small, found) > 0:
        last[0], last[1], margin[0] = found[0, 0], found[0, 1], out[6]
        return False
    return True


@compiled
def edge_free(scene: Any, q0: Array, q1: Array, step: float, room: Any) -> bool:
    """Return whether a straight joint edge is free where it is looked at: no joint moves by more than ``step`` between.

    The far end comes first, then the middle, the quarters and so on, so that a blocked edge is found out early. The
    near end ``q0`` is taken to be free. This is a sample, not a proof: certify the path that is returned.
    """
    q = room[7]
    farthest = 0.0
    for j in range(q0.shape[0]):
        farthest = max(farthest, abs(q1[j] - q0[j]))
    count = max(1, math.ceil(farthest / step))
    if not state_free(scene, q1, room):
        return False
    stride = 1
    while 2 * stride < count:
        stride *= 2
    while stride > 0:
        for k in range(stride, count, 2 * stride):
            s = k / count
            for j in range(q0.shape[0]):
                q[j] = q0[j] + s * (q1[j] - q0[j])
            if not state_free(scene, q, room):
                return False
        stride //= 2
    return True
