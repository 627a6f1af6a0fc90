// Graph management: graphs, their structure, executables. The nodes of each type are in graph_nodes.cpp.
#include "graph.h"

#include <algorithm>
#include <cstdio>
#include <unordered_map>

#include "api.h"
#include "capture.h"
#include "graph_access.h"

using namespace cassc::cudart;
namespace rt = cassc::rt;

namespace {

// The CUDA convention for lists: with no array only the count is given; an array that is too long is filled with null.
template <class List>
Error give_nodes(const List& nodes, Node** array, size_t* count) {
  if (!count) return Error::InvalidValue;
  if (array) {
    for (size_t i = 0; i < *count; ++i) array[i] = i < nodes.size() ? &*nodes[i] : nullptr;
    *count = std::min(*count, nodes.size());
  } else {
    *count = nodes.size();
  }
  return Error::Success;
}

Error give_edges(const Graph& graph, Node** from, Node** to, EdgeData* data, size_t* count) {
  if (!count || (from == nullptr) != (to == nullptr)) return Error::InvalidValue;
  size_t number = 0;
  for (const auto& node : graph.nodes)
    for (Node* after : node->after) {
      if (from && number < *count) {
        from[number] = node.get();
        to[number] = after;
        if (data) data[number] = {};
      }
      ++number;
    }
  *count = from ? std::min(*count, number) : number;
  return Error::Success;
}

Error change_edges(Graph* graph, Node* const* from, Node* const* to, size_t count, bool (Graph::*change)(Node*, Node*)) {
  return with_graph(graph, [&](Graph& target) {
    if (count && (!from || !to)) return Error::InvalidValue;
    for (size_t i = 0; i < count; ++i)
      if (!(target.*change)(from[i], to[i])) return Error::InvalidValue;
    return Error::Success;
  });
}

Error instantiate(GraphExec** exec, Graph* graph, unsigned long long flags) {
  return with_graph(graph, [&](Graph& source) {
    if (!exec || flags > 0xf) return Error::InvalidValue;
    if (source.has_memory_nodes() && !source.executable.expired()) return Error::NotSupported;
    auto made = rt::instantiate(source);
    made->flags = flags;
    *exec = rt::keep_exec(std::move(made));
    return Error::Success;
  });
}

const char* name_of(rt::NodeType type) {
  switch (type) {
    case rt::NodeType::Kernel: return "kernel";
    case rt::NodeType::Memcpy: return "memcpy";
    case rt::NodeType::Memset: return "memset";
    case rt::NodeType::Host: return "host";
    case rt::NodeType::Graph: return "graph";
    case rt::NodeType::Empty: return "empty";
    case rt::NodeType::WaitEvent: return "wait event";
    case rt::NodeType::EventRecord: return "event record";
    case rt::NodeType::MemoryAllocate: return "allocate";
    case rt::NodeType::MemoryFree: return "free";
  }
  return "";
}

enum UpdateResult { kUpdateSuccess = 0, kUpdateTopologyChanged = 2, kUpdateNodeTypeChanged = 3 };

struct UpdateInfo {
  int result;
  const Node *node, *from;
};

// The same nodes in the same order with the same dependencies: the only kind of update.
Error update(GraphExec& exec, Graph& graph, UpdateInfo& info) {
  if (graph.has_memory_nodes()) return Error::NotSupported;
  const auto fresh = rt::instantiate(graph);
  info = {kUpdateSuccess, nullptr, nullptr};
  bool same = fresh->steps.size() == exec.steps.size();
  for (size_t i = 0; same && i < exec.steps.size(); ++i) same = fresh->steps[i].before == exec.steps[i].before;
  if (!same) {
    info.result = kUpdateTopologyChanged;
    return Error::GraphExecUpdateFailure;
  }
  for (size_t i = 0; i < exec.steps.size(); ++i) {
    if (fresh->steps[i].operation.index() == exec.steps[i].operation.index()) continue;
    info = {kUpdateNodeTypeChanged, fresh->steps[i].node, nullptr};
    return Error::GraphExecUpdateFailure;
  }
  for (size_t i = 0; i < exec.steps.size(); ++i) exec.steps[i].operation = fresh->steps[i].operation;
  return Error::Success;
}

}  // namespace

CASSC_API Error cudaGraphCreate(Graph** graph, unsigned flags) {
  return api([&] {
    if (!graph || flags != 0) return Error::InvalidValue;
    *graph = rt::keep_graph(std::make_unique<Graph>());
    return Error::Success;
  });
}

CASSC_API Error cudaGraphDestroy(Graph* graph) {
  return with_graph(graph, [](Graph& target) {
    rt::abandon(target);
    return rt::take_graph(&target) ? Error::Success : Error::InvalidValue;
  });
}

CASSC_API Error cudaGraphClone(Graph** clone, Graph* graph) {
  return with_graph(graph, [&](const Graph& source) {
    if (!clone) return Error::InvalidValue;
    if (source.has_memory_nodes()) return Error::NotSupported;
    *clone = rt::keep_graph(source.clone());
    return Error::Success;
  });
}

