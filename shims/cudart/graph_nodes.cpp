// Graph management: the nodes of each type. For each there are up to four entry points that differ in where the operation
// goes: a new node, a node, an executable's step; and one that gives the parameters back.
#include <algorithm>
#include <cstring>

#include "copies.h"
#include "graph_access.h"
#include "registry.h"

using namespace cassc::cudart;
namespace rt = cassc::rt;
using rt::Operation;

namespace {

// Reads the parameters of a call into an operation, or says what is wrong with them.
Error read(const KernelNodeParameters* p, Operation& operation) {
  if (!p) return Error::InvalidValue;
  if (!rt::Registry::get().find_kernel(p->function)) return Error::InvalidDeviceFunction;
  if (p->extra) return Error::NotSupported;
  rt::KernelCall call;
  const Error error = rt::prepare(p->function, p->grid, p->block, p->arguments, p->dynamic_shared, false, call);
  operation = std::move(call);
  return error;
}

Error read(rt::Copy copy, Operation& operation) {
  bool empty = false;
  const Error error = rt::settle(copy, empty);
  // The program's memory is read when the graph runs, so nothing is staged.
  copy.pageable_source = copy.pageable_target = false;
  operation = copy;
  return error;
}

Error read(const Memcpy3DParameters* p, Operation& operation) {
  if (!p) return Error::InvalidValue;
  rt::Copy copy;
  const Error error = box_of(*p, copy);
  return error == Error::Success ? read(copy, operation) : error;
}

enum class Way { ToSymbol, FromSymbol };

Error read(Way way, const void* symbol, void* other, size_t bytes, size_t offset, CopyKind kind, Operation& operation) {
  rt::Variable* variable = nullptr;
  const Error error = rt::Registry::get().variable(symbol, &variable);
  if (error != Error::Success) return error;
  if (offset > variable->size || bytes > variable->size - offset) return Error::InvalidValue;
  void* inside = static_cast<char*>(variable->address) + offset;
  return read(way == Way::ToSymbol ? line(inside, other, bytes, kind) : line(other, inside, bytes, kind), operation);
}

Error read(const MemsetParameters* p, Operation& operation) {
  if (!p || (p->element != 1 && p->element != 2 && p->element != 4)) return Error::InvalidValue;
  const rt::Fill fill{p->target, p->pitch, 0, p->value, p->element, p->width, p->height, 1};
  bool empty = false;
  const Error error = rt::settle(fill, empty);
  operation = fill;
  return error;
}

Error read(const HostNodeParameters* p, Operation& operation) {
  if (!p || !p->function) return Error::InvalidValue;
  operation = rt::HostWork{p->function, p->data};
  return Error::Success;
}

Error read(const Graph* child, Operation& operation) {
  if (!rt::known_graph(child)) return Error::InvalidValue;
  if (child->has_memory_nodes()) return Error::NotSupported;
  operation = rt::ChildGraph{child->clone()};
  return Error::Success;
}

template <class Kind>
Error read_event(Event* handle, Operation& operation) {
  Event* event = nullptr;
  const Error error = rt::find_event(handle, &event);
  operation = Kind{event};
  return error;
}

// struct cudaGraphNodeParams: a type and, from byte 16 on, the parameters of a node of that type.
struct NodeParameters {
  int type;
  int reserved[3];
  union {
    char bytes[232];
    KernelNodeParameters kernel;
    struct {
      int flags, reserved[3];
      Memcpy3DParameters copy;
    } memcpy;
    MemsetParameters memset;
    HostNodeParameters host;
    Graph* child;
    Event* event;
    MemAllocNodeParameters allocate;
    void* release;
  };
  long long reserved2;
};
static_assert(sizeof(NodeParameters) == 256);

Error read_allocate(MemAllocNodeParameters* p, Operation& operation) {
  if (!p || p->properties.location.type != kLocationDevice || p->properties.location.id != 0) return Error::InvalidValue;
  rt::MemoryAllocate allocate;
  const Error error = rt::GraphMemory::make(p->bytes, allocate.memory);
  if (error != Error::Success) return error;
  p->pointer = allocate.memory->base();
  operation = std::move(allocate);
  return Error::Success;
}

Error read_free(void* pointer, Operation& operation) {
  const auto allocation = rt::Context::get().allocations.find(pointer);
  if (!allocation || allocation->origin != rt::Origin::Graph) return Error::InvalidValue;
  operation = rt::MemoryFree{pointer};
  return Error::Success;
}

Error read(NodeParameters* p, Operation& operation) {
  if (!p) return Error::InvalidValue;
  switch (static_cast<rt::NodeType>(p->type)) {
    case rt::NodeType::Kernel: return read(&p->kernel, operation);
    case rt::NodeType::Memcpy: return read(&p->memcpy.copy, operation);
    case rt::NodeType::Memset: return read(&p->memset, operation);
    case rt::NodeType::Host: return read(&p->host, operation);
    case rt::NodeType::Graph: return read(p->child, operation);
    case rt::NodeType::WaitEvent: return read_event<rt::EventWait>(p->event, operation);
    case rt::NodeType::EventRecord: return read_event<rt::EventRecord>(p->event, operation);
    case rt::NodeType::MemoryAllocate: return read_allocate(&p->allocate, operation);
    case rt::NodeType::MemoryFree: return read_free(p->release, operation);
    case rt::NodeType::Empty: operation = rt::Nothing{}; return Error::Success;
  }
  return Error::NotSupported;  // semaphores and conditional nodes
}

// make(operation): one of the above.
template <class Make>
Error add(Node** result, Graph* graph, Node* const* before, size_t count, Make&& make) {
  return with_graph(graph, [&](Graph& target) {
    if (!result || (count && !before)) return Error::InvalidValue;
    Operation operation;
    if (const Error error = make(operation); error != Error::Success) return error;
    Node* node = target.add(std::move(operation), {before, before + count});
    if (!node) return Error::InvalidValue;
    *result = node;
    return Error::Success;
  });
}

template <class Make>
Error change(Operation& target, Make&& make) {
  Operation operation;
  if (const Error error = make(operation); error != Error::Success) return error;
  if (operation.index() != target.index()) return Error::InvalidValue;
  target = std::move(operation);
  return Error::Success;
}

template <class Make>
Error set(Node* handle, Make&& make) {
  return with_node(handle, [&](Node& node) { return change(node.operation, make); });
}

template <class Make>
Error set(GraphExec* exec, Node* handle, Make&& make) {
  return with_step(exec, handle, [&](GraphExec::Step& step) { return change(step.operation, make); });
}

template <class Kind, class Result, class Give>
Error get(Node* handle, Result* result, Give&& give) {
  return with_node(handle, [&](Node& node) {
    Kind* operation = std::get_if<Kind>(&node.operation);
    if (!operation || !result) return Error::InvalidValue;
    give(node, *operation, *result);
    return Error::Success;
  });
}

// What a kernel's node can have (cudaLaunchAttribute...): access policy, cooperative, cluster dimension and scheduling, priority,
// memory domains, carveout. Those that change nothing on this device are kept.
constexpr int kCooperative = 2, kClusterDimension = 4;
constexpr int kKernelAttributes[] = {1, kCooperative, kClusterDimension, 5, 8, 9, 10, 14};

bool of_kernels(int attribute) {
  return std::find(std::begin(kKernelAttributes), std::end(kKernelAttributes), attribute) != std::end(kKernelAttributes);
}

template <class Body>
Error with_kernel_node(Node* handle, Body&& body) {
  return with_node(handle, [&](Node& node) {
    auto* call = std::get_if<rt::KernelCall>(&node.operation);
    return call ? body(node, *call) : Error::InvalidValue;
  });
}

// A copy of memory as cudaMemcpy3D would be asked for it.
void give_copy(const rt::Copy& copy, Memcpy3DParameters& p) {
  std::memset(&p, 0, sizeof p);
  auto rows = [](size_t slice, size_t pitch, size_t height) { return slice && pitch ? slice / pitch : height; };
  p.source = {const_cast<void*>(copy.source), copy.source_pitch, copy.width, rows(copy.source_slice, copy.source_pitch, copy.height)};
  p.target = {copy.target, copy.target_pitch, copy.width, rows(copy.target_slice, copy.target_pitch, copy.height)};
  p.extent = {copy.width, copy.height, copy.depth};
  p.kind = copy.kind;
}

}  // namespace

