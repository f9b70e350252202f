//! The searches of `holdfast.analysis.graph.adjacency` and `leiden`, with their results to the last bit.

use std::collections::VecDeque;
use std::mem;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;

/// A directed graph: the successors of node `n` are `targets[starts[n]..starts[n + 1]]`.
#[pyclass(frozen, module = "holdfast._core")]
pub struct Graph {
    starts: Vec<usize>,
    targets: Vec<u32>, // like distances half as wide as `usize`, so that more of them fit into a cache
}

#[pymethods]
impl Graph {
    #[new]
    fn new(starts: Vec<usize>, targets: Vec<u32>) -> PyResult<Self> {
        let nodes = starts.len().saturating_sub(1);
        if !starts.is_sorted()
            || starts.last() != Some(&targets.len())
            || targets.iter().any(|&target| target as usize >= nodes)
        {
            return Err(PyValueError::new_err("These are not the edges of a graph."));
        }
        Ok(Self { starts, targets })
    }

    /// Sums over the shortest paths from the sources; see `Adjacency.shortest_paths` in Python.
    #[allow(clippy::needless_pass_by_value)] // as Python passes it
    fn shortest_paths(&self, py: Python<'_>, sources: Vec<usize>) -> (Vec<f64>, Vec<u64>, Vec<u64>) {
        py.detach(|| {
            let nodes = self.starts.len() - 1;
            let mut sums = (vec![0.0; nodes], vec![0; nodes], vec![0; nodes]);
            // Searches run in parallel, and are added in order: the sums do not depend on the number of threads.
            for sources in sources.chunks(rayon::current_num_threads()) {
                let found: Vec<_> = sources.par_iter().map(|&source| self.search(source)).collect();
                for (order, distances, shares) in found {
                    for node in order {
                        sums.0[node] += shares[node];
                        sums.1[node] += 1;
                        sums.2[node] += u64::from(distances[node]) - 1;
                    }
                }
            }
            sums
        })
    }

    /// One pass of the Leiden algorithm; see `leiden_pass` in Python.
    fn leiden_pass(&self, py: Python<'_>, membership: Vec<usize>) -> Vec<usize> {
        py.detach(|| {
            let mut network = Network::of(self);
            let total = network.degrees.iter().sum();
            let mut place: Vec<usize> = (0..membership.len()).collect();
            let mut membership = membership;
            loop {
                let nodes = membership.len();
                network.move_nodes(&mut membership, total);
                if number(&mut membership.clone()) == nodes {
                    break;
                }
                let mut refined = network.refine(&membership, total);
                let groups = number(&mut refined);
                let mut coarse = vec![0; groups];
                for (node, &group) in refined.iter().enumerate() {
                    coarse[group] = membership[node];
                }
                number(&mut coarse);
                network = network.aggregate(&refined, groups);
                for node in &mut place {
                    *node = refined[*node];
                }
                membership = coarse;
                if groups == nodes {
                    break;
                }
            }
            place.iter().map(|&node| membership[node]).collect()
        })
    }
}

impl Graph {
    fn successors(&self, node: usize) -> impl Iterator<Item = usize> {
        self.targets[self.starts[node]..self.starts[node + 1]].iter().map(|&target| target as usize)
    }

    /// Brandes' algorithm: the nodes that a source reaches, their distances plus one, and their shares in its paths.
    fn search(&self, source: usize) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
        let nodes = self.starts.len() - 1;
        let (mut distances, mut paths) = (vec![0; nodes], vec![0.0; nodes]);
        let mut order = vec![source];
        (distances[source], paths[source]) = (1, 1.0);
        let mut done = 0;
        while done < order.len() {
            let node = order[done];
            done += 1;
            let distance = distances[node] + 1;
            for next in self.successors(node) {
                if distances[next] == 0 {
                    distances[next] = distance;
                    order.push(next);
                }
                if distances[next] == distance {
                    paths[next] += paths[node];
                }
            }
        }
        let (mut shares, mut shares_per_path) = (vec![0.0; nodes], vec![0.0; nodes]);
        for &node in order.iter().rev() {
            let mut sum = 0.0;
            for next in self.successors(node) {
                if distances[next] > distances[node] {
                    sum += shares_per_path[next];
                }
            }
            shares[node] = sum * paths[node];
            shares_per_path[node] = (1.0 + shares[node]) / paths[node];
        }
        shares[source] = 0.0;
        (order, distances, shares)
    }
}

/// An undirected network with weights.
struct Network {
    neighbours: Vec<Vec<(usize, i64)>>,
    /// The sum of the weights at each node.
    degrees: Vec<i64>,
}

impl Network {
    fn of(graph: &Graph) -> Self {
        let neighbours: Vec<Vec<_>> = (0..graph.starts.len() - 1)
            .map(|node| graph.successors(node).map(|next| (next, 1)).collect())
            .collect();
        let degrees = neighbours.iter().map(|next| next.iter().map(|&(_, weight)| weight).sum());
        Self { degrees: degrees.collect(), neighbours }
    }

