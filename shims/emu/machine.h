// State of the emulated machine: operations, waves, workgroups. Plain data, shared by every execution variant.
#pragma once
#include <cstddef>
#include <cstdint>

#include "memory.h"

namespace cassc::emu {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i8 = int8_t;
using i16 = int16_t;
using i32 = int32_t;
using i64 = int64_t;

constexpr u32 kLanes = 32;

// Scalar register file. 0..127 are the architectural operand codes; the rest are the emulator's own.
enum ScalarSlot : u32 {
  kVcc = 106,
  kNull = 124,
  kM0 = 125,
  kExec = 126,
  kScc = 128,    // each of these is followed by a zero, for reads of 64 bits
  kVccz = 130,   // written just before an operation that reads it
  kExecz = 132,
  kZero = 134,   // what a read of `null` gives
  kDiscard = 136,  // where writes to `null` go, 16 dwords
  kScalarSlots = 152
};

// Operand types of a row: width, half selection and the meaning of modifiers and inline constants follow from them.
enum class Type : u8 { none, b16, i16, f16, b32, i32, f32, b64, i64, f64, pk16, pkf16, b96, b128, mask };

enum RowFlag : u32 {
  CI = 1u << 0,     // reads a lane mask: VCC, or the scalar third source in the 64-bit encoding
  CO = 1u << 1,     // writes a lane mask
  ACC = 1u << 2,    // the destination is also the last source
  E32 = 1u << 3,    // has no 64-bit encoding
  MK = 1u << 4,     // literal is the second factor (fmamk)
  AK = 1u << 5,     // literal is the addend (fmaak)
  TR = 1u << 6,     // transcendental: computed to nearest, denormals as written in the row
  CMP = 1u << 7,    // result is a lane mask only
  CMPX = 1u << 8,   // ... and goes to EXEC
  NODPP = 1u << 9,
  VCCIN = 1u << 10, // reads VCC even in the 64-bit encoding (div_fmas)
  NOMOD = 1u << 11, // float types, but no abs/neg/omod/clamp
  SDST = 1u << 12,  // destination is a scalar register (readlane)
  SD = 1u << 14,    // 64-bit encoding is VOP3SD
  MIX = 1u << 15,   // VOP3P mixed precision: op_sel_hi selects the source format
  NOCLAMP = 1u << 16,
  SEL = 1u << 17,   // VOP3P op_sel/neg are consumed by the row (dot products with sign bits, WMMA)
  ANYCLAMP = 1u << 18, // accepts the clamp bit without a visible effect on integers
  OPSEL = 1u << 19, // op_sel bits are modifiers of the row itself (permlane)
  NOIMM = 1u << 20,    // SOPP: the immediate must be zero
  GFX115 = 1u << 21,   // only on gfx1150 and later
};

struct Wave;
struct Op;
struct Launch;
struct Group;

// One lane loop needs this beside its operands.
struct LaneContext {
  u32 carry_in = 0, carry_out = 0;
  u32 f16_mode = 0;  // bits 0-1 rounding (MODE's code), 2 flush results, 3 flush sources
  u32 flush32 = 0;   // all ones: f32 source denormals are zero
  u32 ieee = 0, dx10 = 0;
  bool omod32 = false, omod64 = false;  // output modifiers of f32, of f16 and f64, have an effect
  u32 round32 = 0, round64 = 0;
  const Op* op = nullptr;
};

using Handler = const Op* (*)(Wave&, const Op*);
using LaneFn = void (*)(u32* d, const u32* a, const u32* b, const u32* c, LaneContext& x);

enum FpClass : u8 { kSp = 0, kDp = 1, kPlain = 2 };

struct VectorRow {
  const char* name = nullptr;
  LaneFn lanes = nullptr, lanes_clamp = nullptr;
  Handler fast = nullptr;    // operands without modifiers, no scalar register among the vector sources
  Handler custom = nullptr;  // rows that are not a loop over lanes
  Type d = Type::none, a = Type::none, b = Type::none, c = Type::none;
  FpClass fp = kSp;
  u32 flags = 0;
};

struct ScalarRow {
  const char* name = nullptr;
  Handler run = nullptr;
  Type d = Type::none, a = Type::none, b = Type::none;
  u32 flags = 0;
};

enum MemFlag : u32 {
  LD = 1,
  ST = 2,
  AT = 4,
  RTN = 16,            // ds_consume
  kTwoAddresses = 32,  // the offset field holds two
  NOADDR = 64,         // no address register
  NODATA = 128,        // no operands
  FMT = 1u << 22,      // converts a data format
};

struct MemoryRow {
  const char* name = nullptr;
  Handler run = nullptr;
  u8 result = 0;  // dwords written to vdst
  u8 data = 0;    // dwords read from data (data0)
  u8 data2 = 0;   // dwords read from data1 (DS)
  u32 flags = 0;
};

constexpr u32 kDot2accBf16 = 0x3ff, kDot2accF16 = 0x3fe;  // VOP3 numbers that are no instruction

struct Tables {
  VectorRow vop3[1024];  // VOPC at its number, VOP2 at 256+, VOP1 at 384+, VOP3 at its number
  VectorRow vop3p[128];
  const char* dual[32];  // VOPD
  u16 dual_row[32];      // index into vop3
  ScalarRow sop1[256], sop2[128], sopc[128], sopk[32], sopp[128];
  MemoryRow smem[256], ds[256], flat[128], global[128], scratch[128], mubuf[256], mtbuf[16], image[256];
  Handler vector_slow, dual_run, flags_first, with_status;
  bool gfx12 = false;
};

enum class Segment : u8 { flat = 0, scratch = 1, global = 2, lds = 3, buffer = 4, image = 5 };

// What an instruction counts as in a profile.
enum class Kind : u8 { valu, valu64, transcendental, matrix, cross_lane, salu, scalar_load, branch, barrier, wait, lds, load, store, atomic, scratch, other };
constexpr u32 kKinds = u32(Kind::other) + 1;

// A decoded instruction; one slot for every dword of code. Sources of vector operations are byte offsets into one of the
// wave's banks: 0 VGPRs, 1 constants, 2 a scalar register to broadcast. What every execution reads comes first.
struct alignas(64) Op {
  Handler run = nullptr;
  u32 src[3] = {};
  u32 dst = 0;
  u32 imm = 0;
  u8 bank[3] = {};
  u8 length = 1;                   // dwords
  u8 half[3] = {};                 // 16: high half of the source
  u8 dst_half = 0;
  u8 carry_in = 0, carry_out = 0;  // scalar slots
  u8 flags = 0;                    // OpFlag
  u8 dwords = 0;
  LaneFn lanes = nullptr;
  u8 abs = 0, neg = 0, neg_hi = 0, op_sel = 0, op_sel_hi = 0;  // one bit for each source
  u8 omod = 0, clamp = 0;
  u8 fetch_inactive = 0;           // DPP
  Kind kind = Kind::other;
  // Less often read.
  u32 dpp = 0;
  u8 dpp_kind = 0;                 // 0 none, 1 DPP16, 2 DPP8
  Segment segment = Segment::global;
  const VectorRow* row = nullptr;
  const MemoryRow* memory = nullptr;
  const char* name = nullptr;
  Handler inner = nullptr;
};

enum OpFlag : u8 { kHasSaddr = 1, kHasVaddr = 2, kReturn = 4, kIdxen = 8, kOffen = 16, kScaleDword = 32, kStrong = 64, kTyped = 128 };  // kStrong: volatile or atomic; kTyped: format in carry_in

// What a thread that runs waves has done so far.
struct Progress {
  u64 executed = 0, clock_reads = 0;
};

enum class WaveState : u8 { ready, barrier, ended, faulted };

struct alignas(64) Wave {
  const u8* vbank[2];     // VGPR file, broadcast constants
  const u32* sbank[2];    // scalar registers, scalar constants
  u32 s[kScalarSlots];
  u8* vgpr;               // [register][lane]
  u8* scratch;            // [lane][scratch_size]
  u32 scratch_size;
  u32 mode;
  u32 mxcsr[3];           // by FpClass
  LaneContext context;
  const Op* pc;
  Launch* launch;
  Group* group;
  Progress* progress;
  u32 index;
  u32 alignment;  // the strictest that plain accesses are held to: 16, or 1 where the code may use any
  WaveState state;
};

struct GroupShadow;
struct Group {
  u32 id[3];
  u8* lds;
  u32 lds_size;
  GroupShadow* shadow;  // of an observed launch, else null
  u32 signals;          // of gfx12's barrier since it was last passed
  u32 waves;            // that have not ended
};

struct Code;
const Op* op_at(Launch& launch, u64 address);  // nullptr: not code
u64 address_of(const Launch& launch, const Op* op);

// Records the launch's first fault and ends the wave. Returns nullptr, as a handler that stops does.
const Op* raise(Wave& wave, const Op* op, u32 kind, u64 address, u32 size, bool write, u32 lane, const char* text = nullptr);
void set_mode(Wave& wave, u32 mode);
u64 shader_clock(const Wave& wave);
u64 real_clock();
u32 register_count(const Wave& wave);  // vector registers that the kernel owns
bool gfx12_code(const Wave& wave);
const MemoryView& memory_of(const Wave& wave);

// What the observed build tells of itself: see observe.h.
enum class Access : u8 { read, write, atomic };
void observe_invalid(Wave& wave, const Op* op, u32 kind, u64 address, u32 size, bool write, u32 lane);
// Before the access. at: a host address for each lane in `live`; changed: lanes whose write will change memory.
void observe_access(Wave& wave, const Op* op, const u64* at, u32 live, u32 size, Access access, u32 changed);
void observe_scalar(Wave& wave, const Op* op, u64 address, u32 size);
void observe_barrier(Wave& wave, const Op* op);
struct Tally;
Tally* observed_tally(const Wave& wave);  // null without a profile
void observed_decode(const Wave& wave, const Op* op);

constexpr u64 kSharedAperture = 0x0001000000000000;   // beyond every user-space host address
constexpr u64 kPrivateAperture = 0x0002000000000000;

// Execution variants: the same sources compiled for different x86-64 levels.
namespace baseline { const Tables& tables(bool gfx12); const Op* run(Wave&, const Op*, u64& budget); }
namespace v3 { const Tables& tables(bool gfx12); const Op* run(Wave&, const Op*, u64& budget); }
namespace observed { const Tables& tables(bool gfx12); const Op* run(Wave&, const Op*, u64& budget); }

struct Variant {
  const Tables& (*tables)(bool gfx12);
  const Op* (*run)(Wave&, const Op*, u64& budget);
};
const Variant& variant();
const Variant& observed_variant();  // memory and control rows that report what they do; the others are variant()'s

}  // namespace cassc::emu
