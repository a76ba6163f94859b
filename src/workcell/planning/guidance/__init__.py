"""Guidance between obstacles: an arm of generalised links, or any arm of the cell, drawn to its destination."""
