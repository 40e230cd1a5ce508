"""The commands of ``stablegraph``: a file contains one command, or a few that answer the same kind of question."""
