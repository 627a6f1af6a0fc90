"""The CASS language model: SASS in, RDNA3 operations out; finished by code, checked by the gate."""
