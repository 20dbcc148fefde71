"""The values of a run. Each holds what came before it; all are frozen and travel as JSON."""
