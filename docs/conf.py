"""The site: `pip install ".[docs]" && sphinx-build -W --keep-going docs site`."""

import stablegraph

project = "stablegraph"
author = copyright = "The stablegraph developers"
version = release = stablegraph.__version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3  # links such as benchmarks.md#the-unit
highlight_language = "text"  # of indented blocks: what a terminal shows
default_role = "py:obj"  # a name in single backticks is a link where there is something of that name

autodoc_typehints = "none"  # the docstrings have the types
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # they are shown whole, after their class

html_theme = "pydata_sphinx_theme"
html_title = f"stablegraph {version}"
html_theme_options = {"show_toc_level": 2, "secondary_sidebar_items": ["page-toc"], "show_prev_next": False}
