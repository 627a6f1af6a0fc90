// A wave's message to the host, which waits for nothing: the host's function is called at once.
#pragma once
#include "machine.h"

namespace cassc::emu {

void interrupt(Wave& wave);

}  // namespace cassc::emu
