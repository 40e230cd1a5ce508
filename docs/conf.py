"""The site: `pip install ".[docs]" && sphinx-build -W --keep-going docs site`.

With `-D plot_gallery=0` the gallery's programs are shown and not run, which takes a fraction of the time. No build
needs a network: formulas become MathML, and the inventories of other projects are in `inventories/`.
"""

import importlib.util
import os
import sys
from pathlib import Path

import stablegraph

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "extensions"), str(HERE.parent)]  # `benchmarks` makes the page of measurements
os.environ.setdefault("MPLBACKEND", "Agg")

project = "stablegraph"
author = copyright = "The stablegraph developers"
version = release = stablegraph.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "measured",
]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3  # links such as benchmarks.md#the-unit
highlight_language = "text"  # of indented blocks: what a terminal shows
default_role = "py:obj"  # a name in single backticks is a link where there is something of that name
html_math_renderer = "mathml"
templates_path = ["templates"]
exclude_patterns = ["templates", "checks", "sg_execution_times.rst", "**/sg_execution_times.rst"]
suppress_warnings = ["config.cache"]  # the gallery's order is a function, which cannot be kept from build to build

autodoc_typehints = "none"  # the docstrings have the types
autodoc_member_order = "bysource"
maximum_signature_line_length = 72  # longer ones have one line per parameter
autosummary_ignore_module_all = False
autosummary_imported_members = True
numpydoc_show_class_members = False  # they are shown whole, after their class
numpydoc_xref_param_type = True  # types in docstrings are links
numpydoc_xref_ignore = "all"  # but these:
numpydoc_xref_aliases = {
    "bool": ":class:`bool <python:bool>`",  # numpydoc's own are labels and data, which the plain inventory cannot have
    **{name: f":obj:`{name}`" for name in ("None", "True", "False")},
    **{name: f"numpy.{name}" for name in ("int32", "int64", "float32", "float64", "uint64")},
    **{name: f"scipy.sparse.{name}" for name in ("csr_array", "sparray")},
    **{name: f"stablegraph.{name}" for name in ("Graph", "Multigrid", "GaussSeidel", "IndependentSet")},
    "sequence": "collections.abc.Sequence",
    "LinearOperator": "scipy.sparse.linalg.LinearOperator",
    "Axes": "matplotlib.axes.Axes",
    "Figure": "matplotlib.figure.Figure",
}

intersphinx_mapping = {
    "python": ("https://docs.python.org/3/", "inventories/python.inv"),
    "numpy": ("https://numpy.org/doc/stable/", "inventories/numpy.inv"),
    "scipy": ("https://docs.scipy.org/doc/scipy/", "inventories/scipy.inv"),
    "matplotlib": ("https://matplotlib.org/stable/", "inventories/matplotlib.inv"),
    "networkx": ("https://networkx.org/documentation/stable/", "inventories/networkx.inv"),
}

# The inventories contain only the names and pages of link targets, in the plain format of version 1.

# Gallery programs, in the order of this list, from simple to special. A program whose imports are missing is shown, but
# not run; nor is one that draws the results of the benchmarks, which an sdist does not have.
EXAMPLES = {
    "counties": [],
    "orders": [],
    "map_labels": [],
    "large_sets": [],
    "mesh_coloring": [],
    "timetable": [],
    "rooms": [],
    "schedule": [],
    "jacobian": [],
    "stiff": [],
    "jacobian_jax": ["jax"],
    "springs": [],
    "communities": [],
    "social_communities": ["networkx"],
    "web_communities": [],
    "digits_communities": ["sklearn"],
    "matching": [],
    "web_components": [],
    "forest_of_cities": [],
    "search_waves": [],
    "clusters": ["sklearn"],
    "hdbscan_tree": ["hdbscan"],
    "near_duplicates": ["pyarrow"],
    "aggregates_by_level": [],
    "kmis_pooling": [],
    "multigrid": [],
    "finite_elements": ["skfem"],
    "eliminate": [],
    "gauss_seidel": [],
    "current_flow": [],
    "mesh_embedding": [],
    "spectral_clusters": ["sklearn"],
    "partitions": [],
    "gpu_against_cpu": [],
}
NOT_RUN = [name for name, needs in EXAMPLES.items() if not all(map(importlib.util.find_spec, needs))]
if not (HERE.parent / "benchmarks" / "results").exists():
    NOT_RUN.append("gpu_against_cpu")
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": rf"/(?!(?:{'|'.join(NOT_RUN) or '-'})\.py)\w+\.py$",
    "within_subsection_order": lambda file: list(EXAMPLES).index(Path(file).stem),
    "copyfile_regex": "",
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 5,
    "show_signature": False,
    "plot_gallery": "True",
    "remove_config_comments": True,
    "matplotlib_animations": False,
}

html_theme = "pydata_sphinx_theme"
html_title = f"stablegraph {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "show_toc_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": [], "gallery/index": [], "measured": []},
    "show_prev_next": False,
    "header_links_before_dropdown": 7,
    "navbar_persistent": ["search-button"],
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "getting-started": [], "measured": [], "gallery/index": [], "changelog": []}
