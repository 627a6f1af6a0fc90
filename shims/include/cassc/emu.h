/* C ABI of libcassc_emu, the RDNA3 (gfx11, wave32) emulator.
 *
 * Device memory is identity mapped: a device address is a host address inside the emulator's arena (or inside a range
 * given to cassc_emu_register_host), so copies are memcpy after cassc_emu_check. All functions are thread safe unless
 * stated; launches of one device may run at the same time. No function throws, exits or prints. */
#ifndef CASSC_EMU_H
#define CASSC_EMU_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CASSC_EMU_ABI_VERSION 2

typedef struct cassc_emu_device cassc_emu_device;
typedef struct cassc_emu_module cassc_emu_module; /* one loaded code object */
typedef struct cassc_emu_kernel cassc_emu_kernel; /* owned by its module */

typedef enum cassc_emu_status {
  CASSC_EMU_OK = 0,
  CASSC_EMU_INVALID_ARGUMENT = 1,
  CASSC_EMU_OUT_OF_MEMORY = 2,
  CASSC_EMU_BAD_CODE_OBJECT = 3, /* message in cassc_emu_last_error */
  CASSC_EMU_NOT_FOUND = 4,
  CASSC_EMU_FAULT = 5 /* details in cassc_emu_fault */
} cassc_emu_status;

typedef enum cassc_emu_fault_kind {
  CASSC_EMU_FAULT_NONE = 0,
  CASSC_EMU_FAULT_ILLEGAL_ADDRESS = 1,    /* global, flat or scalar access outside every allocation */
  CASSC_EMU_FAULT_MISALIGNED = 2,         /* address not a multiple of the access size (of its element, at most 16) */
  CASSC_EMU_FAULT_LDS_ADDRESS = 3,        /* LDS access past the workgroup's allocation */
  CASSC_EMU_FAULT_SCRATCH_ADDRESS = 4,    /* scratch access past the lane's private segment */
  CASSC_EMU_FAULT_ILLEGAL_INSTRUCTION = 5,/* encoding that the emulator does not execute: named */
  CASSC_EMU_FAULT_TRAP = 6,               /* s_trap 2 (llvm.trap) */
  CASSC_EMU_FAULT_ASSERT = 7,             /* s_trap with the assert code, reserved */
  CASSC_EMU_FAULT_INSTRUCTION_LIMIT = 8,  /* max_wave_instructions reached */
  CASSC_EMU_FAULT_BARRIER_DEADLOCK = 9    /* every wave left waits at a barrier that cannot complete */
} cassc_emu_fault_kind;

typedef struct cassc_emu_dim3 { uint32_t x, y, z; } cassc_emu_dim3;

typedef struct cassc_emu_fault {
  uint32_t kind; /* cassc_emu_fault_kind */
  uint32_t access_size; /* bytes, 0 where meaningless */
  uint32_t is_write;
  uint32_t wave; /* in the workgroup */
  uint32_t lane;
  cassc_emu_dim3 workgroup;
  uint64_t address;   /* faulting address, 0 where meaningless */
  uint64_t pc_offset; /* bytes from the kernel's entry */
  char kernel[256];
  char instruction[128]; /* mnemonic and raw dwords */
  char message[512];     /* one line, complete on its own */
} cassc_emu_fault;

typedef struct cassc_emu_argument {
  uint32_t offset, size; /* bytes, in the kernarg segment */
  uint32_t hidden;       /* 1: filled by the emulator (hidden_block_count_x, ...) */
} cassc_emu_argument;

typedef struct cassc_emu_kernel_info {
  const char *name; /* lives as long as the module */
  uint32_t kernarg_size;       /* bytes, hidden arguments included */
  uint32_t group_segment_size; /* static LDS, bytes */
  uint32_t private_segment_size;
  uint32_t max_flat_workgroup_size;
  uint32_t vgpr_count, sgpr_count;
  uint32_t argument_count;
} cassc_emu_kernel_info;

typedef enum cassc_emu_order {
  CASSC_EMU_ORDER_ASCENDING = 0, /* workgroups begin in ascending order; with one thread every run is the same */
  CASSC_EMU_ORDER_DESCENDING = 1, /* workgroups, and the waves of each, have their turns from the last to the first */
  CASSC_EMU_ORDER_SHUFFLED = 2    /* in an order, and in turns of a length, that depend on the seed */
} cassc_emu_order;

enum {
  /* Plain accesses of 2, 4, 8 and 16 bytes at other multiples fault, in global memory at other multiples of 4 from 4 bytes
   * on: for code that was compiled without unaligned access. */
  CASSC_EMU_LAUNCH_STRICT_ALIGNMENT = 1,
  /* All workgroups are in progress at once, whatever memory they take: for those that wait for each other. */
  CASSC_EMU_LAUNCH_TOGETHER = 2
};

typedef struct cassc_emu_launch_options {
  uint64_t max_wave_instructions; /* 0: no limit */
  uint32_t order;                 /* cassc_emu_order; all but the first use one thread */
  uint32_t threads;               /* 1: one, the caller's; 0: as many as the processor has, or CASSC_EMU_THREADS */
  uint64_t seed;
  uint32_t flags;
  uint32_t reserved; /* 0 */
} cassc_emu_launch_options;

uint32_t cassc_emu_abi_version(void);

