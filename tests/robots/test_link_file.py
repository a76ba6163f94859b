"""ROBOSIM link files: rows of four numbers, in and out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from workcell.errors import FileProblem, InvalidValue
from workcell.robots.catalogue import robot
from workcell.robots.formats import link_file
from workcell.robots.formats.link_file import LinkFile
from workcell.robots.link import Link, MassProperties


def bare(arm: str = "puma560"):  # type: ignore[no-untyped-def]
    """A robot without shapes, so that no CAD kernel is needed for the vectors."""
    found = robot(arm)
    mass = MassProperties(2.0, np.array([0.1, 0.0, -0.05]), np.diag([0.2, 0.3, 0.4]))
    return found.replace(links=tuple(Link(link.name, mass=mass) for link in found.links))


@pytest.mark.parametrize("joint", range(1, 7))
def test_a_link_file_gives_its_numbers_back(joint: int) -> None:
    link = link_file.link_of_robot(bare(), joint)
    again = link_file.parse(link_file.write(link))
    for name in ("inertia", "input_frame", "output_frame", "a_matrix", "vectors"):
        assert np.array_equal(getattr(again, name), getattr(link, name))
    assert (again.theta, again.dz, again.da, again.alpha) == (link.theta, link.dz, link.da, link.alpha)
    assert again.check() == ()


@pytest.mark.parametrize("name", ["puma560", "stanford", "irb6400"])
def test_a_robot_survives_as_link_files(name: str) -> None:
    arm = bare(name)
    links = [link_file.link_of_robot(arm, i) for i in range(1, arm.n + 1)]
    if arm.chain.prismatic.any():
        links = [link_file.parse(link_file.write(link)) for link in links]
    again = link_file.robot_from_links(links, name)
    assert again.fk(again.home).is_close(arm.fk(arm.home), 1e-9, 1e-9)
    mass = again.links[3].mass
    assert mass is not None
    assert mass.mass == pytest.approx(2.0)
    assert mass.centre == pytest.approx([0.1, 0, -0.05])
    assert np.diag(mass.inertia) == pytest.approx([0.2, 0.3, 0.4])


def test_a_base_with_a_fixed_joint_only_carries_the_rest() -> None:
    base = np.eye(4)
    base[2, 3] = 400.0
    links = [LinkFile(0, 400, 0, 0, types=(3, 1), a_matrix=base), LinkFile(30, 0, 250, 0)]
    arm = link_file.robot_from_links(links)
    assert arm.n == 1
    assert arm.fk([0.0]).xyz == pytest.approx([0.25, 0, 0.4])
    assert arm.home == pytest.approx([np.radians(30)])
    # At the other end it is the tool.
    arm = link_file.robot_from_links([links[1], links[0]])
    assert arm.n == 1
    assert arm.fk(arm.home).xyz == pytest.approx([0.25 * np.cos(np.pi / 6), 0.125, 0.4])


def test_the_edges_of_a_shape_become_vectors() -> None:
    link = link_file.link_of_robot(robot("planar2r"), 1)
    assert len(link.vectors) > 0
    assert set(link.vectors[:, 3]) == {0.0, 1.0}
    assert np.array_equal(link_file.parse(link_file.write(link)).vectors, link.vectors)


def test_a_file_that_contradicts_itself_is_found_out() -> None:
    wrong = LinkFile(10, 5, 2, 90)
    assert wrong.check() == ("the A matrix does not follow from theta, dz, da and alpha",)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: lines[:12], r"x.lnk is cut off: a link file has at least 19 rows of four numbers; found 12"),
        (lambda lines: [*lines[:18], "3 0 0 0", *lines[19:]], r"row 19 announces 3 vectors; 0 follow"),
        (lambda lines: ["1 2 3", *lines[1:]], r"x.lnk, line 1: four finite numbers were expected; found '1 2 3'"),
        (lambda lines: ["1 2 3 x", *lines[1:]], r"x.lnk, line 1: four numbers were expected"),
        (lambda lines: ["1 2 3 nan", *lines[1:]], r"line 1: four finite numbers"),
    ],
)
def test_damage_is_one_clear_line(change, message: str) -> None:  # type: ignore[no-untyped-def]
    lines = link_file.write(link_file.link_of_robot(bare(), 2)).splitlines()
    with pytest.raises(FileProblem, match=message):
        link_file.parse("\n".join(change(lines)), "x.lnk")


def test_an_unknown_joint_type_is_refused() -> None:
    with pytest.raises(InvalidValue, match="1 \\(revolute\\), 2 \\(prismatic\\) or 3 \\(fixed\\); found 7"):
        LinkFile(0, 0, 0, 0, types=(7, 1))


def test_a_missing_file_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="cannot be read"):
        link_file.read(tmp_path / "none.lnk")
