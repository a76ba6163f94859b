"""The names of the motion profiles."""

from __future__ import annotations

PROFILES = {
    "linear": "constant speed, as in the thesis",
    "345": "the 3-4-5 polynomial",
    "spline": "a cubic spline, at rest at both ends",
    "trapezoid": "constant acceleration, speed, deceleration",
    "jerk": "limited jerk",
    "time-optimal": "the fastest within the limits",
    "toppra": "the same by toppra, where it is installed",
}
"""The ways in which position may grow with time."""
