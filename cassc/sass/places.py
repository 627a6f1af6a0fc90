"""Operand places: what each name of a syntax string reads from the word, and which bits it claims."""

from __future__ import annotations

from collections.abc import Callable

from cassc.sass import addresses, fields, sources
from cassc.sass.fields import Field
from cassc.sass.operand import AddressUReg, CoordinateReg, DescriptorUReg, Imm, Named, Operand, Reg, ReturnReg, UReg
from cassc.sass.reading import Reading, Undecodable, uniform_index
from cassc.sass.special import special_register
from cassc.sass.syntax import Token


def divergence_mask(r: Reading, token: Token) -> Operand:
    """Uniform register of BRA.DIV and BRA.CONV: which lanes are asked about."""
    r.uses_uniform = True
    inverted = Field(82 if r.sm >= fields.FIRST_WIDE_UNIFORM else 30, 1)
    return UReg(uniform_index(r, 24), inverted=bool(r.take(inverted)))


TEXTURE_SHAPES = ("1D", "2D", "3D", "CUBE", "ARRAY_1D", "ARRAY_2D", None, "ARRAY_CUBE")
SOME_SHAPES = {"TLD4": (1, 3, 5, 7), "TXD": (0, 1, 4, 5)}


def texture_shape(r: Reading, token: Token) -> Operand:
    index = r.take(Field(61, 3))
    name = TEXTURE_SHAPES[index]
    if name is None or index not in SOME_SHAPES.get(r.row.mnemonic, range(8)):
        raise Undecodable
    return Named(name, index)


def texture_mask(r: Reading, token: Token) -> Operand:
    """Which results are wanted; all of them is not printed."""
    mask = r.take(Field(72, 4))
    if mask == 15:
        raise Undecodable
    return Imm(mask)


def surface_place(r: Reading, token: Token) -> Operand:
    return CoordinateReg(r.take(fields.RA))


def texture_query(r: Reading, token: Token) -> Operand:
    if r.take(Field(60, 4)):
        raise Undecodable
    return Named("TEX_HEADER_DIMENSION", 0)


def texture_uniform(r: Reading, token: Token) -> Operand:
    r.uses_uniform = True
    return UReg(uniform_index(r, 40))


def convergence_barrier(lo: int) -> Callable[[Reading, Token], Operand]:
    place = Field(lo, 4)

    def read(r: Reading, token: Token) -> Operand:
        index = r.take(place)
        return Named(f"B{index}", index)

    return read


def special(r: Reading, token: Token) -> Operand:
    index = r.take(Field(72, 8))
    name = special_register(index, r.sm)
    if name is None:
        raise Undecodable
    return Named(name, index)


def barrier_threads(r: Reading, token: Token) -> Operand:
    """How many threads a barrier waits for; 0 would be all, and is not printed."""
    count = r.take(Field(42, 12))
    if not count:
        raise Undecodable
    return Imm(count)


def scoreboard(r: Reading, token: Token) -> Operand:
    index = r.take(Field(44, 3))
    if index > 5:
        raise Undecodable
    return Named(f"SB{index}", index)


def scoreboards(r: Reading, token: Token) -> Operand:
    """A set of scoreboards, highest first."""
    mask = r.take(Field(32, 6))
    if not mask:
        raise Undecodable
    return Named("{" + ",".join(str(k) for k in range(5, -1, -1) if mask >> k & 1) + "}", mask)


def sparse_metadata(r: Reading, token: Token) -> Operand:
    return Reg(r.take(Field(40, 8)), reuse=bool(r.take(Field(50, 1))))


def predicate_file(r: Reading, token: Token) -> Operand:
    return Named("PR")


def uniform_predicate_file(r: Reading, token: Token) -> Operand:
    return Named("UPR")


def return_place(r: Reading, token: Token) -> Operand:
    return ReturnReg(fields.REGISTERS + r.take(Field(31, 1)))


