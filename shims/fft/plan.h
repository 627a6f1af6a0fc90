// A plan: sizes, element types and layouts, and its execution on memory that the host can reach.
#ifndef CASSC_FFT_PLAN_H
#define CASSC_FFT_PLAN_H
#include <optional>

#include "line.h"

namespace cassc::fft {

// Numbers of cufftType.
enum class Type : int { C2C = 0x29, R2C = 0x2a, C2R = 0x2c, Z2Z = 0x69, D2Z = 0x6a, Z2D = 0x6c };
constexpr bool is_double(Type t) { return t >= Type::Z2Z; }
constexpr bool from_real(Type t) { return t == Type::R2C || t == Type::D2Z; }
constexpr bool to_real(Type t) { return t == Type::C2R || t == Type::Z2D; }
bool is_type(int number);

// Where the elements of a batch's arrays are, in elements (cuFFT manual, "Advanced Data Layout").
struct Layout {
  std::vector<size_t> embed;  // one for each dimension; the first has no effect
  size_t stride = 1, distance = 0;
};

class Plan {
 public:
  // Layouts that are left out are the basic one: dense, and with a real side that is padded when it lies in place.
  Plan(Type type, std::vector<size_t> sizes, size_t batch, std::optional<Layout> in, std::optional<Layout> out);

  Type type() const { return type_; }
  void run(const void* in, void* out, Direction direction) const;

 private:
  Layout layout(const std::optional<Layout>& given, bool real, bool in_place) const;
  template <class T>
  void run_as(const T* in, T* out, Direction direction) const;
  void along(size_t axis, std::vector<Complex>& data, const std::vector<size_t>& sizes, Direction direction) const;

  const Type type_;
  const std::vector<size_t> sizes_;
  const size_t batch_;
  const std::optional<Layout> in_, out_;
  std::vector<std::shared_ptr<const Line>> lines_;  // one for each axis
};

}  // namespace cassc::fft
#endif