CASSC_API Error cudaGraphAddKernelNode(Node** node, Graph* graph, Node* const* before, size_t count, const KernelNodeParameters* p) {
  return add(node, graph, before, count, [&](Operation& o) { return read(p, o); });
}
CASSC_API Error cudaGraphKernelNodeSetParams(Node* node, const KernelNodeParameters* p) {
  return set(node, [&](Operation& o) { return read(p, o); });
}
CASSC_API Error cudaGraphExecKernelNodeSetParams(GraphExec* exec, Node* node, const KernelNodeParameters* p) {
  return set(exec, node, [&](Operation& o) { return read(p, o); });
}
CASSC_API Error cudaGraphKernelNodeGetParams(Node* handle, KernelNodeParameters* p) {
  return get<rt::KernelCall>(handle, p, [](Node& node, rt::KernelCall& call, KernelNodeParameters& out) {
    node.argument_views.clear();
    for (const rt::KernelArgument& argument : call.kernel->metadata.arguments)
      node.argument_views.push_back(call.arguments.data() + argument.offset);
    out = {call.kernel->stub, call.grid, call.block, static_cast<unsigned>(call.dynamic_shared),
           node.argument_views.data(), nullptr};
  });
}

CASSC_API Error cudaGraphKernelNodeGetAttribute(Node* handle, int attribute, AttributeValue* value) {
  return with_kernel_node(handle, [&](const Node& node, const rt::KernelCall& call) {
    if (!value || !of_kernels(attribute)) return Error::InvalidValue;
    const auto found = node.attributes.find(attribute);
    *value = found == node.attributes.end() ? AttributeValue{} : found->second;
    if (attribute == kCooperative) (*value)[0] = call.cooperative;
    return Error::Success;
  });
}
CASSC_API Error cudaGraphKernelNodeSetAttribute(Node* handle, int attribute, const AttributeValue* value) {
  return with_kernel_node(handle, [&](Node& node, rt::KernelCall& call) {
    if (!value || !of_kernels(attribute)) return Error::InvalidValue;
    unsigned blocks[3];
    std::memcpy(blocks, value, sizeof blocks);
    if (attribute == kClusterDimension && (blocks[0] > 1 || blocks[1] > 1 || blocks[2] > 1)) return Error::NotSupported;
    if (attribute == kCooperative) call.cooperative = blocks[0] != 0;
    node.attributes[attribute] = *value;
    return Error::Success;
  });
}
CASSC_API Error cudaGraphKernelNodeCopyAttributes(Node* target_handle, Node* source_handle) {
  return with_kernel_node(source_handle, [&](Node& source, rt::KernelCall& from) {
    rt::KernelCall* to = rt::known_node(target_handle) ? std::get_if<rt::KernelCall>(&target_handle->operation) : nullptr;
    if (!to) return Error::InvalidValue;
    target_handle->attributes = source.attributes;
    to->cooperative = from.cooperative;
    return Error::Success;
  });
}

