"""The CASS language model: SASS in, RDNA3 operations on virtual registers out; finished by code and checked by the gate."""
