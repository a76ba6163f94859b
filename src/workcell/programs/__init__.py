"""Programs as data: typed steps with expressions, what each needs, and the checker."""