PLACES: dict[str, Callable[[Reading, Token], Operand]] = {
    "Rd": sources.destination,
    "URd": sources.uniform_destination,
    "A": sources.register("a"),
    "Ra": sources.register("a"),
    "Rb": sources.register("b"),
    "Rc": sources.register("c"),
    "UA": sources.uniform("a"),
    "URa": sources.uniform("a"),
    "URb": sources.uniform("b"),
    "URc": sources.uniform("c"),
    "B": sources.logical,
    "C": sources.logical,
    "UB": sources.logical,
    "UC": sources.logical,
    **{prefix + name: sources.predicate(prefix + name) for prefix in ("", "U") for name in sources.PREDICATES},
    "PrOrUPr": sources.mixed_predicate,
    "Imm32": sources.bits(32, 32),
    "Imm33": sources.signed_immediate,
    "Imm64": sources.bits(24, 64),
    "LoadAddr": addresses.global_address(addresses.GlobalPlace(32, Field(76, 1), Field(90, 1))),
    "StoreAddr": addresses.global_address(addresses.GlobalPlace(64, Field(76, 1), Field(90, 1))),
    "ReduceAddr": addresses.global_address(
        addresses.GlobalPlace(64, Field(71, 1), Field(90, 1)), addresses.GlobalPlace(64, Field(81, 1), Field(90, 1))
    ),
    "AtomAddr": addresses.global_address(
        addresses.GlobalPlace(64, Field(71, 1), Field(70, 1)),
        addresses.GlobalPlace(64, Field(76, 1), Field(63, 1), Field(40, 23)),
    ),
    "AtomFloatAddr": addresses.global_address(addresses.GlobalPlace(64, Field(90, 1), Field(63, 1), Field(40, 23))),
    "CopyAddr": addresses.global_address(
        addresses.GlobalPlace(64, Field(76, 1), Field(70, 1), Field(32, 12)),
        addresses.GlobalPlace(64, Field(76, 1), Field(83, 1), Field(32, 12)),
    ),
    "SharedCopyAddr": addresses.copied_to_address,
    "PlainAddr": addresses.plain_address,
    "FarAddr": addresses.far_address,
    "CacheAddr": addresses.cache_address,
    "ClusterAddr": addresses.cluster_address,
    "SharedLoadAddr": addresses.shared_address(32),
    "SharedStoreAddr": addresses.shared_address(64),
    "SharedMatrixLoadAddr": addresses.shared_base(32),
    "SharedMatrixStoreAddr": addresses.shared_base(64),
    "SharedBarrierAddr": addresses.barrier_object,
    "UniformSharedAddr": addresses.uniform_shared_address,
    "BulkTo": addresses.bulk_register(32, AddressUReg),
    "BulkFrom": addresses.bulk_register(24, AddressUReg),
    "BulkHint": addresses.bulk_register(40, DescriptorUReg),
    "Rd2": sources.plain_register(fields.RC),
    "TexA": sources.plain_register(fields.RA),
    "TexB": sources.plain_register(fields.RB),
    "TexBank": sources.bits(54, 5),
    "TexOffset": sources.bits(40, 14),
    "TexDim": texture_shape,
    "TexMask": texture_mask,
    "TexUniform": texture_uniform,
    "TexSampler": sources.bits(46, 8),
    "Imm8at48": sources.bits(48, 8),
    "TexQuery": texture_query,
    "SurfaceAt": surface_place,
    "LocalAddr": addresses.local_address(32),
    "LocalStoreAddr": addresses.local_address(64),
    "IndexedConst": addresses.indexed_constant,
    "PlainConst": addresses.plain_constant,
    "UIndexedConst": addresses.uniform_indexed_constant,
    "ULoadConst": addresses.uniform_load_constant,
    "L": addresses.label,
    "LabelHigh": addresses.label,
    "LabelBssy": addresses.bssy_label,
    "LepcLabel": addresses.lepc_label,
    "Bd": convergence_barrier(16),
    "Bs": convergence_barrier(16),
    "SR": special,
    "Sparse": sparse_metadata,
    "Selector": sources.bits(48, 2),
    "Scoreboard": scoreboard,
    "Scoreboards": scoreboards,
    "Count6": sources.bits(38, 6),
    "TrapCode": sources.bits(34, 3),
    "Imm16at32": sources.bits(32, 16),
    "PR": predicate_file,
    "UPR": uniform_predicate_file,
    "Rpc": return_place,
    "Rpcd": return_place,
    "PRd": predicate_file,
    "Lut": sources.bits(72, 8),
    "SplitLut": sources.split_lut,
    "Imm8at64": sources.bits(64, 8),
    "Imm8at16": sources.bits(16, 8),
    "Shift5": sources.bits(75, 5),
    "Lane5": sources.bits(53, 5),
    "Clamp13": sources.bits(40, 13),
    "ShuffleLane": sources.shuffle_operand(fields.RB, Field(53, 5), (4, 7)),
    "ShuffleClamp": sources.shuffle_operand(fields.RC, Field(40, 13), (2, 7)),
    "URdiv": divergence_mask,
    "BarrierId": sources.bits(54, 4),
    "BarrierThreads": barrier_threads,
    "BarrierAt24": convergence_barrier(24),
    "PlainSharedAddr": addresses.plain_shared_address,
    "Offset": addresses.branch_offset,
    "CodeAddress": addresses.code_address,
}
