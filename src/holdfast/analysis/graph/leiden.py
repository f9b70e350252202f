"""The Leiden algorithm of Traag, Waltman and van Eck (https://doi.org/10.1038/s41598-019-41695-z).

It finds communities with a high modularity.

Contract: the result is the same on every machine, because it is computed in integers and nothing is random.
Nodes are visited by ascending degree, and merge with the best community instead of a random good one.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence


class Network:
    """An undirected network with weights; a loop counts twice."""

    def __init__(self, neighbours: Sequence[Mapping[int, int]]) -> None:
        self.neighbours = neighbours
        """For each node, the weights of the edges to its neighbours."""
        self.degrees = [sum(weights.values()) for weights in neighbours]
        self.order = sorted(range(len(neighbours)), key=self.degrees.__getitem__)


def leiden_pass(network: Network, membership: Sequence[int]) -> list[int]:
    """Improve a partition, of which each node's community is given, until no node of any level moves."""
    total = sum(network.degrees)
    place: Sequence[int] = range(len(membership))  # the node of the current level that each node is in
    communities = list(membership)
    while True:
        _move_nodes(network, communities, total)
        nodes = len(communities)
        if len(set(communities)) == nodes:
            break
        refined = numbered(_refine(network, communities, total))
        community_of_group = dict(zip(refined, communities, strict=True))  # all nodes of a group are in one
        communities = numbered(community_of_group[group] for group in range(len(community_of_group)))
        network = _aggregate(network, refined, len(communities))
        place = [refined[node] for node in place]
        if len(communities) == nodes:
            break
    return [communities[node] for node in place]


def numbered(groups: Iterable[int]) -> list[int]:
    """Number groups by their first node."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(group, len(numbers)) for group in groups]


def _move_nodes(network: Network, communities: list[int], total: int) -> None:
    """Move nodes to neighbouring communities while that raises the modularity."""
    sizes = [0] * len(communities)
    for community, degree in zip(communities, network.degrees, strict=True):
        sizes[community] += degree
    queue = deque(network.order)
    is_queued = [True] * len(communities)
    while queue:
        node = queue.popleft()
        is_queued[node] = False
        own = communities[node]
        links = {own: 0}
        for neighbour, weight in network.neighbours[node].items():
            if neighbour != node:
                community = communities[neighbour]
                links[community] = links.get(community, 0) + weight
        best = _best(node, own, links, network, sizes, total)
        if best != own:
            communities[node] = best
            for neighbour in network.neighbours[node]:
                if communities[neighbour] != best and not is_queued[neighbour]:
                    is_queued[neighbour] = True
                    queue.append(neighbour)


def _refine(network: Network, communities: Sequence[int], total: int) -> list[int]:
    """Merge nodes inside each community while that raises the modularity, beginning with single nodes."""
    groups = list(range(len(communities)))
    sizes = network.degrees.copy()
    is_single = [True] * len(groups)
    for node in network.order:
        if is_single[node]:
            links = {node: 0}
            for neighbour, weight in network.neighbours[node].items():
                if neighbour != node and communities[neighbour] == communities[node]:
                    group = groups[neighbour]
                    links[group] = links.get(group, 0) + weight
            best = _best(node, node, links, network, sizes, total)
            if best != node:
                groups[node] = best
                is_single[node] = is_single[best] = False
    return groups


def _best(
    node: int, own: int, links: Mapping[int, int], network: Network, sizes: list[int], total: int
) -> int:
    """Return the group of `links` in which the node raises the modularity most, and move its degree there."""
    degree = network.degrees[node]
    sizes[own] -= degree
    best, most = own, total * links[own] - degree * sizes[own]
    for group, weight in links.items():
        gain = total * weight - degree * sizes[group]
        if gain > most:
            best, most = group, gain
    sizes[best] += degree
    return best


def _aggregate(network: Network, groups: Sequence[int], count: int) -> Network:
    """Return the network whose nodes are groups of this one's."""
    neighbours: list[defaultdict[int, int]] = [defaultdict(int) for _ in range(count)]
    for group, weights in zip(groups, network.neighbours, strict=True):
        links = neighbours[group]
        for neighbour, weight in weights.items():
            links[groups[neighbour]] += weight
    return Network(neighbours)
