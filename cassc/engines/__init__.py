"""Engines translate one kernel each; the cascade asks them in order and lets the checker decide."""
