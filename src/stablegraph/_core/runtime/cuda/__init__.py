"""What runs the CUDA sources: their compiled code, arrays without a compiler, memory."""
