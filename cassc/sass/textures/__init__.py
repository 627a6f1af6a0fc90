"""Texture and surface fetches as explicit arithmetic over descriptors in device memory.

How the hardware computes was found by fitting recordings on an H200: coordinates in fixed point, weights of eight
fraction bits, sums rounded half away from zero.
"""
