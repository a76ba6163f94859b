"""The robots that come with Workcell: one TOML file a robot, read by ``workcell.robots.catalogue``."""
