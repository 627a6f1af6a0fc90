#include "order.h"

namespace cassc::rt {

StreamOrder::Stream::Stream(StreamOrder& order, bool blocking) : order_(order), blocking_(blocking) {
  if (!blocking || this == &order.legacy_) return;
  std::lock_guard lock(order_.mutex_);
  order_.blocking_.insert(this);
}

StreamOrder::Stream::~Stream() {
  if (!blocking_ || this == &order_.legacy_) return;
  std::lock_guard lock(order_.mutex_);
  order_.blocking_.erase(this);
  std::erase_if(order_.left_behind_, [&](const TaskPtr& task) { return order_.scheduler_.done(task); });
  if (last_) order_.left_behind_.push_back(last_);
}

std::vector<TaskPtr> StreamOrder::predecessors(const Stream& stream) const {
  std::vector<TaskPtr> tasks = stream.waits_;
  tasks.push_back(stream.last_);
  if (&stream == &legacy_) {
    for (const Stream* other : blocking_) {
      tasks.push_back(other->last_);
      tasks.insert(tasks.end(), other->waits_.begin(), other->waits_.end());
    }
    tasks.insert(tasks.end(), left_behind_.begin(), left_behind_.end());
  } else if (stream.blocking_) {
    tasks.push_back(legacy_.last_);
  }
  return tasks;
}

void StreamOrder::append(Stream& stream, const TaskPtr& task) {
  stream.waits_.clear();
  if (&stream == &legacy_) left_behind_.clear();
  stream.last_ = task;
}

void StreamOrder::enqueue(Stream& stream, std::function<void()> work) {
  std::lock_guard lock(mutex_);
  append(stream, scheduler_.submit(std::move(work), predecessors(stream)));
}

TaskPtr StreamOrder::mark(Stream& stream) {
  std::lock_guard lock(mutex_);
  append(stream, scheduler_.mark(predecessors(stream)));
  return stream.last_;
}

void StreamOrder::run(Stream& stream, const std::function<void()>& work) {
  TaskPtr task;
  {
    std::lock_guard lock(mutex_);
    task = scheduler_.reserve(predecessors(stream));
    append(stream, task);
  }
  scheduler_.finish(task, work);
}

void StreamOrder::wait_before_next(Stream& stream, TaskPtr task) {
  std::lock_guard lock(mutex_);
  stream.waits_.push_back(std::move(task));
}

bool StreamOrder::idle(Stream& stream) {
  std::lock_guard lock(mutex_);
  for (const TaskPtr& task : predecessors(stream))
    if (!scheduler_.done(task)) return false;
  return true;
}

void StreamOrder::synchronize(Stream& stream) {
  std::vector<TaskPtr> tasks;
  {
    std::lock_guard lock(mutex_);
    tasks = predecessors(stream);
  }
  for (const TaskPtr& task : tasks) scheduler_.wait(task);
}

}  // namespace cassc::rt
