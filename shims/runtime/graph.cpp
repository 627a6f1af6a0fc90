#include "graph.h"

#include <algorithm>
#include <unordered_set>

#include "capture.h"
#include "handles.h"

namespace cassc::rt {
namespace {

Handles<Graph>& graphs() {
  static auto* all = new Handles<Graph>;
  return *all;
}

Handles<GraphExec>& execs() {
  static auto* all = new Handles<GraphExec>;
  return *all;
}

// Nodes are made and destroyed with their graphs, in any thread.
struct Nodes {
  std::mutex mutex;
  std::unordered_set<const Node*> live;
};

Nodes& nodes() {
  static auto* all = new Nodes;
  return *all;
}

std::unique_ptr<Node> make_node() {
  auto node = std::make_unique<Node>();
  std::lock_guard lock(nodes().mutex);
  nodes().live.insert(node.get());
  return node;
}

void forget(const Node* node) {
  std::lock_guard lock(nodes().mutex);
  nodes().live.erase(node);
}

bool reaches(const Node* from, const Node* to) {
  std::vector<const Node*> open{from};
  std::unordered_set<const Node*> seen;
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (node == to) return true;
    if (!seen.insert(node).second) continue;
    open.insert(open.end(), node->after.begin(), node->after.end());
  }
  return false;
}

}  // namespace

Graph::~Graph() {
  for (const auto& node : nodes) forget(node.get());
}

NodeType type_of(const Operation& operation) {
  if (std::holds_alternative<MemoryAllocate>(operation)) return NodeType::MemoryAllocate;
  if (std::holds_alternative<MemoryFree>(operation)) return NodeType::MemoryFree;
  if (std::holds_alternative<LibraryWork>(operation)) return NodeType::Kernel;  // which it is on NVIDIA's devices
  return static_cast<NodeType>(operation.index());
}

bool Graph::has_memory_nodes() const {
  return std::any_of(nodes.begin(), nodes.end(), [](const auto& node) { return node->type() >= NodeType::MemoryAllocate; });
}

bool Graph::holds(const Node* node) const { return known_node(node) && node->graph == this; }

Node* Graph::add(Operation operation, const std::vector<Node*>& before) {
  for (const Node* node : before)
    if (!holds(node)) return nullptr;
  auto made = make_node();
  made->graph = this;
  made->operation = std::move(operation);
  for (Node* node : before) {
    if (std::find(made->before.begin(), made->before.end(), node) != made->before.end()) continue;
    made->before.push_back(node);
    node->after.push_back(made.get());
  }
  nodes.push_back(std::move(made));
  return nodes.back().get();
}

void Graph::remove(Node* node) {
  for (Node* other : node->before) std::erase(other->after, node);
  for (Node* other : node->after) std::erase(other->before, node);
  forget(node);
  std::erase_if(nodes, [&](const auto& other) { return other.get() == node; });
}

bool Graph::connect(Node* from, Node* to) {
  if (!holds(from) || !holds(to) || reaches(to, from)) return false;
  if (std::find(from->after.begin(), from->after.end(), to) != from->after.end()) return false;
  from->after.push_back(to);
  to->before.push_back(from);
  return true;
}

bool Graph::disconnect(Node* from, Node* to) {
  if (!holds(from) || !holds(to)) return false;
  std::erase(to->before, from);
  return std::erase(from->after, to) != 0;
}

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>();
  std::unordered_map<const Node*, Node*> twin;
  for (const auto& node : nodes) {
    auto made = make_node();
    made->graph = copy.get();
    made->operation = node->operation;
    made->attributes = node->attributes;
    made->original = node.get();
    twin[node.get()] = made.get();
    copy->nodes.push_back(std::move(made));
  }
  for (const auto& node : nodes) {
    for (const Node* other : node->before) twin[node.get()]->before.push_back(twin[other]);
    for (const Node* other : node->after) twin[node.get()]->after.push_back(twin[other]);
  }
  return copy;
}

std::vector<Node*> Graph::in_order() const {
  std::vector<Node*> order;
  std::unordered_set<const Node*> placed;
  // Depth first over dependencies; the graph has no cycle. An explicit stack, as chains may be long.
  for (const auto& root : nodes) {
    std::vector<std::pair<Node*, size_t>> path{{root.get(), 0}};
    while (!path.empty()) {
      auto& [node, next] = path.back();
      if (placed.count(node)) {
        path.pop_back();
      } else if (next < node->before.size()) {
        Node* before = node->before[next++];
        path.push_back({before, 0});
      } else {
        placed.insert(node);
        order.push_back(node);
        path.pop_back();
      }
    }
  }
  return order;
}

std::unique_ptr<GraphExec> instantiate(Graph& graph) {
  auto exec = std::make_unique<GraphExec>();
  graph.executable = exec->alive;
  for (const Node* node : graph.in_order()) {
    GraphExec::Step step{node, node->operation, {}, true};
    for (const Node* before : node->before) step.before.push_back(exec->step_of.at(before));
    exec->step_of[node] = exec->steps.size();
    exec->steps.push_back(std::move(step));
  }
  return exec;
}

// Branches that could run beside each other run one after the other: any such order is a right one.
Error run(Stream& stream, const GraphExec& exec) {
  if (const Error error = refuse_while_captured(stream); error != Error::Success) return error;
  if (const Error error = check_legacy_use(stream); error != Error::Success) return error;
  for (const GraphExec::Step& step : exec.steps) {
    if (!step.enabled) continue;
    const Error error = perform(stream, step.operation, Wait::No);
    if (error != Error::Success) return error;
  }
  return Error::Success;
}

Error run_nodes(Stream& stream, const Graph& graph) {
  for (const Node* node : graph.in_order()) {
    const Error error = perform(stream, node->operation, Wait::No);
    if (error != Error::Success) return error;
  }
  return Error::Success;
}

Graph* keep_graph(std::unique_ptr<Graph> graph) { return graphs().add(std::move(graph)); }
bool known_graph(const Graph* graph) { return graphs().known(graph); }
std::unique_ptr<Graph> take_graph(Graph* graph) { return graphs().take(graph); }
bool known_node(const Node* node) {
  std::lock_guard lock(nodes().mutex);
  return nodes().live.count(node) != 0;
}
GraphExec* keep_exec(std::unique_ptr<GraphExec> exec) { return execs().add(std::move(exec)); }
bool known_exec(const GraphExec* exec) { return execs().known(exec); }
std::unique_ptr<GraphExec> take_exec(GraphExec* exec) { return execs().take(exec); }

}  // namespace cassc::rt