CASSC_API Error cudaGraphAddMemcpyNode(Node** node, Graph* graph, Node* const* before, size_t count, const Memcpy3DParameters* p) {
  return add(node, graph, before, count, [&](Operation& o) { return read(p, o); });
}
CASSC_API Error cudaGraphMemcpyNodeSetParams(Node* node, const Memcpy3DParameters* p) {
  return set(node, [&](Operation& o) { return read(p, o); });
}
CASSC_API Error cudaGraphExecMemcpyNodeSetParams(GraphExec* exec, Node* node, const Memcpy3DParameters* p) {
  return set(exec, node, [&](Operation& o) { return read(p, o); });
}
CASSC_API Error cudaGraphMemcpyNodeGetParams(Node* handle, Memcpy3DParameters* p) {
  return get<rt::Copy>(handle, p, [](Node&, const rt::Copy& copy, Memcpy3DParameters& out) { give_copy(copy, out); });
}

CASSC_API Error cudaGraphAddMemcpyNode1D(Node** node, Graph* graph, Node* const* before, size_t count, void* target,
                                         const void* source, size_t bytes, CopyKind kind) {
  return add(node, graph, before, count, [&](Operation& o) { return read(line(target, source, bytes, kind), o); });
}
CASSC_API Error cudaGraphMemcpyNodeSetParams1D(Node* node, void* target, const void* source, size_t bytes, CopyKind kind) {
  return set(node, [&](Operation& o) { return read(line(target, source, bytes, kind), o); });
}
CASSC_API Error cudaGraphExecMemcpyNodeSetParams1D(GraphExec* exec, Node* node, void* target, const void* source, size_t bytes,
                                                   CopyKind kind) {
  return set(exec, node, [&](Operation& o) { return read(line(target, source, bytes, kind), o); });
}

