"""Exchange files: one module a format."""
