"""A strict reader of Cube 3, for `cube_algebra.py`. It was written from a description of the format,
and shares nothing with Pompeii. An element, an attribute or a number that the format does not have,
a reference that leads nowhere, or a definition in the wrong place is an error.
"""

import gzip
import re
import xml.etree.ElementTree as xml

NUMBER, ID = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", r"\d+"
TEXT, EMPTY, NUMBERS = r"(?s:.*)", r"\s*", rf"\s*({NUMBER}(\s+{NUMBER})*)?\s*"
LINE, WHOLE = r"-?\d+", r"-?\d+(\s+-?\d+)*"

# Each element: its attributes (those with ? may be missing), its children as an expression in which a
# name ends with a blank, and its text.
GRAMMAR = {
    "cube": ({"version": r"3\.0"}, "(attr )*(doc )?metrics program system severity ", EMPTY),
    "attr": ({"key": TEXT, "value": TEXT}, "", EMPTY),
    "doc": ({}, "(mirrors )?", EMPTY),
    "mirrors": ({}, "(murl )*", EMPTY),
    "murl": ({}, "", TEXT),
    "metrics": ({}, "(metric )*", EMPTY),
    "metric": (
        {"id": ID},
        "disp_name uniq_name (dtype )?uom (val )?(url )?(descr )?(metric )*",
        EMPTY,
    ),
    "disp_name": ({}, "", TEXT),
    "uniq_name": ({}, "", r"\S+"),
    "dtype": ({}, "", "INTEGER|FLOAT"),
    "uom": ({}, "", TEXT),
    "val": ({}, "", TEXT),
    "url": ({}, "", TEXT),
    "descr": ({}, "", TEXT),
    "program": ({}, "(region )+(cnode )+", EMPTY),
    "region": (
        {"id": ID, "mod?": TEXT, "begin?": LINE, "end?": LINE},
        "name (url )?(descr )?",
        EMPTY,
    ),
    "name": ({}, "", TEXT),
    "cnode": ({"id": ID, "line?": LINE, "mod?": TEXT, "calleeId": ID}, "(cnode )*", EMPTY),
    "system": ({}, "(machine )+(topologies )?", EMPTY),
    "machine": ({"Id": ID}, "name (descr )?(node )*", EMPTY),
    "node": ({"Id": ID}, "name (descr )?(process )*", EMPTY),
    "process": ({"Id": ID}, "name rank (thread )*", EMPTY),
    "thread": ({"Id": ID}, "name rank ", EMPTY),
    "rank": ({}, "", ID),
    "topologies": ({}, "(cart )*", EMPTY),
    "cart": ({"name?": TEXT, "ndims": ID}, "(dim )+(coord )*", EMPTY),
    "dim": ({"size": ID, "periodic": "true|false"}, "", EMPTY),
    "coord": (
        {"thrdId?": ID, "procId?": ID, "nodeId?": ID, "machId?": ID},
        "",
        WHOLE,
    ),
    "severity": ({}, "(matrix )*", EMPTY),
    "matrix": ({"metricId": ID}, "(row )*", EMPTY),
    "row": ({"cnodeId": ID}, "", NUMBERS),
}


def check(element):
    """The element and all in it are as the grammar says."""
    attributes, children, text = GRAMMAR[element.tag]
    known = {name.rstrip("?"): value for name, value in attributes.items()}
    for name, value in element.attrib.items():
        assert name in known and re.fullmatch(known[name], value), (element.tag, name, value)
    missing = [name for name in attributes if name[-1] != "?" and name not in element.attrib]
    assert not missing, (element.tag, missing)
    found = "".join(f"{child.tag} " for child in element)
    assert re.fullmatch(children, found), (element.tag, found)
    assert re.fullmatch(text, element.text or ""), (element.tag, element.text)
    for child in element:
        assert not (child.tail or "").strip(), (child.tag, child.tail)
        check(child)


def by_id(elements, attribute="id"):
    """Elements by their ids, which differ."""
    found = {int(element.get(attribute)): element for element in elements}
    assert len(found) == len(elements), sorted(found)
    return found


def exclusive(path):
    """{(metric, path of region names): [value by thread]}, without the values of callees."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        cube = xml.parse(file).getroot()
    check(cube)
    program, system = cube.find("program"), cube.find("system")
    metrics = by_id(list(cube.find("metrics").iter("metric")))
    regions, cnodes = by_id(program.findall("region")), by_id(list(program.iter("cnode")))
    places = {
        f"{kind[:4]}Id" if kind != "thread" else "thrdId": by_id(list(system.iter(kind)), "Id")
        for kind in ["machine", "node", "process", "thread"]
    }
    threads = len(places["thrdId"])
    # The values of a row have the numbers of threads as their places.
    assert sorted(places["thrdId"]) == list(range(threads)), sorted(places["thrdId"])
    for cart in system.iter("cart"):
        sizes = [int(dim.get("size")) for dim in cart.findall("dim")]
        assert len(sizes) == int(cart.get("ndims")), cart.attrib
        for coord in cart.findall("coord"):
            [(kind, number)] = coord.items()
            assert int(number) in places[kind], coord.attrib
            at = [int(place) for place in coord.text.split()]
            assert len(at) == len(sizes) and all(0 <= a < n for a, n in zip(at, sizes)), at
    paths = {}

    def walk(cnode, prefix):
        name = regions[int(cnode.get("calleeId"))].findtext("name")
        path = paths[int(cnode.get("id"))] = f"{prefix}/{name}"
        for child in cnode:
            walk(child, path)

    for root in program.findall("cnode"):
        walk(root, "")
    values = {}
    for number, matrix in by_id(list(cube.find("severity")), "metricId").items():
        metric = metrics[number].findtext("uniq_name")
        for cnode, row in by_id(list(matrix), "cnodeId").items():
            assert cnode in cnodes, cnode
            numbers = [float(number) for number in (row.text or "").split()]
            assert len(numbers) == threads, (metric, cnode, numbers)
            before = values.get((metric, paths[cnode]), [0.0] * threads)
            values[metric, paths[cnode]] = [a + b for a, b in zip(before, numbers)]
    return values
