// A generator of hipRAND, on a HIP device (hipRAND API Reference: names are cuRAND's, and statuses have its numbers).
#ifndef CASSC_RAND_HIPRAND_H
#define CASSC_RAND_HIPRAND_H
#include "../rocm/rocm.h"
#include "generator.h"

namespace cassc::rand {

const rocm::Library& hiprand();

class HipGenerator {
 public:
  // Null where hipRAND makes none of this type; status then says why.
  static std::unique_ptr<HipGenerator> make(int type, Status& status);
  ~HipGenerator();
  template <class... A>
  Status call(const char* name, A... arguments) const {
    return static_cast<Status>(hiprand().call(kMissing, name, handle_, arguments...));
  }
  Status generate(rt::Stream* stream, const Request& request) const;

 private:
  static constexpr int kMissing = static_cast<int>(Status::InternalError);
  void* handle_ = nullptr;
};

}  // namespace cassc::rand
#endif