CASSC_API Error cudaGraphNodeFindInClone(Node** found, Node* original, Graph* clone) {
  return with_graph(clone, [&](const Graph& graph) {
    if (!found) return Error::InvalidValue;
    for (const auto& node : graph.nodes) {
      if (node->original != original) continue;
      *found = node.get();
      return Error::Success;
    }
    return Error::InvalidValue;
  });
}

CASSC_API Error cudaGraphGetNodes(Graph* graph, Node** nodes, size_t* count) {
  return with_graph(graph, [&](const Graph& source) { return give_nodes(source.nodes, nodes, count); });
}

CASSC_API Error cudaGraphGetRootNodes(Graph* graph, Node** nodes, size_t* count) {
  return with_graph(graph, [&](const Graph& source) {
    std::vector<Node*> roots;
    for (const auto& node : source.nodes)
      if (node->before.empty()) roots.push_back(node.get());
    return give_nodes(roots, nodes, count);
  });
}

CASSC_API Error cudaGraphNodeGetType(Node* handle, int* type) {
  return with_node(handle, [&](const Node& node) {
    if (!type) return Error::InvalidValue;
    *type = static_cast<int>(node.type());
    return Error::Success;
  });
}

CASSC_API Error cudaGraphNodeGetContainingGraph(Node* handle, Graph** graph) {
  return with_node(handle, [&](const Node& node) {
    if (!graph) return Error::InvalidValue;
    *graph = node.graph;
    return Error::Success;
  });
}

CASSC_API Error cudaGraphDestroyNode(Node* handle) {
  return with_node(handle, [](Node& node) {
    node.graph->remove(&node);
    return Error::Success;
  });
}

#if CASSC_CUDART_MAJOR <= 12
CASSC_API Error cudaGraphGetEdges(Graph* graph, Node** from, Node** to, size_t* count) {
  return with_graph(graph, [&](const Graph& source) { return give_edges(source, from, to, nullptr, count); });
}
CASSC_API Error cudaGraphGetEdges_v2(Graph* graph, Node** from, Node** to, EdgeData* data, size_t* count) {
  return with_graph(graph, [&](const Graph& source) { return give_edges(source, from, to, data, count); });
}
CASSC_API Error cudaGraphNodeGetDependencies(Node* handle, Node** nodes, size_t* count) {
  return with_node(handle, [&](const Node& node) { return give_nodes(node.before, nodes, count); });
}
CASSC_API Error cudaGraphNodeGetDependentNodes(Node* handle, Node** nodes, size_t* count) {
  return with_node(handle, [&](const Node& node) { return give_nodes(node.after, nodes, count); });
}
CASSC_API Error cudaGraphAddDependencies(Graph* graph, Node* const* from, Node* const* to, size_t count) {
  return change_edges(graph, from, to, count, &Graph::connect);
}
CASSC_API Error cudaGraphRemoveDependencies(Graph* graph, Node* const* from, Node* const* to, size_t count) {
  return change_edges(graph, from, to, count, &Graph::disconnect);
}
#define CURRENT(name) name##_v2
#else
CASSC_API Error cudaGraphGetEdges(Graph* graph, Node** from, Node** to, EdgeData* data, size_t* count) {
  return with_graph(graph, [&](const Graph& source) { return give_edges(source, from, to, data, count); });
}
#define CURRENT(name) name
#endif

// Edge data names ports of programmatic launches, which do not exist here: only the default is possible.
CASSC_API Error CURRENT(cudaGraphNodeGetDependencies)(Node* handle, Node** nodes, EdgeData* data, size_t* count) {
  return with_node(handle, [&](const Node& node) {
    const Error error = give_nodes(node.before, nodes, count);
    if (error == Error::Success && nodes && data) std::fill_n(data, *count, EdgeData{});
    return error;
  });
}
CASSC_API Error CURRENT(cudaGraphNodeGetDependentNodes)(Node* handle, Node** nodes, EdgeData* data, size_t* count) {
  return with_node(handle, [&](const Node& node) {
    const Error error = give_nodes(node.after, nodes, count);
    if (error == Error::Success && nodes && data) std::fill_n(data, *count, EdgeData{});
    return error;
  });
}
CASSC_API Error CURRENT(cudaGraphAddDependencies)(Graph* graph, Node* const* from, Node* const* to, const EdgeData*,
                                                  size_t count) {
  return change_edges(graph, from, to, count, &Graph::connect);
}
CASSC_API Error CURRENT(cudaGraphRemoveDependencies)(Graph* graph, Node* const* from, Node* const* to, const EdgeData*,
                                                     size_t count) {
  return change_edges(graph, from, to, count, &Graph::disconnect);
}

