"""Launches that are recorded once, and replayed by one call: a CUDA graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core.runtime.device import cupy_module, is_emulated


class Recorded:
    """Always the same launches, of kernels with the same arguments."""

    def __init__(self) -> None:
        self._graph: Any = None

    def replay(self, launch: Callable[[], Any]) -> None:
        """Launch them: in the first call one by one, which also loads compiled code; later as they were recorded."""
        if self._graph is not None:
            self._graph.launch(cupy_module().cuda.get_current_stream())
            return
        launch()
        if is_emulated():
            return
        stream = cupy_module().cuda.Stream(non_blocking=True)
        with stream:
            stream.begin_capture()
            try:
                launch()
            finally:
                graph = stream.end_capture()
        self._graph = graph
