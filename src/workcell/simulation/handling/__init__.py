"""Parts that robots pick, put down and hand over, by name: the way is found and proved before anything moves."""
