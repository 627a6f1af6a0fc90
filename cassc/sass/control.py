"""The scheduling half of an instruction word: stall cycles, yield hint, scoreboard barriers, operand reuse."""

from __future__ import annotations

from dataclasses import dataclass

from cassc.sass import fields

NO_BARRIER = 7


@dataclass(frozen=True, slots=True)
class ControlCode:
    """What the compiler tells the scheduler; it has no effect on results.

    Attributes:
        stall: cycles before the next instruction issues.
        yield_: the hint that another warp may issue.
        write_barrier, read_barrier: scoreboard that the instruction sets, 7 for none.
        wait_mask: scoreboards waited for.
        reuse: operand slots kept in the reuse cache (bit 0: A).
    """

    stall: int
    yield_: bool
    write_barrier: int
    read_barrier: int
    wait_mask: int
    reuse: int

    @classmethod
    def of(cls, word: int) -> ControlCode:
        return cls(
            stall=fields.STALL.get(word),
            yield_=not fields.YIELD.get(word),
            write_barrier=fields.WRITE_BARRIER.get(word),
            read_barrier=fields.READ_BARRIER.get(word),
            wait_mask=fields.WAIT_MASK.get(word),
            reuse=fields.REUSE.get(word),
        )

    def __str__(self) -> str:
        """maxas notation: wait mask, read barrier, write barrier, yield, stall."""
        wait = "".join(str(k) if self.wait_mask >> k & 1 else "-" for k in range(6))
        read = "-" if self.read_barrier == NO_BARRIER else str(self.read_barrier)
        write = "-" if self.write_barrier == NO_BARRIER else str(self.write_barrier)
        return f"B{wait}:R{read}:W{write}:{'Y' if self.yield_ else '-'}:S{self.stall:02d}"


MASK = sum(
    f.mask
    for f in (fields.STALL, fields.YIELD, fields.WRITE_BARRIER, fields.READ_BARRIER, fields.WAIT_MASK, fields.REUSE)
)
