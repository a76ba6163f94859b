"""The plant that moves robots in simulated time, the interpreter of programs, and the recording of what happened."""
