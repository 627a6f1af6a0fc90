#include "backend.h"

#include <dlfcn.h>

#include <cstdlib>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "errors.h"
#include "library_work.h"

namespace cassc::blas {
namespace {

class Backend {
 public:
  static Backend& get() {
    static auto* made = new Backend;
    return *made;
  }

  bool found() const { return library_ != nullptr; }
  bool wide() const { return wide_; }

  void* find(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto [at, fresh] = known_.try_emplace(name, nullptr);
    if (fresh && library_) at->second = dlsym(library_, decorated(name).c_str());
    return at->second;
  }

 private:
  Backend() {
    const char* named = std::getenv("CASSC_BLAS");
    library_ = rt::open_first({named ? named : "",
                               // OpenBLAS as the wheel of numpy brings it, beside our own package
                               "../../numpy.libs/libscipy_openblas64_*.so", "../../numpy.libs/libopenblas64_*.so",
                               "libopenblas.so.0", "libmkl_rt.so.2", "libblas.so.3"});
    if (!library_) return;
    // Builds with 64-bit integers decorate their names, so that both kinds can live in one process.
    for (const auto& [prefix, suffix] : {std::pair{"scipy_", "64_"}, {"", "64_"}, {"", "_64"}}) {
      if (!dlsym(library_, (std::string(prefix) + "cblas_sgemm" + suffix).c_str())) continue;
      prefix_ = prefix;
      suffix_ = suffix;
      wide_ = true;
      return;
    }
  }

  std::string decorated(const std::string& name) const {
    const bool fortran = name.rfind("cblas_", 0) != 0;
    return prefix_ + name + (fortran ? "_" : "") + suffix_;
  }

  void* library_ = nullptr;
  std::string prefix_, suffix_;
  bool wide_ = false;
  std::mutex mutex_;
  std::unordered_map<std::string, void*> known_;
};

}  // namespace

bool have_backend() {
  if (Backend::get().found()) return true;
  rt::report("no BLAS library was found: 'pip install numpy' brings one; CASSC_BLAS names another", true);
  return false;
}

bool wide_integers() { return Backend::get().wide(); }

void* find_function(const std::string& name) { return Backend::get().find(name); }

void missing_function(const std::string& name) { rt::report("the BLAS library lacks " + name + ": a result is missing", true); }

}  // namespace cassc::blas
