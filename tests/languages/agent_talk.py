"""Transcripts of the Agent language: lines that begin with ``> `` are sent, the others are the whole answer."""

from __future__ import annotations

import textwrap

from workcell.languages.agent.stream import AgentStream


def talk(stream: AgentStream, transcript: str) -> None:
    """Send the lines of a transcript, and compare every answer character for character."""
    sent: list[tuple[str, list[str]]] = []
    for line in textwrap.dedent(transcript).strip("\n").split("\n"):
        if line.startswith(">"):
            sent.append((line[1:].removeprefix(" "), []))
        else:
            sent[-1][1].append(line)
    for line, expected in sent:
        assert stream.line(line) == expected, line


def names_sent(transcript: str) -> set[str]:
    """Return the names of the commands that a transcript sends."""
    lines = [line.strip()[1:] for line in transcript.split("\n") if line.strip().startswith(">")]
    parts = [part.rpartition(": ")[2] for line in lines for part in line.partition(";")[0].split(",")]
    return {part.split()[0] for part in parts if part.split()}
