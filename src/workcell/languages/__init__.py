"""Languages of other systems: each is read into a cell or a program, and written from it."""
