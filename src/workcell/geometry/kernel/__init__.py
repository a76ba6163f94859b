"""The CAD kernel in its own process, and the cache of its results."""
