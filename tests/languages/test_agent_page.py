"""The page about the Agent language and its example program do what they say."""

from __future__ import annotations

import re
from pathlib import Path

from agent_talk import talk

from workcell.languages.agent.stream import AgentStream
from workcell.languages.agent.table import COMMANDS

ROOT = Path(__file__).resolve().parents[2]


def test_the_session_on_the_page_runs_as_printed(cell):
    (session,) = re.findall(r"```agent\n(.*?)```", (ROOT / "docs" / "agent.md").read_text(), re.DOTALL)
    talk(AgentStream(cell.session), session)


def test_the_example_program_moves_the_part(cell):
    stream = AgentStream(cell.session)
    out = [
        one
        for line in (ROOT / "examples" / "programs" / "pick.agent").read_text().splitlines()
        for one in stream.line(line)
    ]
    assert out == ["position of agent arm in line pick:7 --- 600 200 122 0 0 180"]
    assert [round(row[3] * 1e3, 6) for row in cell.do("where part").matrix[:3]] == [600.0, 200.0, 22.0]


def test_the_page_lists_every_command_with_its_arguments_and_what_it_stands_for():
    section = (ROOT / "docs" / "agent.md").read_text().partition("## Commands\n")[2].partition("\n## ")[0]
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in section.splitlines() if line.startswith("| `")]
    listed = [[cell.strip().replace("\\|", "|") for cell in row] for row in rows]
    assert listed == [
        [
            f"`{one.name}`",
            f"`{one.form}`" if one.form else "",
            one.help,
            ", ".join(f"`{name}`" for name in one.onto) or "the stream itself",
        ]
        for one in COMMANDS.values()
    ]