CASSC_API Error cudaGraphAddMemcpyNodeToSymbol(Node** node, Graph* graph, Node* const* before, size_t count, const void* symbol,
                                               const void* source, size_t bytes, size_t offset, CopyKind kind) {
  return add(node, graph, before, count, [&](Operation& o) {
    return read(Way::ToSymbol, symbol, const_cast<void*>(source), bytes, offset, kind, o);
  });
}
CASSC_API Error cudaGraphMemcpyNodeSetParamsToSymbol(Node* node, const void* symbol, const void* source, size_t bytes,
                                                     size_t offset, CopyKind kind) {
  return set(node, [&](Operation& o) {
    return read(Way::ToSymbol, symbol, const_cast<void*>(source), bytes, offset, kind, o);
  });
}
CASSC_API Error cudaGraphExecMemcpyNodeSetParamsToSymbol(GraphExec* exec, Node* node, const void* symbol, const void* source,
                                                         size_t bytes, size_t offset, CopyKind kind) {
  return set(exec, node, [&](Operation& o) {
    return read(Way::ToSymbol, symbol, const_cast<void*>(source), bytes, offset, kind, o);
  });
}
CASSC_API Error cudaGraphAddMemcpyNodeFromSymbol(Node** node, Graph* graph, Node* const* before, size_t count, void* target,
                                                 const void* symbol, size_t bytes, size_t offset, CopyKind kind) {
  return add(node, graph, before, count,
             [&](Operation& o) { return read(Way::FromSymbol, symbol, target, bytes, offset, kind, o); });
}
CASSC_API Error cudaGraphMemcpyNodeSetParamsFromSymbol(Node* node, void* target, const void* symbol, size_t bytes, size_t offset,
                                                       CopyKind kind) {
  return set(node, [&](Operation& o) { return read(Way::FromSymbol, symbol, target, bytes, offset, kind, o); });
}
CASSC_API Error cudaGraphExecMemcpyNodeSetParamsFromSymbol(GraphExec* exec, Node* node, void* target, const void* symbol,
                                                           size_t bytes, size_t offset, CopyKind kind) {
  return set(exec, node, [&](Operation& o) { return read(Way::FromSymbol, symbol, target, bytes, offset, kind, o); });
}

CASSC_API Error cudaGraphAddMemsetNode(Node** node, Graph* graph, Node* const* before, size_t count, const MemsetParameters* p) {
  return add(node, graph, before, count, [&](Operation& o) { return read(p, o); });
}
CASSC_API Error cudaGraphMemsetNodeSetParams(Node* node, const MemsetParameters* p) {
  return set(node, [&](Operation& o) { return read(p, o); });
}
CASSC_API Error cudaGraphExecMemsetNodeSetParams(GraphExec* exec, Node* node, const MemsetParameters* p) {
  return set(exec, node, [&](Operation& o) { return read(p, o); });
}
CASSC_API Error cudaGraphMemsetNodeGetParams(Node* handle, MemsetParameters* p) {
  return get<rt::Fill>(handle, p, [](Node&, const rt::Fill& fill, MemsetParameters& out) {
    out = {fill.target, fill.pitch, fill.value, fill.element, fill.width, fill.height};
  });
}

CASSC_API Error cudaGraphAddHostNode(Node** node, Graph* graph, Node* const* before, size_t count, const HostNodeParameters* p) {
  return add(node, graph, before, count, [&](Operation& o) { return read(p, o); });
}
CASSC_API Error cudaGraphHostNodeSetParams(Node* node, const HostNodeParameters* p) {
  return set(node, [&](Operation& o) { return read(p, o); });
}
CASSC_API Error cudaGraphExecHostNodeSetParams(GraphExec* exec, Node* node, const HostNodeParameters* p) {
  return set(exec, node, [&](Operation& o) { return read(p, o); });
}
CASSC_API Error cudaGraphHostNodeGetParams(Node* handle, HostNodeParameters* p) {
  return get<rt::HostWork>(handle, p, [](Node&, const rt::HostWork& work, HostNodeParameters& out) {
    out = {work.function, work.data};
  });
}

CASSC_API Error cudaGraphAddChildGraphNode(Node** node, Graph* graph, Node* const* before, size_t count, Graph* child) {
  return add(node, graph, before, count, [&](Operation& o) { return read(child, o); });
}
CASSC_API Error cudaGraphExecChildGraphNodeSetParams(GraphExec* exec, Node* node, Graph* child) {
  return set(exec, node, [&](Operation& o) { return read(child, o); });
}

