// Graphs: made by capture or node by node, launched.
#include "graph.h"

#include "api.h"

using namespace cassc::cuda;
namespace rt = cassc::rt;

namespace {

template <class Body>
Result with_graph(Graph* graph, Body&& body) {
  return after_init([&] { return rt::known_graph(graph) ? body(*graph) : Result::InvalidValue; });
}

Result add(Node** handle, Graph* graph, Node* const* before, size_t count, rt::Operation operation) {
  return with_graph(graph, [&](Graph& known) {
    if (!handle || (count && !before)) return Result::InvalidValue;
    Node* node = known.add(std::move(operation), {before, before + count});
    if (!node) return Result::InvalidValue;
    *handle = node;
    return Result::Success;
  });
}

Result instantiate(GraphExec** exec, Graph* graph, unsigned long long flags) {
  return with_graph(graph, [&](Graph& known) {
    if (!exec) return Result::InvalidValue;
    auto made = rt::instantiate(known);
    if (!made) return Result::InvalidValue;
    made->flags = flags;
    *exec = rt::keep_exec(std::move(made));
    return Result::Success;
  });
}

}  // namespace

CASSC_API Result cuGraphCreate(Graph** graph, unsigned flags) {
  return after_init([&] {
    if (!graph || flags) return Result::InvalidValue;
    *graph = rt::keep_graph(std::make_unique<Graph>());
    return Result::Success;
  });
}

CASSC_API Result cuGraphDestroy(Graph* graph) {
  return with_graph(graph, [](Graph& known) {
    rt::take_graph(&known);
    return Result::Success;
  });
}

CASSC_API Result cuGraphAddEmptyNode(Node** node, Graph* graph, Node* const* before, size_t count) {
  return add(node, graph, before, count, rt::Nothing{});
}

CASSC_API Result cuGraphAddKernelNode_v2(Node** node, Graph* graph, Node* const* before, size_t count,
                                         const KernelNodeParameters* p) {
  return in_context([&] {
    if (!p || p->extra) return Result::InvalidValue;
    rt::KernelCall call;
    const void* function = p->function ? static_cast<const void*>(p->function) : p->kernel;
    const Error error = rt::prepare(function, {p->grid[0], p->grid[1], p->grid[2]}, {p->block[0], p->block[1], p->block[2]},
                                    p->arguments, p->dynamic_shared, false, call);
    return error == Error::Success ? add(node, graph, before, count, call) : result_of(error);
  });
}

CASSC_API Result cuGraphInstantiateWithFlags(GraphExec** exec, Graph* graph, unsigned long long flags) {
  return instantiate(exec, graph, flags);
}
CASSC_API Result cuGraphInstantiate_v2(GraphExec** exec, Graph* graph, Node**, char* log, size_t room) {
  if (log && room) *log = '\0';
  return instantiate(exec, graph, 0);
}
CASSC_API Result cuGraphInstantiate(GraphExec** exec, Graph* graph, Node** node, char* log, size_t room) {
  return cuGraphInstantiate_v2(exec, graph, node, log, room);
}

CASSC_API Result cuGraphLaunch(GraphExec* exec, Stream* handle) {
  return on_stream(handle, [&](Stream& stream) {
    return rt::known_exec(exec) ? result_of(rt::run(stream, *exec)) : Result::InvalidValue;
  });
}

CASSC_API Result cuGraphUpload(GraphExec* exec, Stream* handle) {
  return on_stream(handle, [&](Stream&) { return rt::known_exec(exec) ? Result::Success : Result::InvalidValue; });
}

CASSC_API Result cuGraphExecDestroy(GraphExec* exec) {
  return after_init([&] { return rt::take_exec(exec) ? Result::Success : Result::InvalidValue; });
}

CASSC_API Result cuGraphGetNodes(Graph* graph, Node** nodes, size_t* count) {
  return with_graph(graph, [&](const Graph& known) {
    if (!count) return Result::InvalidValue;
    if (nodes)
      for (size_t i = 0; i < *count; ++i) nodes[i] = i < known.nodes.size() ? known.nodes[i].get() : nullptr;
    if (!nodes || *count > known.nodes.size()) *count = known.nodes.size();
    return Result::Success;
  });
}

CASSC_API Result cuGraphNodeGetType(Node* node, int* type) {
  return after_init([&] {
    if (!type || !rt::known_node(node)) return Result::InvalidValue;
    *type = static_cast<int>(node->type());
    return Result::Success;
  });
}
