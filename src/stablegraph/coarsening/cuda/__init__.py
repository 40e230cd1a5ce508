"""Forms for a GPU."""
