// Our libcudart as loaded into the program: which one it is, and where its functions are.
#ifndef CASSC_REDIRECT_FRONT_END_H
#define CASSC_REDIRECT_FRONT_END_H
#include <link.h>

#include <cstdint>
#include <string_view>

namespace cassc::redirect {

class FrontEnd {
 public:
  explicit FrontEnd(const link_map* map);
  // Address of an exported function, 0 where there is none. By the object's own tables: dlsym of an audit library sees
  // only its own namespace.
  uint64_t find(std::string_view name) const;

 private:
  uint64_t dynamic(int64_t tag) const;

  const link_map* map_;
  const ElfW(Sym) * symbols_;
  const char* strings_;
  const uint32_t* hash_;
};

}  // namespace cassc::redirect
#endif
