"""Free form: NURBS curves and surfaces, in NumPy."""
