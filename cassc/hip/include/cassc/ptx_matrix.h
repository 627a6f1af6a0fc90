// Inline PTX on matrices that a warp holds (PTX ISA 9.0, "Matrix Fragments for mma"): in a tile of eight rows lane l holds, of
// row l / 4, the four bytes at 4 (l % 4); of the second factor columns take the place of rows. A result's lane holds columns
// 2 (l % 4) and the next. Sums are made in order of the depth.
#ifndef CASSC_PTX_MATRIX_H
#define CASSC_PTX_MATRIX_H
#include "cassc/ptx.h"

#ifdef __CUDA_ARCH__
namespace cassc {
namespace ptx {
// Elements of a register: how many, and each as a number.
struct Half {
  static constexpr int count = 2;
  static CASSC_FN float get(unsigned word, int i) {
    return static_cast<float>(__builtin_bit_cast(_Float16, static_cast<unsigned short>(word >> 16 * i)));
  }
};
struct Bfloat {
  static constexpr int count = 2;
  static CASSC_FN float get(unsigned word, int i) {
    return __builtin_bit_cast(float, i ? word & 0xffff0000u : word << 16);
  }
};
struct Tf32 {
  static constexpr int count = 1;
  static CASSC_FN float get(unsigned word, int) { return __builtin_bit_cast(float, word & 0xffffe000u); }
};
template <bool Signed>
struct Byte {
  static constexpr int count = 4;
  static CASSC_FN int get(unsigned word, int i) {
    const unsigned char byte = static_cast<unsigned char>(word >> 8 * i);
    return Signed ? static_cast<int>(static_cast<signed char>(byte)) : static_cast<int>(byte);
  }
};
template <bool Signed>
struct Nibble {
  static constexpr int count = 8;
  static CASSC_FN int get(unsigned word, int i) {
    const int nibble = static_cast<int>(word >> 4 * i & 15);
    return Signed && nibble > 7 ? nibble - 16 : nibble;
  }
};
struct Bit {};
struct BitsXor {
  static CASSC_FN unsigned join(unsigned a, unsigned b) { return a ^ b; }
};
struct BitsAnd {
  static CASSC_FN unsigned join(unsigned a, unsigned b) { return a & b; }
};

template <class A_, class B_, class Join, class Sum>
CASSC_FN void dot(Sum& sum, unsigned a, unsigned b) {
  if constexpr (__is_same(A_, Bit)) {
    sum += __builtin_popcount(Join::join(a, b));
  } else {
    for (int i = 0; i < A_::count; ++i) {
      if constexpr (__is_same(Sum, long long))
        sum += static_cast<long long>(A_::get(a, i)) * B_::get(b, i);
      else
        sum = __builtin_fmaf(A_::get(a, i), B_::get(b, i), sum);
    }
  }
}

// The lane's elements of the result; Halves tiles of eight rows, Chunks registers along the depth for each.
template <int Halves, int Chunks, class Sum, class A_, class B_, class Join>
CASSC_FN void products(Sum (&sums)[2 * Halves], const unsigned* a, const unsigned* b) {
  const unsigned row = lane() / 4 * 4, column = lane() % 4 * 8;
  for (int chunk = 0; chunk < Chunks; ++chunk)
    for (unsigned t = 0; t < 4; ++t) {
      const unsigned left = permute(b[chunk], column + t), right = permute(b[chunk], column + 4 + t);
      for (int half = 0; half < Halves; ++half) {
        const unsigned of_row = permute(a[Halves * chunk + half], row + t);
        dot<A_, B_, Join>(sums[2 * half], of_row, left);
        dot<A_, B_, Join>(sums[2 * half + 1], of_row, right);
      }
    }
}
// Results and addends as numbers, or as halves in pairs.
template <int Halves, int Chunks, bool Clamp, class Number, class A_, class B_, class Join = BitsXor, class Register, int Size>
CASSC_FN void mma(Register (&d)[Size], const unsigned* a, const unsigned* b, const Register (&c)[Size]) {
  using Sum = std::conditional_t<std::is_same_v<Number, int>, long long, float>;
  Sum sums[2 * Halves];
  for (int i = 0; i < 2 * Halves; ++i) {
    if constexpr (std::is_same_v<Register, unsigned>) sums[i] = Half::get(c[i / 2], i % 2);
    else sums[i] = c[i];
  }
  products<Halves, Chunks, Sum, A_, B_, Join>(sums, a, b);
  if constexpr (std::is_same_v<Register, unsigned>) {
    for (int i = 0; i < Halves; ++i) {
      const auto bits = [](float x) { return __builtin_bit_cast(unsigned short, static_cast<_Float16>(x)); };
      d[i] = bits(sums[2 * i]) | static_cast<unsigned>(bits(sums[2 * i + 1])) << 16;
    }
  } else if constexpr (Clamp) {
    for (int i = 0; i < 2 * Halves; ++i)
      d[i] = sums[i] < -0x80000000ll ? -0x7fffffff - 1 : sums[i] > 0x7fffffffll ? 0x7fffffff : static_cast<int>(sums[i]);
  } else {
    for (int i = 0; i < 2 * Halves; ++i) d[i] = static_cast<Number>(sums[i]);
  }
}
// m8n8k4: a lane holds one element of each factor.
CASSC_FN void mma_double(double (&d)[2], const double (&a)[1], const double (&b)[1], const double (&c)[2]) {
  const unsigned row = lane() / 4 * 4, column = lane() % 4 * 8;
  double left = c[0], right = c[1];
  for (unsigned t = 0; t < 4; ++t) {
    const double of_row = permute(a[0], row + t);
    left = __builtin_fma(of_row, permute(b[0], column + t), left);
    right = __builtin_fma(of_row, permute(b[0], column + 4 + t), right);
  }
  d[0] = left;
  d[1] = right;
}

// Tiles of 8x8 elements of two bytes: lane l of those numbered 8 i to 8 i + 7 names a row of tile i.
CASSC_FN unsigned char* row_of_tile(unsigned char* own, unsigned tile, unsigned row) {
  return reinterpret_cast<unsigned char*>(permute(reinterpret_cast<unsigned long long>(own), 8 * tile + row));
}
template <bool Transposed, int Count>
CASSC_FN void load_tiles(unsigned (&tiles)[Count], unsigned char* own) {
  const unsigned quotient = lane() / 4, rest = 2 * (lane() % 4);
  for (unsigned i = 0; i < Count; ++i) {
    if constexpr (Transposed) {
      const unsigned low = reinterpret_cast<const unsigned short*>(row_of_tile(own, i, rest))[quotient];
      tiles[i] = low | static_cast<unsigned>(reinterpret_cast<const unsigned short*>(row_of_tile(own, i, rest + 1))[quotient]) << 16;
    } else {
      tiles[i] = *reinterpret_cast<const unsigned*>(row_of_tile(own, i, quotient) + 2 * rest);
    }
  }
}
template <bool Transposed, int Count>
CASSC_FN void store_tiles(const unsigned (&tiles)[Count], unsigned char* own) {
  const unsigned quotient = lane() / 4, rest = 2 * (lane() % 4);
  for (unsigned i = 0; i < Count; ++i) {
    if constexpr (Transposed) {
      reinterpret_cast<unsigned short*>(row_of_tile(own, i, rest))[quotient] = static_cast<unsigned short>(tiles[i]);
      reinterpret_cast<unsigned short*>(row_of_tile(own, i, rest + 1))[quotient] = static_cast<unsigned short>(tiles[i] >> 16);
    } else {
      *reinterpret_cast<unsigned*>(row_of_tile(own, i, quotient) + 2 * rest) = tiles[i];
    }
  }
}
}  // namespace ptx
}  // namespace cassc
#endif
#endif
