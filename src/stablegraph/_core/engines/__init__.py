"""The engines: each schedule once, in which a problem plugs its rule. The machine code is that of a loop of its own."""
