"""Rewritings inside the lifter. Each is optional: without it the code is right, but slower."""
