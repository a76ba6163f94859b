"""Robots that do what a program says, in simulated time, and the recording of what happened."""
