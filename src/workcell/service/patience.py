"""How long the two ends of a connection wait for a sign of each other."""

PATIENCE = 120.0
"""A connection ends when a ping is not answered for so long [s].

A kernel that is compiled holds the interpreter lock, and on a busy machine for longer than the 20 s that are usual.
"""
