//! Counts the branches, the breaks in the flow and the nesting of each function of a file:
//! `holdfast.syntax.control_flow`, which documents the names of the captures.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::rc::Rc;

use tree_sitter::Node;

use crate::cognitive::{count_sequences, is_decorator, operator_of};
use crate::nodes::child_in_fields;
use crate::symbols::{Declared, body_node};
use crate::tables::Flow;
use crate::text::first_word;
use crate::tree::{Captures, Parsed};

const ANONYMOUS: &str = "<anonymous>";
/// Declarations that may assign an anonymous function: the first in them, or in the arguments of a call.
const ASSIGNING_NODES: [&str; 14] = [
    "assignment",
    "assignment_expression",
    "call",
    "call_expression",
    "const_spec",
    "field_definition",
    "init_declarator",
    "let_declaration",
    "pair",
    "property_declaration",
    "public_field_definition",
    "short_var_declaration",
    "var_spec",
    "variable_declarator",
];

/// What a node does to the counts, in the order of events at nodes with the same text, for which the source gives none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// First, because nothing in it counts, the node included.
    Elsewhere,
    /// Before what counts, because a block without braces has the same text as its only statement.
    Nest,
    /// A declared function, with its index in `tallies`; before `Lambda`, because the declaration may have the same text.
    Declared(usize),
    Class,
    Branch(i64),
    /// A decision of extended complexity only.
    Extra,
    /// A break in the flow.
    Flow,
    /// Adds to cognitive complexity, whatever the nesting level.
    Flat(i64),
    /// Extended complexity skips its content.
    Opaque,
    /// After all that is counted, because the node itself is not nested.
    Inside,
    /// Last, like `Unit`: what has the same text counts for the function around it.
    Lambda(usize),
    Unit(usize),
}

/// The events at the nodes of a capture. Functions and `logic` are treated apart.
const EVENTS_BY_CAPTURE: [(&str, &[Event]); 16] = [
    ("flow.if", &[Event::Branch(1), Event::Flow]),
    ("flow.loop", &[Event::Branch(1), Event::Flow]),
    ("flow.catch", &[Event::Branch(1), Event::Flow]),
    ("flow.elif", &[Event::Branch(1)]),
    ("flow.case", &[Event::Branch(1)]),
    ("flow.default", &[Event::Branch(-1)]),
    ("flow.switch", &[Event::Flow]),
    ("flow.else", &[Event::Flat(1)]),
    ("flow.jump", &[Event::Flat(1)]),
    ("flow.ternary", &[Event::Extra, Event::Flow]),
    ("flow.extra", &[Event::Extra]),
    ("flow.opaque", &[Event::Opaque]),
    ("flow.nest", &[Event::Nest]),
    ("flow.inside", &[Event::Inside]),
    ("flow.class", &[Event::Class]),
    ("flow.elsewhere", &[Event::Elsewhere]),
];

/// An effect of a node. Sorted events are in source order, and an outer node comes before an inner one.
type FlowEvent = (usize, Reverse<usize>, Event);

fn event_at(node: Node, event: Event) -> FlowEvent {
    (node.start_byte(), Reverse(node.end_byte()), event)
}

/// The running counts of one function.
pub struct FunctionTally<'t> {
    pub node: Node<'t>,
    pub kind: String,
    pub path: Vec<Rc<str>>,
    pub is_named: bool,
    /// The function, if the declaration only assigns it; code around the function does not count.
    pub function_node: Node<'t>,
    pub branches: i64,
    pub extended: i64,
    pub cognitive: i64,
    /// The deepest nesting level in it.
    pub nesting: i64,
    has_decisions: bool,
}

impl<'t> FunctionTally<'t> {
    fn new(node: Node<'t>, kind: &str, path: Vec<Rc<str>>, is_named: bool) -> Self {
        let kind = kind.to_owned();
        let (branches, extended, cognitive, nesting) = (1, 1, 0, 0);
        Self {
            node,
            kind,
            path,
            is_named,
            function_node: node,
            branches,
            extended,
            cognitive,
            nesting,
            has_decisions: false,
        }
    }

