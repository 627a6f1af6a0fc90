// Graphs: nodes with dependencies, and the executables made of them.
#ifndef CASSC_RUNTIME_GRAPH_H
#define CASSC_RUNTIME_GRAPH_H
#include <array>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "operation.h"

namespace cassc::rt {

// Numbers of cudaGraphNodeType.
enum class NodeType : int {
  Kernel = 0,
  Memcpy = 1,
  Memset = 2,
  Host = 3,
  Graph = 4,
  Empty = 5,
  WaitEvent = 6,
  EventRecord = 7,
  MemoryAllocate = 10,
  MemoryFree = 11
};
CASSC_EXPORT NodeType type_of(const Operation& operation);

struct Node {
  Graph* graph = nullptr;
  Operation operation;
  std::vector<Node*> before, after;
  const Node* original = nullptr;     // in a clone: what it was made of
  std::map<int, std::array<char, 64>> attributes;  // of a kernel: those that change nothing here, to be given back
  std::vector<void*> argument_views;  // what cudaGraphKernelNodeGetParams gives
  NodeType type() const { return type_of(operation); }
};

struct Graph {
  Graph() = default;
  CASSC_EXPORT ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  std::vector<std::unique_ptr<Node>> nodes;  // in the order in which they were added
  // Null when a dependency is not of this graph.
  CASSC_EXPORT Node* add(Operation operation, const std::vector<Node*>& before);
  bool holds(const Node* node) const;
  CASSC_EXPORT void remove(Node* node);
  // False when an edge would close a cycle, is there already or leaves the graph.
  CASSC_EXPORT bool connect(Node* from, Node* to);
  CASSC_EXPORT bool disconnect(Node* from, Node* to);
  CASSC_EXPORT std::unique_ptr<Graph> clone() const;
  // Graphs with memory nodes can neither be cloned nor have two executables at a time.
  CASSC_EXPORT bool has_memory_nodes() const;
  std::weak_ptr<const char> executable;  // alive as long as one is

  // Every node after those that it depends on; otherwise in the order in which they were added.
  std::vector<Node*> in_order() const;
};

struct GraphExec {
  struct Step {
    const Node* node;  // of the graph that it was made of: only compared, never followed
    Operation operation;
    std::vector<size_t> before;  // steps
    bool enabled = true;
  };
  std::vector<Step> steps;
  std::unordered_map<const Node*, size_t> step_of;
  uint64_t flags = 0;
  std::shared_ptr<const char> alive = std::make_shared<const char>('\0');
};

CASSC_EXPORT std::unique_ptr<GraphExec> instantiate(Graph& graph);
CASSC_EXPORT Error run(Stream& stream, const GraphExec& exec);
Error run_nodes(Stream& stream, const Graph& graph);

// Live graphs, nodes and executables.
CASSC_EXPORT Graph* keep_graph(std::unique_ptr<Graph> graph);
CASSC_EXPORT bool known_graph(const Graph* graph);
CASSC_EXPORT std::unique_ptr<Graph> take_graph(Graph* graph);
CASSC_EXPORT bool known_node(const Node* node);
CASSC_EXPORT GraphExec* keep_exec(std::unique_ptr<GraphExec> exec);
CASSC_EXPORT bool known_exec(const GraphExec* exec);
CASSC_EXPORT std::unique_ptr<GraphExec> take_exec(GraphExec* exec);

}  // namespace cassc::rt
#endif
