"""Does anything touch, where, when, how close does it come: for one state, for many, and for whole motions."""
