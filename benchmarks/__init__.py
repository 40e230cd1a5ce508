"""Measuring: one harness, one file of cases a problem, raw results as JSON lines, tables and plots made from them."""
