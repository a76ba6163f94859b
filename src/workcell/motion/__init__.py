"""Joint values as functions of time."""
