"""Colorings of the columns and rows of sparse Jacobians and Hessians, and their evaluation from few products."""