    pub fn end(&self) -> usize {
        self.function_node.end_byte()
    }
}

/// A node whose content is being counted: its end, and the state to restore there.
struct FlowScope {
    end: usize,
    levels: Vec<i64>,
    open_functions: usize,
    is_class: bool,
}

/// Counts for all functions of a file, in one pass over the captured nodes in source order.
pub struct FunctionCounter<'a, 't> {
    parsed: &'a Parsed<'a>,
    flow: &'a Flow,
    declared: &'a [Declared<'t>],
    declared_nodes: HashSet<usize>,
    found: &'a Captures<'t>,
    lambdas: Vec<Node<'t>>,
    units: Vec<Node<'t>>,
    tallies: Vec<FunctionTally<'t>>,
    /// The indexes of the functions around the current event, innermost last.
    open: Vec<usize>,
    /// The nesting level in each of the open functions.
    levels: Vec<i64>,
    scopes: Vec<FlowScope>,
    opaque_end: usize,
    elsewhere_end: usize,
}

/// Counts, and returns the functions in source order, unnamed ones only if they have branches.
pub fn count_functions<'a, 't>(
    parsed: &'a Parsed<'a>,
    declared: &'a [Declared<'t>],
    found: &'a Captures<'t>,
) -> Vec<FunctionTally<'t>> {
    FunctionCounter::new(parsed, declared, found).run()
}

