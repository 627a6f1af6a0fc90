"""tinygrad's tests of single RDNA3 and RDNA4 instructions, which its authors ran on AMD's chips, on this emulator.

Not a test: ``python -m tests.emu.tinygrad_hardware CHECKOUT [NAME...]`` from the repository's root, where CHECKOUT is a
checkout of tinygrad's repository (its wheel has no tests). The tests' own statements say what is right; only the
function that runs their machine code is another. Every disagreement has to be in `EXPLAINED`, and everything there has
to disagree.

Left out: the tests for waves of 64 (``test_dpp``), which the device does not have, and those of CDNA.
"""

from __future__ import annotations

import argparse
import importlib
import struct
import sys
import unittest
from pathlib import Path
from typing import Any

from cassc.amdgpu import assemble
from cassc.amdgpu.emulator import Emulator
from cassc.target import TARGETS, Target

_NO_SUCH_FIELD = "its machine code names a register that the instruction lacks, which LLVM's disassembler refuses, too"
_VCC = "says that VCC is set; the manual clears it there, and no quotient depends on it"
EXPLAINED = {
    "TestDSAtomic.test_ds_add_u32_no_rtn_preserves_vdst": _NO_SUCH_FIELD,
    "TestDSAtomic.test_ds_cmpstore_b32_match": _NO_SUCH_FIELD,
    "TestDSAtomic.test_ds_cmpstore_b32_no_match": _NO_SUCH_FIELD,
    "TestDSAtomic.test_ds_max_u32_no_rtn": _NO_SUCH_FIELD,
    "TestVOPDMultilane.test_vopd_multilane_mov_add": _NO_SUCH_FIELD,
    "TestVInterp.test_v_interp_p10_f32": "interpolation of graphics shaders is left out",
    "TestVInterp.test_v_interp_p10_f16_f32": "interpolation of graphics shaders is left out",
    "TestDivFixup.test_div_fixup_f32_nan_estimate_overflow": "says infinity for a NaN; the manual passes it on",
    "TestDivFixup.test_div_fixup_f32_nan_estimate_sign": "says infinity for a NaN; the manual passes it on",
    "TestDivScale.test_div_scale_f32_denorm_denom": "says NaN for a denormal denominator; the manual scales it",
    "TestDivScale.test_div_scale_f32_tiny_numer_exp_le_23": _VCC,
    "TestDivScale.test_div_scale_f32_zero_denom_gives_nan": _VCC,
    "TestDivScale.test_div_scale_f32_zero_numer_gives_nan": _VCC,
    "TestDivScaleF64.test_div_scale_f64_mixed_vcc_per_lane": _VCC,
    "TestDivScaleF64.test_div_scale_f64_zero_denom_sets_vcc": _VCC,
}
"""Tests that fail here, as Class.test, and why the emulator is kept."""
LEFT_OUT = ("test_cdna_sdwa", "test_cdna_vop3", "test_dpp")
_SPACE = 65536
"""Bytes of LDS, and of scratch of a lane, as tinygrad gives on hardware."""


def module_text(code: bytes, target: Target) -> str:
    """A module of one kernel ``test`` with that machine code; s[0:1]: kernarg, one pointer; v0: the work-item."""
    return f"""
.amdgcn_target "amdgcn-amd-amdhsa--{target.name}"
.text
.globl test
.p2align 8
.type test,@function
test:
.byte {", ".join(str(byte) for byte in code)}
.Lend: .size test, .Lend-test
.rodata
.p2align 6
.amdhsa_kernel test
  .amdhsa_next_free_vgpr 256
  .amdhsa_next_free_sgpr 96
  .amdhsa_wavefront_size32 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 8
  .amdhsa_group_segment_fixed_size {_SPACE}
  .amdhsa_private_segment_fixed_size {_SPACE}
  .amdhsa_enable_private_segment 1
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: test
    .symbol: test.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: {_SPACE}
    .private_segment_fixed_size: {_SPACE}
    .wavefront_size: 32
    .sgpr_count: 96
    .vgpr_count: 256
    .max_flat_workgroup_size: 1024
    .args:
      - .offset: 0
        .size: 8
        .value_kind: by_value
...
.end_amdgpu_metadata
"""


class Runner:
    """Runs machine code of one target on one block, and gives the bytes that it leaves in its buffer."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.emulator = Emulator(target, memory_bytes=1 << 26)

    def run(self, code: bytes, lanes: int, size: int) -> bytes:
        """size: of the buffer in bytes. Raises EmulatorFault."""
        module = self.emulator.load(assemble.assemble(module_text(code, self.target), self.target, form="asm"))
        buffer = self.emulator.alloc(size)
        self.emulator.write(buffer, bytes(size))
        try:
            kernel = module.kernels["test"]
            self.emulator.launch(kernel, (1, 1, 1), (lanes, 1, 1), struct.pack("<Q", buffer), max_instructions=1 << 20)
            return self.emulator.read(buffer, size)
        finally:
            self.emulator.free(buffer)
            self.emulator.unload(module)


def redirect(checkout: Path) -> list[str]:
    """Put this emulator in the place of tinygrad's; the names of the modules of tests."""
    sys.path.insert(0, str(checkout))
    helpers: Any = importlib.import_module("test.amd.hw.helpers")
    permlane: Any = importlib.import_module("test.amd.hw.test_rdna4_permlane_var")
    gfx11, gfx12 = Runner(TARGETS["gfx1150"]), Runner(Target("gfx1200", 0x48))

    def run_program(instructions: list[Any], n_lanes: int = 1) -> Any:
        prologue, epilogue = helpers.get_prologue_epilogue(n_lanes)
        code = helpers.assemble(prologue + instructions + epilogue)
        return helpers.parse_output(gfx11.run(code, n_lanes, helpers._out_bytes(n_lanes)), n_lanes)

    def run_permlane(instructions: list[Any], out_reg: int = 2) -> list[int]:
        code = permlane._code(instructions, out_reg)
        return list(struct.unpack(f"<{permlane.LANES}I", gfx12.run(code, permlane.LANES, 4 * permlane.LANES)))

    helpers.run_program_emu, permlane._run_emu = run_program, run_permlane
    files = sorted((checkout / "test" / "amd" / "hw").glob("test_*.py"))
    return [f"test.amd.hw.{file.stem}" for file in files if file.stem not in LEFT_OUT]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("names", nargs="*", help="only tests with such a part in their names")
    options = parser.parse_args()
    suite = unittest.defaultTestLoader.loadTestsFromNames(redirect(options.checkout))
    if options.names:
        chosen = unittest.TestSuite()
        for test in _each(suite):
            if any(name in test.id() for name in options.names):
                chosen.addTest(test)
        suite = chosen
    result = unittest.TextTestRunner(verbosity=0).run(suite)
    failed = {".".join(test.id().split(".")[-2:]) for test, _ in [*result.failures, *result.errors]}
    new, gone = sorted(failed - EXPLAINED.keys()), sorted(EXPLAINED.keys() - failed) if not options.names else []
    print(f"{result.testsRun} tests: {result.testsRun - len(failed)} agree, {len(failed)} do not")
    for name in new:
        print(f"not explained: {name}")
    for name in gone:
        print(f"explained, but agrees: {name}")
    return int(bool(new or gone))


def _each(suite: unittest.TestSuite) -> list[unittest.TestCase]:
    found: list[unittest.TestCase] = []
    for test in suite:
        found += _each(test) if isinstance(test, unittest.TestSuite) else [test]
    return found


if __name__ == "__main__":
    sys.exit(main())
