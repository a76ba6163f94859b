"""Shapes: contours, surfaces, solids as recipes, meshes, mass properties and exchange files."""
