"""Joint values are the same to the last bit in the process that compiles the kernels and in those that load them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import hashlib
import numpy as np
import workcell as wc

for name in ("puma560", "ur5e"):
    arm = wc.robot(name)
    q = np.random.default_rng(1).uniform(*arm.limits.T, (4000, 6))
    q[:400] = np.round(q[:400] / (np.pi / 4)) * (np.pi / 4)
    values, valid = arm.ik_batch(arm.fk_batch(q), threads=1)
    print(name, hashlib.sha256(values.tobytes() + valid.tobytes()).hexdigest())
"""


@pytest.mark.soak
def test_inverse_kinematics_is_the_same_in_every_process(tmp_path):
    def found() -> str:
        around = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        done = subprocess.run([sys.executable, "-c", SCRIPT], env=around, capture_output=True, text=True, check=True)
        return done.stdout

    compiled = found()
    assert compiled.count("\n") == 2
    assert found() == compiled
