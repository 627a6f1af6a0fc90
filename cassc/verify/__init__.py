"""Checks a translation by running it: assembled code on the emulator against SASS in the reference interpreter."""
