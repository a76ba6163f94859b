"""The world database: what exists, where it is, and the immutable snapshot that engines use."""
