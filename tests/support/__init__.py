"""Common code of the tests: graphs, slow oracles, child processes."""
