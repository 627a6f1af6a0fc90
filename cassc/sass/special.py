"""Special registers by number (S2R, S2UR, CS2R), as NVIDIA's disassembler names them."""

from __future__ import annotations

_COMMON = {
    0: "SR_LANEID", 1: "SR_CLOCK", 2: "SR_VIRTCFG", 3: "SR_VIRTID", 15: "SR_ORDERING_TICKET", 16: "SR_PRIM_TYPE",
    17: "SR_INVOCATION_ID", 18: "SR_Y_DIRECTION", 19: "SR_THREAD_KILL", 20: "SM_SHADER_TYPE", 28: "SR_AFFINITY",
    32: "SR_TID", 33: "SR_TID.X", 34: "SR_TID.Y", 35: "SR_TID.Z", 37: "SR_CTAID.X", 38: "SR_CTAID.Y", 39: "SR_CTAID.Z",
    40: "SR_NTID", 41: "SR_CirQueueIncrMinusOne", 42: "SR_NLATC", 44: "SR_SM_SPA_VERSION",
    46: "SR_LWINHI", 47: "SR_SWINHI", 48: "SR_SWINLO", 49: "SR_SWINSZ", 50: "SR_SMEMSZ", 51: "SR_SMEMBANKS",
    52: "SR_LWINLO", 53: "SR_LWINSZ", 54: "SR_LMEMLOSZ", 55: "SR_LMEMHIOFF",
    56: "SR_EQMASK", 57: "SR_LTMASK", 58: "SR_LEMASK", 59: "SR_GTMASK", 60: "SR_GEMASK",
    61: "SR_REGALLOC", 62: "SR_BARRIERALLOC", 64: "SR_GLOBALERRORSTATUS", 66: "SR_WARPERRORSTATUS",
    67: "SR_VIRTUALSMID", 68: "SR_VIRTUALENGINEID", 80: "SR_CLOCKLO", 81: "SR_CLOCKHI",
    82: "SR_GLOBALTIMERLO", 83: "SR_GLOBALTIMERHI", 84: "SR_ESR_PC", 85: "SR_ESR_PC_HI", 96: "SR_HWTASKID",
    97: "SR_CIRCULARQUEUEENTRYINDEX", 98: "SR_CIRCULARQUEUEENTRYADDRESSLOW", 99: "SR_CIRCULARQUEUEENTRYADDRESSHIGH",
    **{100 + k: f"SR_PM{'_HI' if k % 2 else ''}{k // 2}" for k in range(16)},
    **{116 + k: f"SR_SNAP_PM{'_HI' if k % 2 else ''}{k // 2}" for k in range(16)},
    255: "SRZ",
}  # fmt: skip
_FROM_90 = {65: "SR_CGAERRORSTATUS", 136: "SR_CgaCtaId", 137: "SR_GpcLocalCgaId", 139: "SR_CTARegPoolSz"}
_ONLY_90 = {134: "SR_WARPGROUP_INFO", 135: "SR_WARPGROUPID"}
_FROM_100 = {138: "SR_CgaSize", 141: "SR_TMemSz"}


def special_register(number: int, sm: int) -> str | None:
    """The name, or None for a number that the architecture does not define."""
    name = _COMMON.get(number)
    if name is None and sm >= 90:
        name = _FROM_90.get(number)
        if name is None:
            name = (_ONLY_90 if sm < 100 else _FROM_100).get(number)
    return name
