"""Private helpers of all packages; nothing here has a public name."""
