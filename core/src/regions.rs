//! Positions in a source: the order of nodes, and the definition that each byte belongs to.
//!
//! Contract: definitions are passed in source order, an outer one before those nested in it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use tree_sitter::Node;

use crate::symbols::Declared;

/// The index of a definition, or `None` for the file.
pub type Owner = Option<usize>;

/// Sorts nodes by position; queries return them in any order.
pub fn sort_by_position<'t>(nodes: impl IntoIterator<Item = Node<'t>>) -> Vec<Node<'t>> {
    let mut sorted: Vec<_> = nodes.into_iter().collect();
    sorted.sort_by_key(|node| (node.start_byte(), Reverse(node.end_byte())));
    sorted
}

/// The regions of a source, each with the innermost definition around it.
pub struct Regions {
    starts: Vec<usize>,
    owners: Vec<Owner>,
    /// For each definition, the one directly around it.
    pub containers: Vec<Owner>,
    shared_starts: Vec<usize>,
    /// The end of what several names share, and the names.
    shared: Vec<(usize, Vec<usize>)>,
}

impl Regions {
    pub fn new(declared: &[Declared]) -> Self {
        let mut regions = Self {
            starts: vec![0],
            owners: vec![None],
            containers: Vec::with_capacity(declared.len()),
            shared_starts: Vec::new(),
            shared: Vec::new(),
        };
        // The end and index of each definition around the current one.
        let mut open: Vec<(usize, usize)> = Vec::new();
        for (index, symbol) in declared.iter().enumerate() {
            let start = symbol.start();
            regions.close(&mut open, start);
            regions.containers.push(open.last().map(|&(_, outer)| outer));
            regions.start_region(start, Some(index));
            open.push((symbol.node.end_byte(), index));
        }
        regions.close(&mut open, usize::MAX);
        regions.collect_shared(declared);
        regions
    }

    fn collect_shared(&mut self, declared: &[Declared]) {
        let mut entries: HashMap<usize, usize> = HashMap::new();
        for (index, symbol) in declared.iter().enumerate() {
            let Some(declaration) = symbol.declaration else {
                continue;
            };
            let entry = *entries.entry(declaration.id()).or_insert_with(|| {
                self.shared_starts.push(symbol.outer.start_byte());
                self.shared.push((symbol.start(), Vec::new()));
                self.shared.len() - 1
            });
            self.shared[entry].1.push(index);
        }
    }

    /// Ends the definitions that end at or before an offset.
    fn close(&mut self, open: &mut Vec<(usize, usize)>, until: usize) {
        while let Some((end, _)) = open.pop_if(|(end, _)| *end <= until) {
            self.start_region(end, open.last().map(|&(_, index)| index));
        }
    }

    fn start_region(&mut self, start: usize, owner: Owner) {
        let last = self.starts.len() - 1;
        if start <= self.starts[last] {
            self.owners[last] = owner;
        } else {
            self.starts.push(start);
            self.owners.push(owner);
        }
    }

    /// Returns the innermost definition around a byte.
    pub fn owner(&self, byte: usize) -> Owner {
        self.owners[self.starts.partition_point(|&start| start <= byte) - 1]
    }

    /// Gives ranges of bytes, each inside one region, to other definitions; skips those with several.
    pub fn reassign(&mut self, spans: impl IntoIterator<Item = (usize, usize, Owner)>) {
        let mut regions: BTreeMap<_, _> =
            self.starts.iter().copied().zip(self.owners.iter().copied()).collect();
        for (start, end, owner) in spans {
            let first = self.starts.partition_point(|&other| other <= start);
            if first == self.starts.partition_point(|&other| other < end) {
                regions.insert(start, owner);
                regions.entry(end).or_insert(self.owners[first - 1]);
            }
        }
        (self.starts, self.owners) = regions.into_iter().unzip();
    }

    /// Returns the definitions that a modifier belongs to: in `private int a, b;` to both.
    pub fn owners_of_modifier(&self, byte: usize) -> Vec<usize> {
        let count = self.shared_starts.partition_point(|&start| start <= byte);
        match self.shared[..count].last() {
            Some((end, indexes)) if byte < *end => indexes.clone(),
            _ => self.owner(byte).into_iter().collect(),
        }
    }

    /// Splits a text at the boundaries of regions; returns each part with its definition.
    pub fn split<'a>(&self, text: &'a str) -> Vec<(Owner, &'a str)> {
        let ends = self.starts[1..].iter().copied().chain([text.len()]);
        let regions = self.owners.iter().zip(&self.starts).zip(ends);
        regions
            .map(|((&owner, &start), end)| (owner, start, end.min(text.len())))
            .filter(|(_, start, end)| start < end)
            .map(|(owner, start, end)| (owner, &text[start..end]))
            .collect()
    }
}

/// Non-overlapping ranges of the source.
pub struct Spans {
    spans: Vec<(usize, usize)>,
}

impl Spans {
    pub fn new<'t>(nodes: impl IntoIterator<Item = Node<'t>>) -> Self {
        let mut spans: Vec<_> = nodes.into_iter().map(|node| (node.start_byte(), node.end_byte())).collect();
        spans.sort_unstable();
        Self { spans }
    }

    /// Returns whether a byte is inside one of the ranges.
    pub fn contains(&self, byte: usize) -> bool {
        let count = self.spans.partition_point(|&(start, _)| start <= byte);
        self.spans[..count].last().is_some_and(|&(_, end)| byte < end)
    }
}
