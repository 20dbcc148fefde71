"""Supervise one program: its files, time, memory and processes, whatever isolates it."""