/* gfx: "gfx1100" ... "gfx1103", "gfx1150", "gfx1151". memory_bytes: size of device memory (0: default). NULL on error. */
cassc_emu_device *cassc_emu_create(const char *gfx, uint64_t memory_bytes);
void cassc_emu_destroy(cassc_emu_device *device);
/* Text of the calling thread's last failure, never NULL. */
const char *cassc_emu_last_error(void);

/* Allocations are 256-byte aligned; accesses past their exact size fault. Contents start undefined (not zeroed). */
cassc_emu_status cassc_emu_malloc(cassc_emu_device *device, uint64_t size, uint64_t *address);
/* At a multiple of a power of two from 256 on. */
cassc_emu_status cassc_emu_malloc_aligned(cassc_emu_device *device, uint64_t size, uint64_t alignment, uint64_t *address);
cassc_emu_status cassc_emu_free(cassc_emu_device *device, uint64_t address);
/* Base and size of the allocation or registered range that holds the address. */
cassc_emu_status cassc_emu_find(cassc_emu_device *device, uint64_t address, uint64_t *base, uint64_t *size);
/* CASSC_EMU_OK when [address, address + size) lies inside one allocation or registered range. */
cassc_emu_status cassc_emu_check(cassc_emu_device *device, uint64_t address, uint64_t size);
cassc_emu_status cassc_emu_register_host(cassc_emu_device *device, const void *pointer, uint64_t size);
cassc_emu_status cassc_emu_unregister_host(cassc_emu_device *device, const void *pointer);
void cassc_emu_memory_info(cassc_emu_device *device, uint64_t *free_bytes, uint64_t *total_bytes);

/* elf: an ET_DYN AMDGPU code object; copied. Global variables become allocations of the device. */
cassc_emu_status cassc_emu_module_load(cassc_emu_device *device, const void *elf, size_t size, cassc_emu_module **module);
void cassc_emu_module_unload(cassc_emu_module *module);
size_t cassc_emu_module_kernel_count(const cassc_emu_module *module);
const cassc_emu_kernel *cassc_emu_module_kernel_at(const cassc_emu_module *module, size_t index);
const cassc_emu_kernel *cassc_emu_module_kernel(const cassc_emu_module *module, const char *name); /* NULL: none */
cassc_emu_status cassc_emu_module_global(const cassc_emu_module *module, const char *name, uint64_t *address, uint64_t *size);
void cassc_emu_kernel_get_info(const cassc_emu_kernel *kernel, cassc_emu_kernel_info *info);
cassc_emu_status cassc_emu_kernel_argument(const cassc_emu_kernel *kernel, uint32_t index, cassc_emu_argument *argument);

/* Runs to completion. grid in workgroups, block in work-items. kernarg: the explicit arguments, laid out as the metadata
 * says; the emulator adds the hidden ones. fault may be NULL. */
cassc_emu_status cassc_emu_launch(cassc_emu_device *device, const cassc_emu_kernel *kernel, cassc_emu_dim3 grid, cassc_emu_dim3 block,
                                  uint32_t dynamic_lds_bytes, const void *kernarg, size_t kernarg_size,
                                  const cassc_emu_launch_options *options, cassc_emu_fault *fault);
enum {
  CASSC_EMU_OBSERVE_MEMORY = 1, /* accesses out of bounds, misaligned, to freed memory */
  CASSC_EMU_OBSERVE_RACE = 2,   /* conflicting accesses of two waves that nothing orders */
  CASSC_EMU_OBSERVE_INIT = 4,   /* reads of memory that was never written */
  CASSC_EMU_OBSERVE_SYNC = 8,   /* barriers that not all reach */
  CASSC_EMU_OBSERVE_CHECKS = 15,
  CASSC_EMU_OBSERVE_PROFILE = 16,
  CASSC_EMU_OBSERVE_ALL = 31
};
/* From now on every launch is observed, on one thread, and what is found is appended to the file: a JSON object a line
 * (docs/emulator.md); code objects are kept as PATH.N.hsaco. Before the first module is loaded. */
cassc_emu_status cassc_emu_observe(cassc_emu_device *device, uint32_t what, const char *path);
/* The host wrote device memory (only OBSERVE_INIT asks). */
void cassc_emu_written(cassc_emu_device *device, uint64_t address, uint64_t size);

/* What a HIP runtime gives kernels beside their arguments: values for hidden_hostcall_buffer and hidden_heap_v1, asked for once,
 * at the first launch of a kernel that has one of them; and a function for s_sendmsg(MSG_INTERRUPT), which a kernel does when it
 * has put a call into that buffer and waits for the answer. It runs on the thread that executes the wave, on several at once.
 * Without services kernels find zeros. Before the first launch. */
typedef struct cassc_emu_services {
  cassc_emu_status (*prepare)(void *data, uint64_t *hostcall_buffer, uint64_t *heap);
  void (*interrupt)(void *data);
  void *data;
} cassc_emu_services;
void cassc_emu_serve(cassc_emu_device *device, const cassc_emu_services *services);

/* Wave-instructions executed by this device so far. */
uint64_t cassc_emu_instruction_count(const cassc_emu_device *device);

/* For tests: decode one instruction at code[0..size): returns its length in bytes and writes its mnemonic. 0: the emulator
 * does not execute it, and what is written says why. As gfx1150, or as the named processor. */
size_t cassc_emu_decode_for(const char *gfx, const void *code, size_t size, char *mnemonic, size_t mnemonic_size);
size_t cassc_emu_decode(const void *code, size_t size, char *mnemonic, size_t mnemonic_size);

#ifdef __cplusplus
}
#endif
#endif
