"""The wire: a server for one cell, the messages both ways, and the Python client."""
