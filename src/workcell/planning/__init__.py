"""Finding the way: paths that are proved free, the order of work, guidance between obstacles."""
