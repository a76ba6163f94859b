"""A process beside the tests that fails, or is silent, ends its test with all that it wrote."""

from __future__ import annotations

import pytest

from child_process import Child, child


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import sys; print('half', flush=True); sys.exit('the door is taken')", "ended"),
        ("import sys, time; print('half\\nthe door is taken', flush=True); time.sleep(600)", "printed nothing for"),
    ],
)
def test_a_process_without_an_address_is_ended_and_shows_its_output(code: str, why: str) -> None:
    with child("-c", code) as process, pytest.raises(AssertionError) as caught:
        process.address(2.0)
    assert process.process.poll() is not None
    for part in (why, "half", "the door is taken"):
        assert part in str(caught.value)


def test_a_process_that_does_not_end_is_killed() -> None:
    process = Child("-c", "import time; print('here', flush=True); time.sleep(600)")
    assert process.line() == "here\n"
    with pytest.raises(AssertionError, match=r"did not end in 0\.2 s"):
        process.ended(0.2)
    assert process.process.poll() is not None


def test_a_process_that_writes_much_is_not_held_up() -> None:
    with child("-c", "import sys; print('x' * 10**6, file=sys.stderr); print(sys.stdin.readline())") as process:
        process.say("a line")
        assert process.line() == "a line\n"
        assert process.ended() == ("\n", "x" * 10**6 + "\n")
