#include "plan.h"

#include <algorithm>

namespace cassc::fft {
namespace {

size_t product(const std::vector<size_t>& sizes) {
  size_t all = 1;
  for (const size_t size : sizes) all *= size;
  return all;
}

// Calls visit(i, place) for the i-th element, in row-major order, of a box of this size in a layout.
template <class Visit>
void each(const std::vector<size_t>& sizes, const Layout& layout, Visit&& visit) {
  std::vector<size_t> at(sizes.size());
  const size_t count = product(sizes);
  for (size_t i = 0; i < count; ++i) {
    size_t place = 0;
    for (size_t axis = 0; axis < sizes.size(); ++axis) place = place * (axis ? layout.embed[axis] : 1) + at[axis];
    visit(i, place * layout.stride);
    for (size_t axis = sizes.size(); axis-- > 0;) {
      if (++at[axis] < sizes[axis]) break;
      at[axis] = 0;
    }
  }
}

}  // namespace

bool is_type(int number) {
  for (const Type type : {Type::C2C, Type::R2C, Type::C2R, Type::Z2Z, Type::D2Z, Type::Z2D})
    if (static_cast<int>(type) == number) return true;
  return false;
}

Plan::Plan(Type type, std::vector<size_t> sizes, size_t batch, std::optional<Layout> in, std::optional<Layout> out)
    : type_(type), sizes_(std::move(sizes)), batch_(batch), in_(std::move(in)), out_(std::move(out)) {
  for (const size_t size : sizes_) {
    const auto same = std::find(sizes_.begin(), sizes_.end(), size) - sizes_.begin();
    lines_.push_back(static_cast<size_t>(same) < lines_.size() ? lines_[same] : make_line(size));
  }
}

Layout Plan::layout(const std::optional<Layout>& given, bool real, bool in_place) const {
  if (given) return *given;
  Layout dense{sizes_, 1, 0};
  const bool halved = from_real(type_) || to_real(type_);
  if (halved && !real) dense.embed.back() = sizes_.back() / 2 + 1;
  if (halved && real && in_place) dense.embed.back() = 2 * (sizes_.back() / 2 + 1);
  dense.distance = product(dense.embed);
  return dense;
}

void Plan::along(size_t axis, std::vector<Complex>& data, const std::vector<size_t>& sizes, Direction direction) const {
  const size_t n = sizes[axis];
  size_t step = 1;
  for (size_t i = axis + 1; i < sizes.size(); ++i) step *= sizes[i];
  std::vector<Complex> in(n), out(n);
  for (size_t start = 0; start < data.size(); start += n * step)
    for (size_t lane = start; lane < start + step; ++lane) {
      for (size_t k = 0; k < n; ++k) in[k] = data[lane + k * step];
      lines_[axis]->run(in.data(), out.data(), direction);
      for (size_t k = 0; k < n; ++k) data[lane + k * step] = out[k];
    }
}

template <class T>
void Plan::run_as(const T* in, T* out, Direction direction) const {
  const bool in_place = in == out, real_in = from_real(type_), real_out = to_real(type_);
  const Layout source = layout(in_, real_in, in_place), target = layout(out_, real_out, in_place);
  std::vector<size_t> half = sizes_;
  half.back() = half.back() / 2 + 1;
  const size_t last = sizes_.size() - 1, row = sizes_.back();
  for (size_t b = 0; b < batch_; ++b) {
    const T* from = in + b * source.distance * (real_in ? 1 : 2);
    T* to = out + b * target.distance * (real_out ? 1 : 2);
    const std::vector<size_t>& read = real_out ? half : sizes_;
    std::vector<Complex> data(product(read));
    each(read, source, [&](size_t i, size_t place) {
      data[i] = real_in ? Complex(from[place]) : Complex(from[2 * place], from[2 * place + 1]);
    });
    for (size_t axis = 0; axis < last; ++axis) along(axis, data, read, direction);
    if (real_out) {  // the other half of each row is the conjugate of this one
      std::vector<Complex> whole(product(sizes_));
      for (size_t r = 0; r < whole.size() / row; ++r)
        for (size_t k = 0; k < row; ++k) {
          const Complex& value = data[r * half.back() + std::min(k, row - k)];
          whole[r * row + k] = k == 0 || 2 * k == row ? Complex(value.real()) : 2 * k > row ? std::conj(value) : value;
        }
      data.swap(whole);
    }
    along(last, data, sizes_, direction);
    if (real_out) {
      each(sizes_, target, [&](size_t i, size_t place) { to[place] = static_cast<T>(data[i].real()); });
      continue;
    }
    const std::vector<size_t>& written = real_in ? half : sizes_;
    each(written, target, [&](size_t i, size_t place) {
      const Complex& value = data[i / written.back() * row + i % written.back()];
      to[2 * place] = static_cast<T>(value.real());
      to[2 * place + 1] = static_cast<T>(value.imag());
    });
  }
}

void Plan::run(const void* in, void* out, Direction direction) const {
  if (from_real(type_)) direction = kForward;
  if (to_real(type_)) direction = kInverse;
  if (is_double(type_)) run_as(static_cast<const double*>(in), static_cast<double*>(out), direction);
  else run_as(static_cast<const float*>(in), static_cast<float*>(out), direction);
}

}  // namespace cassc::fft
