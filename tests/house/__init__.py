"""Tests of the repository itself: prose, pages, layout, and the scripts that count."""
