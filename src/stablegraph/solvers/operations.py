"""The operations of a setup that have two forms, one for the CPU and one for a GPU."""

from __future__ import annotations

from types import ModuleType

from .._core.runtime import by_device
from . import checked_matrix as checks
from . import coarse_level
from .linalg import block_csr, spectral


def _checks_cuda() -> ModuleType:
    from .cuda import checked_matrix as checked_matrix_cuda

    return checked_matrix_cuda


def _coarse_level_cuda() -> ModuleType:
    from .cuda import coarse_level as coarse_level_cuda

    return coarse_level_cuda


def _spectral_cuda() -> ModuleType:
    from .linalg.cuda import spectral as spectral_cuda

    return spectral_cuda


def _device_matrix() -> ModuleType:
    from .linalg.cuda import device_matrix

    return device_matrix


given_matrix = by_device(cuda=lambda: _checks_cuda().given_matrix)(checks.given_matrix)
checked_matrix = by_device(cuda=lambda: _checks_cuda().checked_matrix)(checks.checked_matrix)
asymmetry = by_device(cuda=lambda: _checks_cuda().asymmetry)(checks.asymmetry)
are_translations = by_device(cuda=lambda: _checks_cuda().are_translations)(checks.are_translations)

matrix = by_device(cuda=lambda: _device_matrix().matrix)(block_csr.matrix)
inverse_diagonal = by_device(cuda=lambda: _spectral_cuda().inverse_diagonal)(spectral.inverse_diagonal)
spectral_radius = by_device(cuda=lambda: _spectral_cuda().spectral_radius)(spectral.spectral_radius)

label_pattern = by_device(cuda=lambda: _coarse_level_cuda().label_pattern)(coarse_level.label_pattern)
without_single = by_device(cuda=lambda: _coarse_level_cuda().without_single)(coarse_level.without_single)
tentative_values = by_device(cuda=lambda: _coarse_level_cuda().tentative_values)(coarse_level.tentative_values)
smoothed_values = by_device(cuda=lambda: _coarse_level_cuda().smoothed_values)(coarse_level.smoothed_values)
transposed_values = by_device(cuda=lambda: _coarse_level_cuda().transposed_values)(block_csr.transposed_values)
coarse_matrix = by_device(cuda=lambda: _coarse_level_cuda().coarse_matrix)(coarse_level.coarse_matrix)
