// The table alone: its declarations say nothing of parameters, so no file that knows them may stand beside it.
#include "entry_table.h"

#define CUDA(symbol, base, version, kind) extern "C" void symbol(); CUDA_DECLARE_##kind(symbol)
#define CUDA_DECLARE_ONE(symbol)
#define CUDA_DECLARE_PTDS(symbol) extern "C" void symbol##_ptds();
#define CUDA_DECLARE_PTSZ(symbol) extern "C" void symbol##_ptsz();
#include "api.def"
#undef CUDA

namespace {

constexpr cassc::cuda::Entry entries[] = {
#define CUDA(symbol, base, version, kind) {#base, version, symbol, CUDA_PER_THREAD_##kind(symbol)},
#define CUDA_PER_THREAD_ONE(symbol) nullptr
#define CUDA_PER_THREAD_PTDS(symbol) symbol##_ptds
#define CUDA_PER_THREAD_PTSZ(symbol) symbol##_ptsz
#include "api.def"
#undef CUDA
};

}  // namespace

std::span<const cassc::cuda::Entry> cassc::cuda::entry_table() { return entries; }
