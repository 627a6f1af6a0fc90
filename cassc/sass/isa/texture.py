"""Textures: decoded in the forms that compilers emit, not implemented."""

from __future__ import annotations

from cassc.sass import fields
from cassc.sass.fields import Field
from cassc.sass.row import choice, flag, form, undone

TEXTURES = "textures"
LEVEL = choice("level", 87, 3, "_ LZ LB LL")
SCALAR = flag("SCR", 60)
DIMENSION_FIXED = {Field(59, 1): 0, Field(76, 5): 0}
TEX = (SCALAR, LEVEL, choice("eviction", 84, 3, "EF _ EL LU EU NA"), flag("NODEP", 90))

undone(
    "TEX",
    0x160,
    "Pu?, Rd2, Rd, TexA, TexB, TexBank, TexOffset, TexDim, TexMask",
    form(5),
    *TEX,
    fixed=DIMENSION_FIXED,
    ignored=(fields.REUSE,),
    todo=TEXTURES,
)
undone(
    "TEX",
    0x160,
    "Pu?, Rd2, Rd, TexA, TexB, TexUniform, TexSampler, TexDim, TexMask",
    form(7),
    *TEX,
    fixed={Field(54, 6): 0, Field(76, 5): 0},
    ignored=(fields.REUSE,),
    todo=TEXTURES,
)
