"""What the interpreter that runs a program finds on its path before anything else."""
