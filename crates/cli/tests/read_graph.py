"""Reads the call graphs of `pompeii convert` with networkx (GraphML) and pydot (DOT), and compares them
with the report from which they were made, which pycubexr reads.

    read_graph.py GRAPHML DOT REPORT

Prints how many regions and pairs of caller and callee are the same.
"""

import sys
from collections import Counter

import networkx
import pydot
from pycubexr import CubexParser

graph = networkx.read_graphml(sys.argv[1])
(dot,) = pydot.graph_from_dot_file(sys.argv[2])

# Both have the same nodes and edges, with the same values.
written = {
    (it.get_name(), it.get("label").strip('"'), int(it.get("visits")), float(it.get("exclusive")))
    for it in dot.get_nodes()
    if it.get_name() != "node"
}
of_graph = {(n, it["label"], it["visits"], it["exclusive"]) for n, it in graph.nodes(data=True)}
assert written == of_graph, written ^ of_graph
written = {
    (it.get_source(), it.get_destination(), int(it.get("visits")), float(it.get("inclusive")))
    for it in dot.get_edges()
}
of_graph = {(a, b, it["visits"], it["inclusive"]) for a, b, it in graph.edges(data=True)}
assert written == of_graph, written ^ of_graph

with CubexParser(sys.argv[3]) as report:

    def values(name):
        values = report.get_metric_values(report.get_metric_by_name(name))
        return lambda cnode: sum(values.cnode_values(cnode))

    visits, time = values("visits"), values("time")
    nodes, times, edges = Counter(), Counter(), Counter()
    for cnode in report.all_cnodes():
        region = cnode.region.id
        nodes[region] += int(visits(cnode))
        # Reports have times with callees.
        times[region] += time(cnode) - sum(map(time, cnode.get_children()))
        for child in cnode.get_children():
            edges[region, child.region.id] += int(visits(child))

# Regions are in the same order.
of_graph = sorted(int(name[1:]) for name in graph.nodes)
number = dict(zip(of_graph, sorted(nodes)))
assert len(of_graph) == len(nodes), (of_graph, nodes)
for name, it in graph.nodes(data=True):
    region = number[int(name[1:])]
    assert it["visits"] == nodes[region], (it, nodes[region])
    assert abs(it["exclusive"] - times[region]) < 1e-9, (it, times[region])
    assert it["inclusive"] >= it["exclusive"], it
found = Counter({(number[int(a[1:])], number[int(b[1:])]): it["visits"] for a, b, it in graph.edges(data=True)})
assert found == edges and len(found) == len(edges), (found, edges)
print(f"{len(nodes)} regions, {len(edges)} edges")
