"""Machine: the reference interpreter's lanes with their registers, on which meanings work."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from cassc.sass.builder import I1, I32, I64
from cassc.sass.evaluate import Evaluate
from cassc.sass.execute import Write
from cassc.sass.fields import PT, URZ
from cassc.sass.lanes import Lanes, Mask
from cassc.sass.operand import Pred, Reg, UReg
from cassc.sass.surroundings import Surroundings


class Halt(Exception):
    """Ends the launch; the interpreter makes a `Fault` of it."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


class Machine(Evaluate):
    """Evaluate with registers."""

    def __init__(self, around: Surroundings, lanes: int, registers: int, symbols: Mapping[str, int]) -> None:
        """``symbols``: addresses of module variables."""
        super().__init__(around, lanes)
        self.symbols = symbols
        self.registers = np.zeros((registers, lanes), np.uint32)
        self.uniforms = np.zeros((URZ + 1, lanes), np.uint32)
        self.predicates = np.zeros((8, lanes), bool)
        self.uniform_predicates = np.zeros((8, lanes), bool)
        self.predicates[PT] = self.uniform_predicates[PT] = True

    def register(self, register: Reg | UReg) -> Lanes:
        file = self.uniforms if isinstance(register, UReg) else self.registers
        return Lanes(I32, file[register.index])

    def predicate(self, index: int, *, uniform: bool = False) -> Lanes:
        file = self.uniform_predicates if uniform else self.predicates
        return Lanes(I1, file[index])

    def address_of(self, variable: str, addend: int) -> Lanes:
        address = self.symbols.get(variable)
        if address is None:
            raise Halt("instruction", f"the cubin has no variable {variable!r}")
        return self.const(I64, address + addend)

    def holds(self, p: Pred) -> Mask:
        value: Mask = (self.uniform_predicates if p.uniform else self.predicates)[p.index]
        return ~value if p.negated else value

    def write(self, write: Write) -> None:
        """In the lanes of the mask."""
        target = write.target
        if isinstance(target, Pred):
            predicates = self.uniform_predicates if target.uniform else self.predicates
            np.copyto(predicates[target.index], write.values[0].data, where=self.mask)  # type: ignore[attr-defined]
            return
        file = self.uniforms if isinstance(target, UReg) else self.registers
        for k, value in enumerate(write.values):
            if target.index + k < target.zero or target.index > target.zero:
                np.copyto(file[target.index + k], value.data, where=self.mask)  # type: ignore[attr-defined]
