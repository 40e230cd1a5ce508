"""The operations of a setup that have two forms, one for the CPU and one for a GPU."""

from __future__ import annotations

from .._core.runtime import by_device
from . import checked_matrix as checks
from . import coarse_level
from .cuda import checked_matrix as checked_matrix_cuda
from .cuda import coarse_level as coarse_level_cuda
from .linalg import block_csr, spectral
from .linalg.cuda import device_matrix
from .linalg.cuda import spectral as spectral_cuda

given_matrix = by_device(checks.given_matrix, checked_matrix_cuda.given_matrix)
checked_matrix = by_device(checks.checked_matrix, checked_matrix_cuda.checked_matrix)
asymmetry = by_device(checks.asymmetry, checked_matrix_cuda.asymmetry)
are_translations = by_device(checks.are_translations, checked_matrix_cuda.are_translations)

matrix = by_device(block_csr.matrix, device_matrix.matrix)
inverse_diagonal = by_device(spectral.inverse_diagonal, spectral_cuda.inverse_diagonal)
spectral_radius = by_device(spectral.spectral_radius, spectral_cuda.spectral_radius)

label_pattern = by_device(coarse_level.label_pattern, coarse_level_cuda.label_pattern)
without_single = by_device(coarse_level.without_single, coarse_level_cuda.without_single)
tentative_values = by_device(coarse_level.tentative_values, coarse_level_cuda.tentative_values)
smoothed_values = by_device(coarse_level.smoothed_values, coarse_level_cuda.smoothed_values)
transposed_values = by_device(block_csr.transposed_values, coarse_level_cuda.transposed_values)
coarse_matrix = by_device(coarse_level.coarse_matrix, coarse_level_cuda.coarse_matrix)
