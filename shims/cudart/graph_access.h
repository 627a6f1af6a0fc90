// From handles of graphs, nodes and executables to what they name; an unknown handle is cudaErrorInvalidValue.
#ifndef CASSC_CUDART_GRAPH_ACCESS_H
#define CASSC_CUDART_GRAPH_ACCESS_H
#include "api.h"

namespace cassc::cudart {

template <class Body>
Error with_graph(Graph* graph, Body&& body) {
  return api([&] { return rt::known_graph(graph) ? body(*graph) : Error::InvalidValue; });
}

template <class Body>
Error with_node(Node* node, Body&& body) {
  return api([&] { return rt::known_node(node) ? body(*node) : Error::InvalidValue; });
}

template <class Body>
Error with_exec(GraphExec* exec, Body&& body) {
  return api([&] { return rt::known_exec(exec) ? body(*exec) : Error::InvalidValue; });
}

// The step that a node of the graph became.
template <class Body>
Error with_step(GraphExec* exec, Node* node, Body&& body) {
  return with_exec(exec, [&](GraphExec& target) {
    const auto found = target.step_of.find(node);
    return found == target.step_of.end() ? Error::InvalidValue : body(target.steps[found->second]);
  });
}

}  // namespace cassc::cudart
#endif
