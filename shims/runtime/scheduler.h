// Work of the emulated device: tasks that start when the tasks before them are done.
#ifndef CASSC_RUNTIME_SCHEDULER_H
#define CASSC_RUNTIME_SCHEDULER_H
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace cassc::rt {

class Task;
using TaskPtr = std::shared_ptr<Task>;

class Task {
 public:
  std::chrono::steady_clock::time_point finished() const { return finished_; }  // meaningful when done

 private:
  friend class Scheduler;
  // Work is run by a worker, Reserved work by the thread that asked for it; a Mark has no work.
  enum class Kind { Work, Reserved, Mark };
  Kind kind_ = Kind::Work;
  std::function<void()> work_;
  std::vector<TaskPtr> followers_;
  std::chrono::steady_clock::time_point finished_{};
  uint64_t number_ = 0;
  int missing_ = 0;         // predecessors that are not done
  bool done_ = false;
};

// Thread safe. Workers are started when there is work that no idle worker would take, so a task that waits (a kernel that
// spins on a host flag, a host function) does not hold up tasks that do not depend on it.
class Scheduler {
 public:
  // Starts work when all of after are done (null entries are skipped); returns at once.
  TaskPtr submit(std::function<void()> work, const std::vector<TaskPtr>& after);
  // Done as soon as all of after are.
  TaskPtr mark(const std::vector<TaskPtr>& after);
  // As submit, for work that this thread will run itself by finish().
  TaskPtr reserve(const std::vector<TaskPtr>& after);
  void finish(const TaskPtr& task, const std::function<void()>& work);

  bool done(const TaskPtr& task);  // true for null
  void wait(const TaskPtr& task);
  void wait_all();
  // Drops tasks that have not started and waits for the others for at most patience.
  void stop(std::chrono::milliseconds patience);

 private:
  void work();
  void complete(const TaskPtr& task);  // with mutex_ held
  void start(const TaskPtr& task);     // with mutex_ held; not for marks
  TaskPtr add(Task::Kind kind, std::function<void()> work, const std::vector<TaskPtr>& after);

  std::mutex mutex_;
  std::condition_variable ready_changed_, done_changed_;
  std::map<uint64_t, TaskPtr> ready_;  // by number: older work first
  uint64_t next_ = 0;
  uint64_t unfinished_ = 0;
  int workers_ = 0, idle_ = 0, running_ = 0;
  bool stopped_ = false;
};

}  // namespace cassc::rt
#endif
