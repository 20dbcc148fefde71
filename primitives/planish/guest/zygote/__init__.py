"""The template process that programs are forked from, and the supervisor of each."""
