// Chooses the execution variant for this processor, once. CASSC_EMU_VARIANT in the environment may ask for a lower one.
#include <cstdlib>
#include <cstring>

#include "machine.h"

namespace cassc::emu {
namespace {

Variant choose() {
  const char* wish = std::getenv("CASSC_EMU_VARIANT");
  const bool any = !wish || !*wish;
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
  if (v4 && (any || !std::strcmp(wish, "v4"))) return {&v4::tables(), &v4::run};
  if (v3 && (any || !std::strcmp(wish, "v3") || !std::strcmp(wish, "v4"))) return {&v3::tables(), &v3::run};
  return {&baseline::tables(), &baseline::run};
}

}  // namespace

const Variant& variant() {
  static const Variant chosen = choose();
  return chosen;
}

}  // namespace cassc::emu
