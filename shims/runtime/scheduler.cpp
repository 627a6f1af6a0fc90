#include "scheduler.h"

#include <system_error>
#include <thread>

namespace cassc::rt {
namespace {

constexpr int kMostWorkers = 16;

}  // namespace

TaskPtr Scheduler::add(Task::Kind kind, std::function<void()> work, const std::vector<TaskPtr>& after) {
  auto task = std::make_shared<Task>();
  task->kind_ = kind;
  task->work_ = std::move(work);
  std::lock_guard lock(mutex_);
  task->number_ = next_++;
  ++unfinished_;
  for (const TaskPtr& before : after) {
    if (!before || before->done_) continue;
    before->followers_.push_back(task);
    ++task->missing_;
  }
  if (task->missing_ == 0) {
    if (kind == Task::Kind::Mark) complete(task);
    else start(task);
  }
  return task;
}

TaskPtr Scheduler::submit(std::function<void()> work, const std::vector<TaskPtr>& after) {
  return add(Task::Kind::Work, std::move(work), after);
}

TaskPtr Scheduler::mark(const std::vector<TaskPtr>& after) { return add(Task::Kind::Mark, {}, after); }

TaskPtr Scheduler::reserve(const std::vector<TaskPtr>& after) { return add(Task::Kind::Reserved, {}, after); }

void Scheduler::start(const TaskPtr& task) {
  if (task->kind_ == Task::Kind::Reserved) {
    done_changed_.notify_all();
    return;
  }
  ready_.emplace(task->number_, task);
  if (idle_ >= static_cast<int>(ready_.size())) {
    ready_changed_.notify_one();
  } else if (workers_ < kMostWorkers && !stopped_) {
    try {
      std::thread([this] { this->work(); }).detach();
      ++workers_;
    } catch (const std::system_error&) {
      if (workers_ == 0) throw;  // otherwise a worker that is busy now takes it later
    }
  }
}

void Scheduler::complete(const TaskPtr& first) {
  std::vector<TaskPtr> finished{first};  // and the marks that this completes; a list, as they may form a long chain
  while (!finished.empty()) {
    const TaskPtr task = std::move(finished.back());
    finished.pop_back();
    task->done_ = true;
    task->finished_ = std::chrono::steady_clock::now();
    --unfinished_;
    for (const TaskPtr& follower : task->followers_) {
      if (--follower->missing_ != 0) continue;
      if (follower->kind_ == Task::Kind::Mark) finished.push_back(follower);
      else start(follower);
    }
    task->followers_.clear();
  }
  done_changed_.notify_all();
}

void Scheduler::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    ready_changed_.wait(lock, [this] { return !ready_.empty() && !stopped_; });
    --idle_;
    TaskPtr task = ready_.begin()->second;
    ready_.erase(ready_.begin());
    auto work = std::move(task->work_);
    ++running_;
    lock.unlock();
    work();
    work = nullptr;  // what it holds is given back outside the lock
    lock.lock();
    --running_;
    complete(task);
  }
}

void Scheduler::finish(const TaskPtr& task, const std::function<void()>& work) {
  {
    std::unique_lock lock(mutex_);
    done_changed_.wait(lock, [&] { return task->missing_ == 0; });
  }
  work();
  std::lock_guard lock(mutex_);
  complete(task);
}

bool Scheduler::done(const TaskPtr& task) {
  if (!task) return true;
  std::lock_guard lock(mutex_);
  return task->done_;
}

void Scheduler::wait(const TaskPtr& task) {
  if (!task) return;
  std::unique_lock lock(mutex_);
  done_changed_.wait(lock, [&] { return task->done_; });
}

void Scheduler::wait_all() {
  std::unique_lock lock(mutex_);
  done_changed_.wait(lock, [this] { return unfinished_ == 0; });
}

void Scheduler::stop(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  stopped_ = true;
  done_changed_.wait_for(lock, patience, [this] { return running_ == 0; });
}

}  // namespace cassc::rt
