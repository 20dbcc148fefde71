"""The steps that a pipeline is made of: they generate, execute and judge, or call a function."""
