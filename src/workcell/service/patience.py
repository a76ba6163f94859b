"""How long the two ends of a connection wait for each other."""

PATIENCE = 120.0
"""A connection ends if a ping is not answered for this long [s].

The compilation of a kernel holds the interpreter lock; on a busy machine this takes longer than the usual 20 s.
"""
