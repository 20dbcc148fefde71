"""The program that installs packages, run in an interpreter of its own."""
