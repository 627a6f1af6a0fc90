"""Containers: bytes to typed objects and back. Knows nothing of instructions."""
