"""The guest ISA: SASS of sm_75 and later, one row per instruction. Knows nothing of AMD."""
