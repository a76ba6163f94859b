"""``python -m workcell``."""

from workcell.cli import main

main()
