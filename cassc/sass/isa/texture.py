"""Textures: decoded in the forms that compilers emit, not implemented."""

from __future__ import annotations

from cassc.sass import fields
from cassc.sass.fields import Field
from cassc.sass.row import choice, flag, form, undone

TEXTURES = "textures"
LEVEL = choice("level", 87, 3, "_ LZ LB LL")
SCALAR = flag("SCR", 60)
TEX = (SCALAR, LEVEL, choice("eviction", 84, 3, "EF _ EL LU EU NA"), flag("NODEP", 90))

for _operand, _fixed in (("", {Field(72, 4): 15}), (", TexMask", {})):
    undone(
        "TEX",
        0x160,
        "Pu?, Rd2, Rd, TexA, TexB, TexBank, TexOffset, TexDim" + _operand,
        form(5),
        *TEX,
        fixed={Field(59, 1): 0, Field(76, 5): 0, **_fixed},
        ignored=(fields.REUSE,),
        last_sm=90,
        todo=TEXTURES,
    )
    undone(
        "TEX",
        0x160,
        "Pu?, Rd2, Rd, TexA, TexB, TexUniform, TexSampler, TexDim" + _operand,
        form(7),
        *TEX,
        fixed={Field(54, 6): 0, Field(76, 5): 0, **_fixed},
        ignored=(fields.REUSE,),
        last_sm=90,
        todo=TEXTURES,
    )
