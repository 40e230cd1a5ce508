"""Formulas as MathML, which every current browser draws by itself: no script, nothing from a network.

The translator is that of docutils. A formula that it does not know is a warning, and so an error of `sphinx-build -W`.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

RARE_SETMINUS, SETMINUS = "\N{REVERSE SOLIDUS OPERATOR}", "\N{SET MINUS}"  # few fonts have the former
logger = logging.getLogger(__name__)


def translated(node: nodes.math | nodes.math_block, as_block: bool) -> str:
    """The MathML of a formula; its source, with a warning, where that cannot be had."""
    try:
        return tex2mathml(node.astext(), as_block=as_block).replace(RARE_SETMINUS, SETMINUS)
    except MathError as error:
        logger.warning("formula %r: %s", node.astext(), error, location=node)
        return f"<code>{node.astext()}</code>"


def visit_inline(writer: Any, node: nodes.math) -> None:
    """A formula in a line."""
    writer.body.append(translated(node, as_block=False))
    raise nodes.SkipNode


def visit_block(writer: Any, node: nodes.math_block) -> None:
    """A formula of its own, which scrolls by itself where the page is narrow."""
    writer.body.append(f'<div class="formula" tabindex="0">{translated(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer under the name that `html_math_renderer` has."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
