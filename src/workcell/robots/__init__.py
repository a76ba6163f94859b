"""Robots: arms from a library or from a DH table, their shapes, tools, grippers and exchange formats."""
