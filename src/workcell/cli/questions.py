"""Commands that answer without a cell file: help, robots, tools, fk, ik."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from workcell.cli.entry import main
from workcell.cli.output import json_option, json_text


@main.command()
@json_option
def robots(as_json: bool) -> None:
    """List the robots of the library."""
    _answer("robots", as_json)


@main.command()
@json_option
def tools(as_json: bool) -> None:
    """List the tools of the library."""
    _answer("tools", as_json)


@main.command("help")
@click.argument("topic", nargs=-1)
@click.pass_context
@json_option
def help_on(context: click.Context, topic: tuple[str, ...], as_json: bool) -> None:
    """Explain a command of this list, or a command or topic of the shell: workcell help move-path."""
    above = context.find_root()
    command = main.get_command(above, topic[0]) if len(topic) == 1 else None
    if not topic:
        click.echo(f"{above.get_help()}\n\nType `workcell help TOPIC` for a command of the shell.")
    elif command is not None and not as_json:
        click.echo(command.get_help(click.Context(command, info_name=topic[0], parent=above)))
    else:
        _answer(f"help {' '.join(topic)}", as_json)


def _answer(line: str, as_json: bool) -> None:
    from workcell.commands.cell import Cell
    from workcell.commands.shell import result_json

    with Cell() as cell:
        result = cell.do(line)
        click.echo(json_text(result_json(result)) if as_json else str(result))


def _result_option(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        "-o", "--output", type=click.Path(path_type=Path), help=f"Also write a result file, such as {name}."
    )


@main.command(context_settings={"ignore_unknown_options": True})
@click.argument("robot")
@click.argument("joints")
@_result_option("DirectKinematics")
@json_option
def fk(robot: str, joints: str, output: Path | None, as_json: bool) -> None:
    """Show the frames of a library robot: workcell fk irb6400 0,90,0,0,0,180 (degrees or millimetres)."""
    _ask_robot(robot, f"{joints} in base", "fk", as_json)
    if output is not None:
        _ask_robot(robot, f'"{output}" {joints}', "export direct-kinematics", as_json)


@main.command(context_settings={"ignore_unknown_options": True})
@click.argument("robot")
@click.argument("pose", nargs=-1, required=True)
@_result_option("InverseKinematics")
@json_option
def ik(robot: str, pose: tuple[str, ...], output: Path | None, as_json: bool) -> None:
    """List every way to reach a pose: workcell ik irb6400 1688,0,2075 euler ding_ypr 0,90,0."""
    where = f"{' '.join(pose)} in base"
    _ask_robot(robot, where, "ik", as_json)
    if output is not None:
        _ask_robot(robot, f'"{output}" at {where}', "export inverse-kinematics", as_json)


def _ask_robot(robot: str, what: str, question: str, as_json: bool) -> None:
    from workcell.commands.cell import Cell
    from workcell.commands.shell import result_json
    from workcell.robots.catalogue import library_name

    with Cell() as cell:
        name = library_name(robot)
        cell.do(f'create robot "{name}" "{name}"')
        result = cell.do(f'{question} "{name}" {what}')
        click.echo(json_text(result_json(result)) if as_json else str(result))
