#include "helpers.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace cassc::emu {

Helpers::~Helpers() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wanted_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Helpers::offer(const std::shared_ptr<Job>& job, std::uint64_t wanted) {
  wanted = std::min<std::uint64_t>(wanted, limit_);
  const std::lock_guard lock(mutex_);
  while (threads_.size() < limit_ && idle_ < jobs_.size() + wanted) {
    try {
      threads_.emplace_back([this] { loop(); });
      ++idle_;
    } catch (const std::system_error&) {
      break;
    }
  }
  if (threads_.empty()) return;
  jobs_.insert(jobs_.end(), wanted, job);
  wanted_.notify_all();
}

void Helpers::finish(const std::shared_ptr<Job>& job) {
  std::unique_lock lock(mutex_);
  job->closed = true;
  std::erase(jobs_, job);
  left_.wait(lock, [&] { return job->active == 0; });
}

void Helpers::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wanted_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
    if (ending_) return;
    const std::shared_ptr<Job> job = std::move(jobs_.front());
    jobs_.pop_front();
    if (job->closed) continue;
    ++job->active;
    --idle_;
    lock.unlock();
    job->work();
    lock.lock();
    ++idle_;
    if (--job->active == 0) left_.notify_all();
  }
}

unsigned default_threads() {
  if (const char* wish = std::getenv("CASSC_EMU_THREADS")) {
    const long count = std::strtol(wish, nullptr, 10);
    if (count > 0) return unsigned(std::min(count, 256L));
  }
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return unsigned(std::max(CPU_COUNT(&set), 1));
  return std::max(std::thread::hardware_concurrency(), 1u);
}

}  // namespace cassc::emu
