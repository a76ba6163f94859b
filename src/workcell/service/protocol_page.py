"""The page docs/protocol.md: what a client in any language needs to know; tables come from the declared messages."""

from __future__ import annotations

import inspect
import typing

import msgspec
import msgspec.inspect as mi

from workcell.service import line_port, protocol
from workcell.service.audience import MAX_CLIENTS
from workcell.service.http_connection import REQUEST_WITHIN
from workcell.service.hub import MAX_REQUESTS
from workcell.service.strangers import MAX_STRANGERS
from workcell.service.typescript import type_name
from workcell.service.wire import MAX_MESSAGE

_LINES = f"""# The protocol

This page is for writing a client in any language. There are two ways in: *line ports* for programs that send text,
and the *WebSocket* for pages and programs that follow the cell. [service.md](service.md) explains the server and its
token. The tables of messages are generated from the source.

## Line ports

```
workcell serve my.cell --lines 8766                  # a TCP port on this machine; 0 for a free one
workcell serve my.cell --lines /run/user/1000/cell   # a Unix socket (any value that is not a number)
workcell serve my.cell --agent 8767                  # the same for the Agent language
```

A program opens a socket and sends lines of UTF-8 that end with a line feed; a carriage return before it is ignored. A
line may have {line_port.MAX_LINE:,} bytes. Lines are carried out in order. You may send several without waiting; each
is answered before the next one begins.

**The token.** On a TCP port the first line is the token, as a comment: `# token TOKEN` for commands, `; token TOKEN`
for Agent. It has no answer. It must come within {line_port.TOKEN_WITHIN:g} s. A wrong token is answered by an error,
and the connection is closed. A Unix socket needs no token.

**Commands.** A line is a command as a person types it: [commands.md](commands.md) lists them all. Numbers without a
unit are in the units of the cell (millimetres and degrees in a new one), so it is safest to write the units: `10deg`,
`0.3rad/s`, `5mm`. The answer is:

- any number of lines that begin with a bar and a space: the text of the answer;
- then one line: `ok`, or `error KIND SENTENCE`. KIND is the class of the error, such as `JointLimit`; the sentence
  explains it.

Blank lines and lines that begin with `#` have no answer. A program (`program NAME` … `end`) is sent as its lines and
has one answer, after its `end`.

**The end.** A program ends when it closes the connection. Requests that nobody waits for any longer are cancelled. A
program may also close only its sending side and go on reading. While a line takes long, it then receives a line
`| …` every second, which it can ignore. A line that is too long or not UTF-8 is answered by an error, and the
connection is closed.

```
→ # token wWcVNwPfNwGKYxWQ
→ move-joints-relative Puma -70,-10,10,30,-20,-10
← | Puma moved in 4.1563 s; simulated time 4.1563 s
← ok
→ move-joints-absolute Pume 0,0,-90,0,90,0
← error UnknownName There is no robot 'Pume'. …
```

**Calls.** A line that begins with a brace is a call in JSON, in SI units: metres, radians, seconds. A pose is a 4×4
matrix by rows. [commands.schema.json](commands.schema.json) has the parameters of every command. The answer is one
line of JSON:

```
→ {{"command": "move-joints-relative", "parameters": {{"robot": "Puma", "joints": [0.1, 0, 0, 0, 0, 0]}}}}
← {{"ok":true,"kind":"Moved","text":"Puma moved in …","value":{{"robot":"Puma","duration":0.33436005, …}}}}
→ {{"command": "fk", "parameters": {{"robot": "Pume"}}}}
← {{"ok":false,"kind":"UnknownName","text":"There is no robot …","evidence":{{…}}}}
```

**Agent.** On an Agent port, lines are those of [the Agent language](agent.md). The output of each line is sent as it
is: reports, errors, or nothing. A program that waits for a line without output can send a report command such as
`get-angles` after it.

**Interpreting.** Somebody types `interpret path` in a window of the server, as in the thesis of 1987. The next
program that connects is *interpreted*: its first refused line ends it. The server sends the error, closes the
connection, and shows the error in every window. Errors of other programs are shown in every window too, but end
nothing.

[program1.c](../examples/programs/program1.c) is a whole client in C, with plain sockets.

## The WebSocket

Connect to `ws://HOST:PORT/ws` with the token in the header `X-Workcell-Token`, in `Authorization: Bearer …`, or as
`?token=…`. Do not send an `Origin` of another site. A Unix socket (`--socket PATH`) takes the same requests without a
token.

A text frame is one JSON message; its field `type` names it. A binary frame answers a request for numbers. Ignore
unknown messages of the server. The protocol has version {protocol.VERSION}; the server sends it first, in
`hello`.

A client sends `command` or `call` with a number of its own in `request`; the `result` or `error` that answers it has
the same number. Other messages may come before it.

Limits: {MAX_CLIENTS} clients, {MAX_REQUESTS} requests in progress for each, {MAX_MESSAGE:,} bytes a message. Clients
share the time of the server equally: if one asks for more, its messages wait in its socket. A client that does not
read its messages gets `behind`, and is eventually disconnected. A connection must send its first request within
{REQUEST_WITHIN:g} s. From one address, at most {MAX_STRANGERS} connections may be silent at a time; if there is one
more, the oldest of them is closed.
"""

_FRAMES = """
## Binary frames

Numbers are little-endian. A frame begins with two `u32`: its kind, and the request that it answers.

| kind | what follows |
|---|---|
| 1, poses | `f64` start [s], `f64` step [s], `u32` count, `u32` bodies; then `f32` [count, bodies, 7]: x y z [m] and the quaternion w x y z of each body |
| 2, recording | the recording as `save-recording` writes it |
| 3, motion | `u32` count, `u32` bodies, `u32` columns, `u32` zero; then `f64` [count]: times of keyframes [s]; `f32` [count, bodies, 7]: poses as above; `f32` [count, columns]: joint values [rad or m] of the robots that were asked for |
| 4, packed | `u32`: 1 for a packed text frame, 2 for a binary one; then that frame, deflated (zlib) |
"""  # noqa: E501 (rows of a table)


def markdown() -> str:
    """Return the page."""
    parts = [_LINES, "\n### Messages of a client\n", *_messages(protocol.ClientMessage)]
    parts += ["\n### Messages of the server\n", *_messages(protocol.ServerMessage)]
    parts += ["\n### Values inside messages\n", *_values()]
    return "".join([*parts, _FRAMES])


def _messages(union: object) -> list[str]:
    return [_section(kind, f"`{kind.__struct_config__.tag}`") for kind in typing.get_args(union)]


def _values() -> list[str]:
    kinds = [getattr(protocol, name) for name in protocol.__all__]
    values = [
        kind
        for kind in kinds
        if inspect.isclass(kind) and issubclass(kind, protocol.MessageValue) and kind is not protocol.MessageValue
    ]
    return [_section(kind, f"`{kind.__name__}`") for kind in values]


def _section(kind: type[msgspec.Struct], title: str) -> str:
    """Return what a message is for, and its fields."""
    text = inspect.cleandoc(kind.__doc__ or "").replace("``", "`").replace(":mod:", "")
    rows = [
        f"| `{field.encode_name}` | `{_in_table(type_name(field.type))}` | {_need(field)} |\n"
        for field in typing.cast(mi.StructType, mi.type_info(kind)).fields
    ]
    table = "".join(["\n| field | type | |\n|---|---|---|\n", *rows]) if rows else ""
    return f"\n#### {title}\n\n{text}\n{table}"


def _in_table(text: str) -> str:
    return text.replace("|", "\\|")


def _need(field: mi.Field) -> str:
    return "" if field.required else "may be left out"
