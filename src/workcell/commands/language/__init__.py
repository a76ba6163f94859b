"""The command language: words, types of parameters, the registry of commands, the key tree, and programs as text."""
