// The live objects behind the handles of one kind: a handle that was destroyed or never given is told from a good one.
#ifndef CASSC_RUNTIME_HANDLES_H
#define CASSC_RUNTIME_HANDLES_H
#include <memory>
#include <mutex>
#include <unordered_map>

namespace cassc::rt {

template <class T>
class Handles {
 public:
  T* add(std::unique_ptr<T> object) {
    T* handle = object.get();
    std::lock_guard lock(mutex_);
    live_[handle] = std::move(object);
    return handle;
  }
  bool known(const T* handle) const {
    std::lock_guard lock(mutex_);
    return live_.count(const_cast<T*>(handle)) != 0;
  }
  // The first that matches; null: none.
  template <class Match>
  T* find(Match&& match) const {
    std::lock_guard lock(mutex_);
    for (const auto& [handle, object] : live_)
      if (match(*object)) return handle;
    return nullptr;
  }
  std::unique_ptr<T> take(T* handle) {
    std::lock_guard lock(mutex_);
    const auto found = live_.find(handle);
    if (found == live_.end()) return nullptr;
    auto object = std::move(found->second);
    live_.erase(found);
    return object;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<T*, std::unique_ptr<T>> live_;
};

}  // namespace cassc::rt
#endif
