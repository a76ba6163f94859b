"""Free-form shapes: NURBS curves and surfaces, in NumPy."""
