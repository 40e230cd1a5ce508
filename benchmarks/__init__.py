"""Benchmarks: one harness, one file of cases per problem, raw results as JSON lines, tables and plots of them."""
