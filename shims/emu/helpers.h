// Threads that take part in launches beside the thread that started them.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace cassc::emu {

class Helpers {
 public:
  // A share of a launch that any number of threads may take; `work` returns when nothing is left for its thread.
  struct Job {
    std::function<void()> work;
    unsigned active = 0;   // guarded by the mutex of Helpers, as the next
    bool closed = false;
  };

  explicit Helpers(unsigned limit) : limit_(limit) {}
  ~Helpers();
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  unsigned limit() const { return limit_; }
  // Asks up to `wanted` threads to take part, and starts those that are lacking. Does nothing where threads cannot be had.
  void offer(const std::shared_ptr<Job>& job, std::uint64_t wanted);
  // Nobody joins from now on; returns when those who did are done.
  void finish(const std::shared_ptr<Job>& job);

 private:
  void loop();

  const unsigned limit_;
  std::mutex mutex_;
  std::condition_variable wanted_, left_;
  std::deque<std::shared_ptr<Job>> jobs_;
  std::vector<std::thread> threads_;
  unsigned idle_ = 0;
  bool ending_ = false;
};

// Processors that this process may use, or CASSC_EMU_THREADS.
unsigned default_threads();

}  // namespace cassc::emu
