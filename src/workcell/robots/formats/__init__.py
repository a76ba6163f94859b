"""Robot files of other programs, read and written: URDF, Ding's WLD, ROBOSIM link files."""
