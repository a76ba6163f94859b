"""The places of the numbers of a proof: distances and times in ``aim``, whole numbers in ``counts``."""

from __future__ import annotations

LEAST_MET, TIGHTNESS, TOLERANCE, BOUND, BOUND_TIME, CONTACT_TIME, CUT_OFF = range(7)
"""In ``aim``: the least clearance met, how tight the bound shall be, how fine intervals are cut, the bound and its
time, the time of the first contact, and the time from which on nothing matters."""
TESTS, MOST_TESTS, BOUND_PAIR, CONTACT_PAIR, STUCK = range(5)
"""In ``counts``: the tests made and allowed, the pairs of the bound and of the contact, the number of stuck
intervals."""