    /// Moves nodes to neighbouring communities while that raises the modularity.
    fn move_nodes(&self, membership: &mut [usize], total: i64) {
        let nodes = membership.len();
        let mut sizes = vec![0; nodes];
        for (node, &group) in membership.iter().enumerate() {
            sizes[group] += self.degrees[node];
        }
        let mut queue = self.by_degree();
        let mut is_queued = vec![true; nodes];
        let mut links = Links::new(nodes);
        while let Some(node) = queue.pop_front() {
            is_queued[node] = false;
            let (own, degree) = (membership[node], self.degrees[node]);
            links.add(own, 0);
            for &(next, weight) in &self.neighbours[node] {
                if next != node {
                    links.add(membership[next], weight);
                }
            }
            sizes[own] -= degree;
            let best = links.take_best(|group, weight| total * weight - degree * sizes[group]);
            sizes[best] += degree;
            if best == own {
                continue;
            }
            membership[node] = best;
            for &(next, _) in &self.neighbours[node] {
                if membership[next] != best && !mem::replace(&mut is_queued[next], true) {
                    queue.push_back(next);
                }
            }
        }
    }

    /// Merges nodes inside each community while that raises the modularity, beginning with single nodes.
    fn refine(&self, membership: &[usize], total: i64) -> Vec<usize> {
        let nodes = membership.len();
        let mut refined: Vec<usize> = (0..nodes).collect();
        let mut sizes = self.degrees.clone();
        let mut is_single = vec![true; nodes];
        let mut links = Links::new(nodes);
        for node in self.by_degree() {
            if !is_single[node] {
                continue;
            }
            let degree = self.degrees[node];
            links.add(node, 0);
            for &(next, weight) in &self.neighbours[node] {
                if next != node && membership[next] == membership[node] {
                    links.add(refined[next], weight);
                }
            }
            sizes[node] -= degree;
            let best = links.take_best(|group, weight| total * weight - degree * sizes[group]);
            sizes[best] += degree;
            if best != node {
                refined[node] = best;
                (is_single[node], is_single[best]) = (false, false);
            }
        }
        refined
    }

    /// Returns the network whose nodes are groups of this one's.
    fn aggregate(&self, group_of: &[usize], groups: usize) -> Self {
        let mut members = vec![Vec::new(); groups];
        for (node, &group) in group_of.iter().enumerate() {
            members[group].push(node);
        }
        let mut links = Links::new(groups);
        let neighbours = members.iter().map(|members| {
            for &(next, weight) in members.iter().flat_map(|&node| &self.neighbours[node]) {
                links.add(group_of[next], weight);
            }
            links.take()
        });
        let neighbours = neighbours.collect();
        let degrees = members.iter().map(|members| members.iter().map(|&node| self.degrees[node]).sum());
        Self { neighbours, degrees: degrees.collect() }
    }

    fn by_degree(&self) -> VecDeque<usize> {
        let mut order: Vec<usize> = (0..self.degrees.len()).collect();
        order.sort_by_key(|&node| self.degrees[node]);
        order.into()
    }
}

/// The weights of the links to some groups, in the order in which the groups were added.
struct Links {
    weights: Vec<i64>,
    is_added: Vec<bool>,
    groups: Vec<usize>,
}

impl Links {
    fn new(groups: usize) -> Self {
        Self { weights: vec![0; groups], is_added: vec![false; groups], groups: Vec::new() }
    }

    fn add(&mut self, group: usize, weight: i64) {
        if !mem::replace(&mut self.is_added[group], true) {
            self.groups.push(group);
        }
        self.weights[group] += weight;
    }

    fn take(&mut self) -> Vec<(usize, i64)> {
        let take = |group| {
            self.is_added[group] = false;
            (group, mem::take(&mut self.weights[group]))
        };
        self.groups.drain(..).map(take).collect()
    }

    /// Empties this, and returns the first group with the largest gain.
    fn take_best(&mut self, gain: impl Fn(usize, i64) -> i64) -> usize {
        let mut best = (self.groups[0], i64::MIN);
        for (group, weight) in self.take() {
            let gain = gain(group, weight);
            if gain > best.1 {
                best = (group, gain);
            }
        }
        best.0
    }
}

/// Numbers groups by their first node, and returns their number.
fn number(group_of: &mut [usize]) -> usize {
    let mut numbers = vec![usize::MAX; group_of.iter().max().map_or(0, |most| most + 1)];
    let mut groups = 0;
    for group in group_of {
        if numbers[*group] == usize::MAX {
            numbers[*group] = groups;
            groups += 1;
        }
        *group = numbers[*group];
    }
    groups
}
