"""Write what is generated from declarations: the command reference, schemas, and the page's types."""

from __future__ import annotations

from pathlib import Path

from rooms import diagram
from workcell.commands.documents import markdown, schemas
from workcell.service.protocol import typescript as protocol_types
from workcell.service.protocol_page import markdown as protocol_page
from workcell.service.typescript import commands as command_types

ROOT = Path(__file__).resolve().parent.parent
GENERATED = {
    ROOT / "docs" / "commands.md": markdown,
    ROOT / "docs" / "commands.schema.json": schemas,
    ROOT / "docs" / "protocol.md": protocol_page,
    ROOT / "docs" / "images" / "rooms.svg": diagram,
    ROOT / "src" / "workcell" / "workbench" / "app" / "src" / "lib" / "commands.ts": command_types,
    ROOT / "src" / "workcell" / "workbench" / "app" / "src" / "lib" / "protocol.ts": protocol_types,
}


def main() -> int:
    for path, write in GENERATED.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(write(), encoding="utf-8")
        print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