#if CASSC_CUDART_MAJOR == 11
// The node that is to blame and a text about it are never given: what can fail here fails before, node by node.
CASSC_API Error cudaGraphInstantiate(GraphExec** exec, Graph* graph, Node** bad_node, char* log, size_t log_bytes) {
  if (bad_node) *bad_node = nullptr;
  if (log && log_bytes) *log = 0;
  return instantiate(exec, graph, 0);
}
#else
CASSC_API Error cudaGraphInstantiate(GraphExec** exec, Graph* graph, unsigned long long flags) {
  return instantiate(exec, graph, flags);
}
#endif

CASSC_API Error cudaGraphInstantiateWithFlags(GraphExec** exec, Graph* graph, unsigned long long flags) {
  return instantiate(exec, graph, flags);
}

CASSC_API Error cudaGraphExecDestroy(GraphExec* exec) {
  return api([&] { return rt::take_exec(exec) ? Error::Success : Error::InvalidValue; });
}

CASSC_API Error cudaGraphExecGetFlags(GraphExec* handle, unsigned long long* flags) {
  return with_exec(handle, [&](const GraphExec& exec) {
    if (!flags) return Error::InvalidValue;
    *flags = exec.flags;
    return Error::Success;
  });
}

CASSC_API Error cudaGraphUpload(GraphExec* handle, Stream* stream_handle) {
  return with_exec(handle, [&](const GraphExec&) {
    Stream* stream = nullptr;
    return rt::find_stream(stream_handle, &stream);
  });
}

CASSC_API Error cudaGraphLaunch(GraphExec* handle, Stream* stream_handle) {
  return with_exec(handle, [&](const GraphExec& exec) {
    Stream* stream = nullptr;
    const Error error = rt::find_stream(stream_handle, &stream);
    return error == Error::Success ? rt::run(*stream, exec) : error;
  });
}

static Error update_exec(GraphExec* handle, Graph* graph, UpdateInfo* info) {
  return with_exec(handle, [&](GraphExec& exec) {
    if (!info || !rt::known_graph(graph)) return Error::InvalidValue;
    return update(exec, *graph, *info);
  });
}

#if CASSC_CUDART_MAJOR == 11
CASSC_API Error cudaGraphExecUpdate(GraphExec* handle, Graph* graph, Node** bad_node, int* result) {
  if (!bad_node || !result) return update_exec(handle, graph, nullptr);
  UpdateInfo info{};
  const Error error = update_exec(handle, graph, &info);
  *bad_node = const_cast<Node*>(info.node);
  *result = info.result;
  return error;
}
#else
CASSC_API Error cudaGraphExecUpdate(GraphExec* handle, Graph* graph, UpdateInfo* info) {
  return update_exec(handle, graph, info);
}
#endif

CASSC_API Error cudaGraphNodeSetEnabled(GraphExec* handle, Node* node, unsigned enabled) {
  return with_step(handle, node, [&](GraphExec::Step& step) {
    if (rt::type_of(step.operation) > rt::NodeType::Memset) return Error::InvalidValue;
    step.enabled = enabled != 0;
    return Error::Success;
  });
}

CASSC_API Error cudaGraphNodeGetEnabled(GraphExec* handle, Node* node, unsigned* enabled) {
  return with_step(handle, node, [&](const GraphExec::Step& step) {
    if (!enabled) return Error::InvalidValue;
    *enabled = step.enabled;
    return Error::Success;
  });
}

CASSC_API Error cudaGraphInstantiateWithParams(GraphExec** exec, Graph* graph, InstantiateParameters* parameters) {
  if (!parameters) return without_device([] { return Error::InvalidValue; });
  constexpr int success = 0, error_result = 1;  // cudaGraphInstantiateSuccess, cudaGraphInstantiateError
  parameters->error_node = nullptr;
  const Error error = instantiate(exec, graph, parameters->flags);
  parameters->result = error == Error::Success ? success : error_result;
  return error;
}

CASSC_API Error cudaDeviceGraphMemTrim(int index) {
  return api([&] { return index == 0 ? Error::Success : Error::InvalidDevice; });
}

CASSC_API Error cudaGraphDebugDotPrint(Graph* handle, const char* path, unsigned) {
  return with_graph(handle, [&](const Graph& graph) {
    std::FILE* file = path ? std::fopen(path, "w") : nullptr;
    if (!file) return path ? Error::OperatingSystem : Error::InvalidValue;
    std::unordered_map<const Node*, size_t> number;
    std::fputs("digraph graph_ {\n", file);
    for (const auto& node : graph.nodes) {
      number.emplace(node.get(), number.size());
      const auto* call = std::get_if<rt::KernelCall>(&node->operation);
      std::fprintf(file, "  n%zu [label=\"%s\"];\n", number[node.get()], call ? call->kernel->name.c_str() : name_of(node->type()));
    }
    for (const auto& node : graph.nodes)
      for (const Node* after : node->after) std::fprintf(file, "  n%zu -> n%zu;\n", number[node.get()], number[after]);
    std::fputs("}\n", file);
    return std::fclose(file) == 0 ? Error::Success : Error::OperatingSystem;
  });
}