impl<'a, 't> FunctionCounter<'a, 't> {
    fn new(parsed: &'a Parsed<'a>, declared: &'a [Declared<'t>], found: &'a Captures<'t>) -> Self {
        let mut lambdas = found.get("flow.lambda").to_vec();
        lambdas.sort_by_key(Node::start_byte);
        let functions = declared.iter().filter(|symbol| {
            symbol.is_function() && (is_assigning(symbol.node) || body_node(symbol.node).is_some())
        });
        let tallies: Vec<_> = functions
            .map(|symbol| {
                let mut tally = FunctionTally::new(symbol.node, &symbol.kind, symbol.path.clone(), true);
                tally.function_node = assigned_function(symbol.node, &lambdas).unwrap_or(symbol.node);
                tally
            })
            .collect();
        let functions: HashSet<_> = tallies.iter().map(|tally| tally.node.id()).collect();
        let units = found.get("flow.unit").iter().copied().filter(|node| !functions.contains(&node.id()));
        Self {
            parsed,
            flow: &parsed.language.flow,
            declared,
            declared_nodes: declared.iter().map(|symbol| symbol.node.id()).collect(),
            found,
            units: units.collect(),
            lambdas,
            tallies,
            open: Vec::new(),
            levels: Vec::new(),
            scopes: Vec::new(),
            opaque_end: 0,
            elsewhere_end: 0,
        }
    }

    fn run(mut self) -> Vec<FunctionTally<'t>> {
        for (start, Reverse(end), event) in self.events() {
            while let Some(scope) = self.scopes.pop_if(|scope| scope.end <= start) {
                self.levels = scope.levels;
                self.open.truncate(scope.open_functions);
            }
            let enters_function = matches!(event, Event::Declared(_) | Event::Lambda(_) | Event::Unit(_));
            if start >= self.elsewhere_end && (enters_function || !self.open.is_empty()) {
                self.handle(start, end, event);
            }
        }
        let is_reported =
            |tally: &FunctionTally| tally.is_named || tally.cognitive != 0 || tally.has_decisions;
        self.tallies.retain(is_reported);
        self.tallies.sort_by_key(|tally| (tally.node.start_byte(), Reverse(tally.end())));
        self.qualify_unnamed();
        self.tallies
    }

    fn handle(&mut self, start: usize, end: usize, event: Event) {
        match event {
            Event::Elsewhere => self.elsewhere_end = end,
            Event::Nest | Event::Inside => self.enter_nested(end),
            Event::Declared(index) => self.enter(index),
            Event::Class => self.push(end, vec![0; self.levels.len()], true),
            Event::Branch(amount) => self.count_branch(amount),
            Event::Extra if start < self.opaque_end => {}
            Event::Extra => self.add_decision(1),
            Event::Flow => self.for_each_level(|tally, level| tally.cognitive += 1 + level),
            Event::Flat(amount) => {
                for index in self.counted(!self.flow.excludes_inner_functions) {
                    self.tallies[index].cognitive += amount;
                }
            }
            Event::Opaque => self.opaque_end = end,
            Event::Lambda(index) => self.enter_lambda(start, end, index),
            Event::Unit(index) => self.enter_unit(self.units[index]),
        }
    }

    fn count_branch(&mut self, amount: i64) {
        for index in self.counted(self.flow.counts_inner_functions || self.flow.counts_inner_branches) {
            self.tallies[index].branches += amount;
        }
        self.add_decision(amount);
    }

    fn add_decision(&mut self, amount: i64) {
        for index in self.counted(self.flow.counts_inner_branches) {
            self.tallies[index].extended += amount;
            self.tallies[index].has_decisions = true;
        }
    }

    /// Returns the open functions for which a metric counts: all, or only the innermost.
    fn counted(&self, includes_inner_functions: bool) -> Vec<usize> {
        let first = if includes_inner_functions { 0 } else { self.open.len() - 1 };
        self.open[first..].to_vec()
    }

    /// Applies a change to the functions for which cognitive complexity counts, with the nesting level in each.
    fn for_each_level(&mut self, change: impl Fn(&mut FunctionTally, i64)) {
        let first = if self.flow.excludes_inner_functions { self.open.len() - 1 } else { 0 };
        for (&index, &level) in self.open[first..].iter().zip(&self.levels[first..]) {
            change(&mut self.tallies[index], level);
        }
    }

    fn enter_nested(&mut self, end: usize) {
        self.push(end, self.levels.iter().map(|level| level + 1).collect(), false);
        self.for_each_level(|tally, level| tally.nesting = tally.nesting.max(level));
    }

    fn push(&mut self, end: usize, levels: Vec<i64>, is_class: bool) {
        let levels = std::mem::replace(&mut self.levels, levels);
        self.scopes.push(FlowScope { end, levels, open_functions: self.open.len(), is_class });
    }

    /// Opens a function.
    ///
    /// For the functions around it, its content is one level deeper. It is not if a class is between them or,
    /// where cyclomatic complexity includes inner functions (Python), if the function directly around it is
    /// only a decorator. There each function around it also counts a declared inner one as a branch.
    fn enter(&mut self, index: usize) {
        let (node, function_node) = (self.tallies[index].node, self.tallies[index].function_node);
        let mut is_deeper = self.scopes.last().is_some_and(|scope| !scope.is_class);
        if let Some(&outer) = self.open.last().filter(|_| is_deeper && self.flow.counts_inner_functions) {
            is_deeper = !is_decorator(self.tallies[outer].node, node, self.parsed.language);
        }
        if self.flow.counts_inner_functions && function_node == node {
            for &enclosing in &self.open {
                self.tallies[enclosing].branches += 1;
            }
        }
        let levels = self.levels.iter().map(|level| level + i64::from(is_deeper)).chain([0]).collect();
        self.push(function_node.end_byte(), levels, false);
        self.open.push(index);
    }

    /// Enters an anonymous function, unless its declaration, which assigns it, has been entered already.
    fn enter_lambda(&mut self, start: usize, end: usize, index: usize) {
        let innermost = self.open.last().map(|&index| self.tallies[index].function_node.byte_range());
        if innermost == Some(start..end) {
            return;
        }
        if self.flow.excludes_inner_functions || self.open.is_empty() {
            self.enter_unnamed(self.lambdas[index], Some(ANONYMOUS.into()));
        } else {
            self.push(end, self.levels.iter().map(|level| level + 1).collect(), false);
        }
    }

    fn enter_unit(&mut self, node: Node<'t>) {
        let is_declared = self.declared_nodes.contains(&node.id());
        let name = child_in_fields(node, &["property", "name"]).unwrap_or(node);
        let text = String::from_utf8_lossy(self.parsed.text_of(name));
        let word = Some(first_word(&text)).filter(|word| !word.is_empty()).unwrap_or(ANONYMOUS);
        self.enter_unnamed(node, (!is_declared).then(|| word.into()));
    }

    /// Opens a function by a name that is put after that of the declaration around it, or by that alone.
    fn enter_unnamed(&mut self, node: Node<'t>, name: Option<Rc<str>>) {
        self.tallies.push(FunctionTally::new(node, "Function", name.into_iter().collect(), false));
        self.enter(self.tallies.len() - 1);
    }

    fn events(&self) -> Vec<FlowEvent> {
        let mut events = self.logic_events();
        let declared = self.tallies.iter().enumerate();
        events.extend(declared.map(|(index, tally)| event_at(tally.function_node, Event::Declared(index))));
        let lambdas = self.lambdas.iter().enumerate();
        events.extend(lambdas.map(|(index, node)| event_at(*node, Event::Lambda(index))));
        let units = self.units.iter().enumerate();
        events.extend(units.map(|(index, node)| event_at(*node, Event::Unit(index))));
        let chained: HashSet<_> = self.found.get("flow.elif").iter().map(Node::byte_range).collect();
        for (capture, counted) in EVENTS_BY_CAPTURE {
            // `else if` continues the chain without nesting.
            let skips_chained = matches!(capture, "flow.if" | "flow.nest" | "flow.inside");
            let nodes = self.found.get(capture).iter();
            for node in nodes.filter(|node| !(skips_chained && chained.contains(&node.byte_range()))) {
                events.extend(counted.iter().map(|event| event_at(*node, *event)));
            }
        }
        events.sort_unstable();
        events
    }

    fn logic_events(&self) -> Vec<FlowEvent> {
        let (mut logic, mut events) = (Vec::new(), Vec::new());
        for &node in self.found.get("flow.logic") {
            let operator = operator_of(node);
            let is_logical = self.flow.logical.contains(operator);
            if is_logical {
                logic.push(node);
            }
            if is_logical || self.flow.coalescing.contains(operator) {
                events.push(event_at(node, Event::Extra));
            }
        }
        let sequences = count_sequences(self.flow, &logic, self.found.get("flow.shown"));
        events.extend(sequences.into_iter().map(|(root, count)| event_at(root, Event::Flat(count))));
        events
    }

    /// Qualifies the names of unnamed functions by the innermost enclosing declaration.
    fn qualify_unnamed(&mut self) {
        let mut around: Vec<&Declared> = Vec::new();
        let mut declared = self.declared.iter().peekable();
        for tally in &mut self.tallies {
            let start = tally.node.start_byte();
            around
                .extend(std::iter::from_fn(|| declared.next_if(|symbol| symbol.node.start_byte() <= start)));
            while around.pop_if(|symbol| symbol.node.end_byte() <= start).is_some() {}
            if let Some(symbol) = around.last().filter(|_| !tally.is_named) {
                tally.path.splice(0..0, symbol.path.iter().cloned());
            }
        }
    }
}

fn is_assigning(node: Node) -> bool {
    ASSIGNING_NODES.contains(&node.kind())
}

/// Returns the anonymous function that a declaration assigns.
fn assigned_function<'t>(declaration: Node<'t>, lambdas: &[Node<'t>]) -> Option<Node<'t>> {
    let holder = is_assigning(declaration)
        .then(|| declaration.child_by_field_name("arguments").unwrap_or(declaration))?;
    let first = lambdas.partition_point(|node| node.start_byte() < holder.start_byte());
    lambdas.get(first).copied().filter(|function| function.end_byte() <= declaration.end_byte())
}
