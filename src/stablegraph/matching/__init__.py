"""Matchings: sets of edges without common ends, maximal or heavy."""
