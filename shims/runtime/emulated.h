// Choices of a library that is built around the emulated device.
#ifndef CASSC_RUNTIME_EMULATED_H
#define CASSC_RUNTIME_EMULATED_H

namespace cassc::rt {

// True: no other device is looked for, whatever the environment says. Set before the device is opened, as the next.
bool& only_emulator();
// True, as it is at first: misaligned accesses of a kernel fault, as CUDA has it.
bool& strict_alignment();

}  // namespace cassc::rt
#endif
