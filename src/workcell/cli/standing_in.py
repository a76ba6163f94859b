"""The command that stands in for a real robot."""

from __future__ import annotations

import math

import click

from workcell.cli.entry import main
from workcell.cli.output import json_option, json_text


@main.command("robot-stand-in")
@click.argument("model")
@click.option("--port", default=0, show_default=True, help="The port on 127.0.0.1; 0 chooses a free one.")
@click.option("--noise", default=0.0, show_default=True, help="The standard deviation of measurements [deg or mm].")
@click.option("--offset", default=0.0, show_default=True, help="What every measurement is off by [deg or mm].")
@click.option("--slow", default=1.0, show_default=True, help="How many times longer motions take than planned.")
@click.option("--fast", is_flag=True, help="Follow motions at once instead of in real time.")
@click.option("--seed", default=0, show_default=True, help="The seed of the noise.")
@json_option
def robot_stand_in(
    model: str, port: int, noise: float, offset: float, slow: float, fast: bool, seed: int, as_json: bool
) -> None:
    """Stand in for a real robot of a MODEL of the library, so that drivers can be tried without one.

    It listens on this machine, prints its address, and follows motions until it is stopped.
    """
    import numpy as np

    from workcell.robots.catalogue import robot
    from workcell.simulation.stand_in import StandIn

    one = robot(model)
    size = np.where(one.chain.prismatic, 1e-3, math.pi / 180.0)
    stand_in = StandIn(one.home, noise * size, offset * size, slow, fast, seed, one.name, one.limits)
    number, thread = stand_in.serve(port)
    address = f"tcp://127.0.0.1:{number}"
    click.echo(json_text({"address": address, "joints": one.n}) if as_json else f"{model} at {address}")
    try:
        thread.join()
    except KeyboardInterrupt:
        click.echo("stopped", err=True)
