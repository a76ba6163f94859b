"""Guidance between obstacles: rates of the joints from where the arm and the obstacles are, one step at a time."""
