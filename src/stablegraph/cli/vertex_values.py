"""Values of vertices that commands read: components, the constraints of a coloring, and lists of vertices.

A table of components has the ids of a file: each vertex, the smallest id of its component, and the size. Such a table
is an answer of ``components --label smallest``, which ``verify`` reads, and a start for added edges. A component is
called by an id, so that its name does not depend on the numbers of vertices.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import numpy as np

import stablegraph as sg

from .._core.csr.groups import smallest_members
from .._core.vertex_names import names_of
from ..coloring.schedule import rooms_of
from ..io.source import utf8
from ..tables import id_column
from ..tables.clusters import edges_inside
from ..tables.columns import pyarrow_module
from .answer_files import Numbers, numbers_in, read_bytes, read_set, read_weights, write_table
from .options import COLOR_FILES
from .pair_tables import alike
from .vertex_tables import ARROW, LABELS, SLOT_COLUMNS, arrow_table, known_rows, row_of_each, table_in, value_column

_COLUMNS = ["id", "cluster", "size"]
_FACTS = ["edges", "density", "bridges"]
_ROOM_COLUMNS = ("room", "seats")


def write_clusters(file: str, suffix: str, graph: sg.Graph, labels: Numbers, facts: bool) -> None:
    """Write the table; `labels` are the smallest vertices."""
    rows = _cluster_rows(graph, labels, facts)
    title = _COLUMNS + _FACTS if facts else _COLUMNS
    write_table(file, suffix, title, rows, partial(sg.cluster_table, graph, labels, facts=facts))


def _cluster_rows(graph: sg.Graph, labels: Numbers, facts: bool) -> Any:
    """Return id, cluster, size and facts of each vertex; `labels` are the smallest vertices."""
    if facts:
        return zip(*sg.cluster_table(graph, labels, facts=True).to_pydict().values(), strict=True)
    vertices, nodes = [np.arange(labels.size), labels], graph.nodes
    columns = [column.tolist() if nodes is None else names_of(column, nodes) for column in vertices]
    return zip(*columns, np.bincount(labels)[labels].tolist(), strict=True)


def labels_in(name: str, data: bytes, column: str, graph: sg.Graph) -> tuple[Numbers, str | None]:
    """Return the labels of all vertices in the contents of a file, or the clusters that ``components`` wrote.

    Also return a defect in the names, sizes or facts of the clusters, or None.
    """
    lines = table_in(name, data)
    if lines is None or lines[0] not in (_COLUMNS, _COLUMNS + _FACTS):
        return numbers_in(name, data, column, graph), None
    ids, clusters = _ids_and_clusters(name, lines, graph)
    names = np.array([str(vertex) for vertex in (range(len(graph)) if graph.nodes is None else graph.nodes)], np.str_)
    if not np.array_equal(np.sort(ids), np.sort(names)):
        raise ValueError(
            f"{name}: its ids are not those of the graph's {len(graph):,} vertices, each once; pass --where and "
            "--records as for the answer"
        )
    labels = np.empty(ids.size, np.int64)
    labels[np.argsort(names)[np.argsort(np.argsort(ids))]] = np.unique(clusters, return_inverse=True)[1]
    written = {line[0]: line for line in lines[1:] if line}
    smallest, facts = smallest_members(labels), lines[0] != _COLUMNS
    for row in _cluster_rows(graph, smallest, facts):
        found, right = written[str(row[0])], ["" if field is None else str(field) for field in row]
        if found != right:
            more = f", with the edges, density and bridges {','.join(right[3:])}" if facts else ""
            about = f"the smallest id in the cluster of {row[0]} is {row[1]}, and its size {row[2]}{more}"
            return labels, f"{about}, but the row is {','.join(found)[:60]}"
    if not facts:
        return labels, None
    inside = edges_inside(graph, smallest)
    return labels, sg.explain(sg.is_bridge_list, inside, sg.bridges(inside))


def with_earlier_clusters(added: sg.Graph, file: str) -> sg.Graph:
    """Return a graph with the same components as all edges: the added ones, and each vertex with its earlier cluster.

    Its vertices are those of the graph and of the file, in ascending order of ids.
    """
    pa, n = pyarrow_module(), len(added)
    known, (ids, clusters) = id_column(n, added.nodes), _earlier_clusters(file, added)
    ids, known = alike(ids, known)
    first, group = np.unique(clusters, return_index=True, return_inverse=True)[1:]
    columns = {  # each vertex is an end, so that it is in the graph
        "source": [known.take(pa.array(added._rows())), known, ids.take(pa.array(first[group]))],
        "target": [known.take(pa.array(added.indices)), known, ids],
    }
    both = {name: pa.chunked_array([piece.cast(known.type) for piece in pieces]) for name, pieces in columns.items()}
    graph = sg.from_table(pa.table(both), directed=False)
    is_numbered = added.nodes is None and np.array_equal(np.asarray(graph.nodes), np.arange(len(graph)))
    return graph._replace(nodes=None) if is_numbered else graph


def _earlier_clusters(file: str, added: sg.Graph) -> tuple[Any, Numbers]:
    """Return the ids in a file as an Arrow array, and a number for the cluster of each."""
    pa, (name, data) = pyarrow_module(), read_bytes(file)
    if data.startswith(ARROW):
        table = arrow_table(name, data)
        title = table.column_names
        if len(title) > 1:
            column = value_column(name, title, added, *LABELS)
            ids, clusters = (pa.concat_arrays(table.column(place).chunks) for place in (0, column))
            if ids.null_count + clusters.null_count:
                raise ValueError(f"{name}: the columns {title[0]} and {title[column]} must not have missing values")
            if len(ids.unique()) == len(ids):
                return ids, clusters.dictionary_encode().indices.to_numpy()
    lines = table_in(name, data)
    if lines is not None:
        ids, clusters = _ids_and_clusters(name, lines, added)
        return pa.array(ids.tolist(), pa.string()), np.unique(clusters, return_inverse=True)[1]
    if pa.types.is_integer(id_column(len(added), added.nodes).type):
        clusters = numbers_in(name, data, "component", added, all_vertices=False)
        return pa.array(np.arange(clusters.size)), clusters
    raise ValueError(f"{name}: the vertices of the graph have names; pass a table with the columns id and cluster")


def _ids_and_clusters(name: str, lines: list[list[str]], graph: sg.Graph) -> tuple[Any, Any]:
    """Return the ids and the clusters of a table as arrays of texts."""
    title, *rows = lines
    column = value_column(name, title, graph, "cluster", *LABELS)
    for line, row in enumerate(rows, 2):
        if row and len(row) != len(title):
            raise ValueError(f"{name}, line {line}: expected {len(title)} values, got {len(row)}")
    ids, clusters = (np.array([row[place] for row in rows if row], np.str_) for place in (0, column))
    distinct, counts = np.unique(ids, return_counts=True)
    if distinct.size < ids.size:
        raise ValueError(f"{name}: vertex {distinct[counts.argmax()][:30]} has several lines")
    return ids, clusters


def read_limits(values: dict[str, Any], graph: sg.Graph) -> dict[str, Any]:
    """Read the files of the constraints in `values`; return the arguments of `vertex_coloring`."""
    chosen = {name: value for name, value in values.items() if value is not None}
    if "rooms" in chosen:
        chosen["rooms"] = _read_rooms(chosen["rooms"])
    for name in chosen.keys() & {*COLOR_FILES} - {"rooms"}:
        read = _read_sizes if name == "sizes" else partial(_read_colors, option=name, has_rooms="rooms" in chosen)
        chosen[name] = read(chosen[name], graph)
    return chosen


def _read_rooms(file: str) -> dict[str, int]:
    """Return the seats of each room."""
    name, data = read_bytes(file)
    title, *rows = table_in(name, data) or [[]]
    places = [0, 1] if len(title) == 2 else [title.index(one) for one in _ROOM_COLUMNS if title.count(one) == 1]
    if len(places) != 2 or title[places[1]].isdecimal():
        got = (",".join(title) or utf8(name, data.partition(b"\n")[0]).strip())[:60]
        raise ValueError(f"{name}, line 1: expected a title with the columns room and seats, got {got!r}")
    rooms: dict[str, int] = {}
    for line, row in enumerate(rows, 2):
        if row and (len(row) != len(title) or not row[places[1]].isdecimal()):
            raise ValueError(f"{name}, line {line}: expected a room and its seats, got {','.join(row)[:60]!r}")
        if row and row[places[0]] in rooms:
            raise ValueError(f"{name}, line {line}: a second line for room {row[places[0]][:30]}")
        rooms |= {row[places[0]]: int(row[places[1]])} if row else {}
    return rooms


def write_slots(file: str, suffix: str, graph: sg.Graph, slots: Numbers, limits: dict[str, Any]) -> None:
    """Write the slot and the room of each vertex as a table."""
    sizes, rooms, fixed = limits.get("sizes"), limits["rooms"], limits.get("fixed")
    ids = range(len(graph)) if graph.nodes is None else graph.nodes
    rows = zip(ids, slots.tolist(), rooms_of(graph, slots, sizes, rooms, fixed), strict=True)
    table = partial(sg.schedule_table, graph, slots, sizes=sizes, rooms=rooms, fixed=fixed)
    write_table(file, suffix, ["id", *SLOT_COLUMNS], rows, table)


def slots_in(name: str, data: bytes, graph: sg.Graph) -> tuple[Numbers, dict[str, Any]]:
    """Return the color of each vertex in the contents of a file, and its room, for the verifier, if there is one."""
    lines = table_in(name, data)
    if lines is None or lines[0][1:] != SLOT_COLUMNS:
        return numbers_in(name, data, "color", graph), {}
    slots, assigned = np.zeros(graph.num_vertices, np.int64), [""] * graph.num_vertices
    for line, v, row in row_of_each(name, lines, graph):
        if not row[1].isdecimal():
            raise ValueError(f"{name}, line {line}: expected a slot from 0 on, got {row[1][:30]!r}")
        slots[v], assigned[v] = int(row[1]), row[2]
    return slots, {"assigned": assigned}


def _read_sizes(file: str, graph: sg.Graph) -> Numbers:
    sizes = read_weights(file, graph, "size")
    return sizes.astype(np.int64) if np.array_equal(sizes, np.rint(sizes)) else sizes


def _read_colors(file: str, graph: sg.Graph, option: str, has_rooms: bool) -> Any:
    """Return colors of vertices by name, or by number if there are no names; of fixed ones also as an array.

    A fixed color is a pair with the room if the plan has rooms and the table a column `room` with a value.
    """
    name, data = read_bytes(file)
    lines = table_in(name, data)
    if lines is None and option == "fixed":
        return numbers_in(name, data, "color", graph)
    if lines is None:
        raise ValueError(f"{name}: expected a table with the columns id and color, with a title line")
    column = value_column(name, lines[0], graph, "color", "colors", "slot")
    room = lines[0].index("room") if option == "fixed" and has_rooms and "room" in lines[0] else 0
    colors: dict[Any, list[Any]] = {}
    for line, v, row in known_rows(name, lines, graph):
        if not row[column].isdecimal():
            raise ValueError(f"{name}, line {line}: expected an id and a color from 0 on, got {','.join(row)[:60]!r}")
        known, color = colors.setdefault(v if graph.nodes is None else graph.nodes[v], []), int(row[column])
        if known and option == "fixed":
            raise ValueError(f"{name}, line {line}: a second line for vertex {row[0][:30]}")
        known.append((color, row[room]) if room and row[room] else color)
    return {vertex: several[0] for vertex, several in colors.items()} if option == "fixed" else colors


def _vertex_called(name: str | int, graph: Any) -> int | None:
    """Return the number of the vertex with this name, or None."""
    names = graph.nodes
    if names is None:
        return None
    if not hasattr(graph, "index"):  # a partitioned graph
        matches = np.flatnonzero((names == name).compute())
        return int(matches[0]) if matches.size else None
    try:
        return int(graph.index(name))
    except ValueError:
        return None


def vertices_from(text: str | None, option: str, graph: sg.Graph) -> Numbers | None:
    """Parse vertices on the command line: "3,7,10-12", "Ann,Bob", or "@FILE" with a set as `verify` reads it."""
    n = graph.num_vertices
    if text is None:
        return None
    if text.startswith("@"):
        return read_set(text[1:], graph)
    vertices: list[int] = []
    for part in text.split(","):
        numbers = re.fullmatch(r"\s*(\d{1,18})\s*(?:-\s*(\d{1,18})\s*)?", part)
        named = _vertex_called(part.strip(), graph)
        if numbers and named is not None and (named,) != tuple(map(int, filter(None, numbers.groups()))):
            raise ValueError(
                f"{option}: {part} is a name, and also means vertex numbers; pass @FILE, a table with the columns id "
                "and mask, or a line of 0 or 1 for each vertex"
            )
        if named is not None:
            vertices.append(named)
            continue
        if not numbers:
            raise ValueError(
                f"{option}: expected vertex numbers such as 3,7,10-12, names of vertices, or @FILE, got {part[:30]!r}"
            )
        low, high = int(numbers[1]), int(numbers[2] or numbers[1])
        if not low <= high < n:
            known = _vertex_called(low, graph) if low == high else None
            hint = "" if known is None else f"; for the vertex with the id {low} in the file, pass {known}"
            raise ValueError(f"{option}: {part} is not among the graph's {n:,} vertices, numbered from 0{hint}")
        vertices.extend(range(low, high + 1))
    return np.unique(np.array(vertices, np.int64))
