"""Exchange files: one module per format."""
