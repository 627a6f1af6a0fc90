// Chooses the execution variant for this processor, once. CASSC_EMU_VARIANT=baseline in the environment asks for the
// lower one (512-bit vectors were measured: no gain over 256).
#include <cstdlib>
#include <cstring>

#include "machine.h"

namespace cassc::emu {
namespace {

Variant choose() {
#ifndef CASSC_EMU_BASELINE_ONLY
  const char* wish = std::getenv("CASSC_EMU_VARIANT");
  const bool baseline_wanted = wish && !std::strcmp(wish, "baseline");
  __builtin_cpu_init();
  const bool capable = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  if (capable && !baseline_wanted) return {&v3::tables, &v3::run};
#endif
  return {&baseline::tables, &baseline::run};
}

}  // namespace

const Variant& observed_variant() {
  static const Variant chosen{&observed::tables, &observed::run};
  return chosen;
}

const Variant& variant() {
  static const Variant chosen = choose();
  return chosen;
}

}  // namespace cassc::emu
