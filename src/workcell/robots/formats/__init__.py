"""Robot files of others, in and out: URDF, Ding's WLD, ROBOSIM link files."""
