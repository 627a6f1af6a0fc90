// Tiles of several warps: barriers, exchange, votes, reduction, scan, and tiles of tiles.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.h"

namespace cg = cooperative_groups;

// Warps of a tile hand a number round; the tiles take different numbers of turns, so a barrier for the block would not end.
__device__ void turns(const cg::thread_block_tile<64>& tile, int* cell) {
  for (unsigned turn = 0; turn < 4 * (tile.meta_group_rank() + 1); ++turn) {
    if (tile.thread_rank() == turn * 37 % 64) *cell = *cell * 3 + turn;
    tile.sync();
  }
}
template <unsigned Size, class Block>
__device__ void collectives(const Block& block, long long* out) {
  const auto tile = cg::tiled_partition<Size>(block);
  const int me = static_cast<int>(block.thread_rank());
  long long* mine = out + me * 8;
  mine[0] = cg::reduce(tile, static_cast<long long>(me) << 33, cg::plus<long long>());
  mine[1] = cg::inclusive_scan(tile, me * me);
  mine[2] = cg::exclusive_scan(tile, me, cg::plus<int>());
  mine[3] = tile.shfl(me, (tile.thread_rank() + 40) % Size);
  mine[4] = tile.any(me == 70) * 2 + tile.all(me >= 64);
  mine[5] = tile.meta_group_rank() * 1000 + tile.meta_group_size();
  const auto part = cg::tiled_partition<Size / 2>(tile);
  mine[6] = cg::reduce(part, me, cg::greater<int>()) * 100 + part.meta_group_rank();
  mine[7] = tile.size() * 10000 + tile.thread_rank();
}
template <unsigned Size>
__global__ void k(long long* out, int* cells) {
  __shared__ cg::block_tile_memory<256> memory;
  const cg::thread_block block = cg::this_thread_block(memory);
  collectives<Size>(block, out);
  const auto tile = cg::tiled_partition<64>(block);
  turns(tile, cells + tile.meta_group_rank());
}
__global__ void without_memory(long long* out) { collectives<128>(cg::this_thread_block(), out); }

template <int Size>
void check(const long long* out) {
  for (int me = 0; me < 256; ++me) {
    const int first = me / Size * Size, last = first + Size;
    const long long* mine = out + me * 8;
    long long sum = 0;
    int inclusive = 0, exclusive = 0;
    for (int i = first; i < last; ++i) sum += static_cast<long long>(i) << 33;
    for (int i = first; i <= me; ++i) inclusive += i * i, exclusive += i < me ? i : 0;
    CHECK(mine[0] == sum);
    CHECK(mine[1] == inclusive);
    CHECK(mine[2] == exclusive);
    CHECK(mine[3] == first + (me - first + 40) % Size);
    CHECK(mine[4] == (first <= 70 && 70 < last) * 2 + (first >= 64));
    CHECK(mine[5] == me / Size * 1000 + 256 / Size);
    CHECK(mine[6] == (me / (Size / 2) * (Size / 2) + Size / 2 - 1) * 100 + (me - first) / (Size / 2));
    CHECK(mine[7] == Size * 10000 + me - first);
  }
}

int main() {
  long long* out = managed<long long>(256 * 8);
  int* cells = managed<int>(4);
  for (int round = 0; round < 2; ++round) {
    round ? k<128><<<1, 256>>>(out, cells) : k<64><<<1, 256>>>(out, cells);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    round ? check<128>(out) : check<64>(out);
    for (int tile = 0; tile < 4; ++tile) {
      int cell = 0;
      for (int r = 0; r <= round; ++r)
        for (int turn = 0; turn < 4 * (tile + 1); ++turn) cell = static_cast<int>(cell * 3u + turn);
      CHECK(cells[tile] == cell);
    }
  }
  without_memory<<<1, 256>>>(out);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  check<128>(out);
  done();
}
