// Streams of the emulated device: which task has to wait for which.
#ifndef CASSC_RUNTIME_ORDER_H
#define CASSC_RUNTIME_ORDER_H
#include <set>

#include "scheduler.h"

namespace cassc::rt {

// CUDA's order (Programming Guide, "Streams" and "Default Stream"): work of one stream in the order of the calls; the legacy
// default stream waits for all blocking streams and they for it; other streams are independent.
class StreamOrder {
 public:
  class Stream {
   public:
    Stream(StreamOrder& order, bool blocking);
    ~Stream();  // the stream's work goes on
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

   private:
    friend class StreamOrder;
    StreamOrder& order_;
    const bool blocking_;
    TaskPtr last_;                // the newest work
    std::vector<TaskPtr> waits_;  // for the next work to wait for
  };

  explicit StreamOrder(Scheduler& scheduler) : scheduler_(scheduler), legacy_(*this, true) {}
  Stream& legacy() { return legacy_; }

  void enqueue(Stream& stream, std::function<void()> work);
  // Done when all the stream's work so far is.
  TaskPtr mark(Stream& stream);
  // As enqueue, in this thread; returns when the work is done.
  void run(Stream& stream, const std::function<void()>& work);
  void wait_before_next(Stream& stream, TaskPtr task);
  bool idle(Stream& stream);
  void synchronize(Stream& stream);

 private:
  std::vector<TaskPtr> predecessors(const Stream& stream) const;  // with mutex_ held
  void append(Stream& stream, const TaskPtr& task);               // with mutex_ held

  Scheduler& scheduler_;
  std::mutex mutex_;  // taken before the scheduler's
  std::set<Stream*> blocking_;
  std::vector<TaskPtr> left_behind_;  // newest work of blocking streams that were destroyed
  Stream legacy_;
};

}  // namespace cassc::rt
#endif
