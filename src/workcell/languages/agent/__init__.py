"""The Agent language: a stream of command lines that configures a cell, moves its robots and reports on them."""
