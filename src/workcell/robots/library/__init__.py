"""The robots that come with Workcell: one TOML file per robot, read by ``workcell.robots.catalogue``."""
