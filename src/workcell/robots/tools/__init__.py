"""The tools of the library, one TOML file per tool."""