CASSC_API Error cudaGraphAddEmptyNode(Node** node, Graph* graph, Node* const* before, size_t count) {
  return add(node, graph, before, count, [](Operation& o) {
    o = rt::Nothing{};
    return Error::Success;
  });
}

CASSC_API Error cudaGraphAddEventRecordNode(Node** node, Graph* graph, Node* const* before, size_t count, Event* event) {
  return add(node, graph, before, count, [&](Operation& o) { return read_event<rt::EventRecord>(event, o); });
}
CASSC_API Error cudaGraphEventRecordNodeSetEvent(Node* node, Event* event) {
  return set(node, [&](Operation& o) { return read_event<rt::EventRecord>(event, o); });
}
CASSC_API Error cudaGraphExecEventRecordNodeSetEvent(GraphExec* exec, Node* node, Event* event) {
  return set(exec, node, [&](Operation& o) { return read_event<rt::EventRecord>(event, o); });
}
CASSC_API Error cudaGraphEventRecordNodeGetEvent(Node* handle, Event** event) {
  return get<rt::EventRecord>(handle, event, [](Node&, const rt::EventRecord& o, Event*& out) { out = o.event; });
}

CASSC_API Error cudaGraphAddEventWaitNode(Node** node, Graph* graph, Node* const* before, size_t count, Event* event) {
  return add(node, graph, before, count, [&](Operation& o) { return read_event<rt::EventWait>(event, o); });
}
CASSC_API Error cudaGraphEventWaitNodeSetEvent(Node* node, Event* event) {
  return set(node, [&](Operation& o) { return read_event<rt::EventWait>(event, o); });
}
CASSC_API Error cudaGraphExecEventWaitNodeSetEvent(GraphExec* exec, Node* node, Event* event) {
  return set(exec, node, [&](Operation& o) { return read_event<rt::EventWait>(event, o); });
}
CASSC_API Error cudaGraphEventWaitNodeGetEvent(Node* handle, Event** event) {
  return get<rt::EventWait>(handle, event, [](Node&, const rt::EventWait& o, Event*& out) { out = o.event; });
}

CASSC_API Error cudaGraphAddMemAllocNode(Node** node, Graph* graph, Node* const* before, size_t count, MemAllocNodeParameters* p) {
  return add(node, graph, before, count, [&](Operation& o) { return read_allocate(p, o); });
}
CASSC_API Error cudaGraphMemAllocNodeGetParams(Node* handle, MemAllocNodeParameters* p) {
  return get<rt::MemoryAllocate>(handle, p, [](Node&, const rt::MemoryAllocate& allocate, MemAllocNodeParameters& out) {
    std::memset(&out, 0, sizeof out);
    out.properties.allocation_type = 1;  // cudaMemAllocationTypePinned
    out.properties.location = {kLocationDevice, 0};
    out.bytes = allocate.memory->size();
    out.pointer = allocate.memory->base();
  });
}
CASSC_API Error cudaGraphAddMemFreeNode(Node** node, Graph* graph, Node* const* before, size_t count, void* pointer) {
  return add(node, graph, before, count, [&](Operation& o) { return read_free(pointer, o); });
}
CASSC_API Error cudaGraphMemFreeNodeGetParams(Node* handle, void** pointer) {
  return get<rt::MemoryFree>(handle, pointer, [](Node&, const rt::MemoryFree& release, void*& out) { out = release.pointer; });
}

CASSC_API Error cudaGraphNodeSetParams(Node* node, NodeParameters* p) {
  return set(node, [&](Operation& o) { return read(p, o); });
}
CASSC_API Error cudaGraphExecNodeSetParams(GraphExec* exec, Node* node, NodeParameters* p) {
  return set(exec, node, [&](Operation& o) { return read(p, o); });
}
#if CASSC_CUDART_MAJOR <= 12
CASSC_API Error cudaGraphAddNode(Node** node, Graph* graph, Node* const* before, size_t count, NodeParameters* p) {
  return add(node, graph, before, count, [&](Operation& o) { return read(p, o); });
}
CASSC_API Error cudaGraphAddNode_v2(Node** node, Graph* graph, Node* const* before, const EdgeData*, size_t count,
                                    NodeParameters* p) {
  return add(node, graph, before, count, [&](Operation& o) { return read(p, o); });
}
#else
CASSC_API Error cudaGraphAddNode(Node** node, Graph* graph, Node* const* before, const EdgeData*, size_t count,
                                 NodeParameters* p) {
  return add(node, graph, before, count, [&](Operation& o) { return read(p, o); });
}
#endif
