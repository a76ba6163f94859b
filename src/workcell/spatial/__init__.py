"""Where things are: poses, transformations, rotations and their conventions, units at the edge."""
