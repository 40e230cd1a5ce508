"""The steps on a level of a hierarchy, each with its form for CPUs and its form for GPUs (`by_level`)."""

from __future__ import annotations

from . import coarse_level as _coarsening
from . import moving, queue_moving, refinement
from .level import by_level


def _coarsening_cuda():
    from .cuda import coarse_level as coarse_level_cuda

    return coarse_level_cuda


def _moving_cuda():
    from .cuda import moving as moving_cuda

    return moving_cuda


def _queue_moving_cuda():
    from .cuda import queue_moving as queue_moving_cuda

    return queue_moving_cuda


def _refinement_cuda():
    from .cuda import refinement as refinement_cuda

    return refinement_cuda


move_vertices = by_level(cuda=lambda: _moving_cuda().move_vertices)(moving.move_vertices)
wish_to_move = by_level(cuda=lambda: _moving_cuda().wish_to_move)(moving.wish_to_move)
move_in_turn = by_level(cuda=lambda: _queue_moving_cuda().move_in_turn)(queue_moving.move_in_turn)
refine = by_level(cuda=lambda: _refinement_cuda().refine)(refinement.refine)
coarse_level = by_level(cuda=lambda: _coarsening_cuda().coarse_level)(_coarsening.coarse_level)
