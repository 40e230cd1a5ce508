"""Private helpers of all packages; none of them has a public name."""
