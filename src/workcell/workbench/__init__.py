"""The workbench: the web page that shows a cell. Its source is in ``app``, what is built from it in ``static``."""
