"""Graphs in partitions: the engine, the form of each problem, and verifiers; its public name is distributed."""
