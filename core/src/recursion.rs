//! Finds the functions of a file that are recursive, directly or through other functions of the same file:
//! `holdfast.syntax.recursion`.
//!
//! Contract: a call counts only if it must mean a function of the file: an unqualified name that is in scope and
//! not shadowed by a parameter or variable, or a member of the caller's own object or of a named type. Overloads,
//! which are functions with the same path, are ignored, because a call does not show which of them it means.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::time::{Duration, Instant};

use memchr::memmem;
use tree_sitter::Node;

use crate::components::strong_components;
use crate::halstead::Vocabulary;
use crate::nodes::child_in_fields;
use crate::parameters::parameter_list;
use crate::text::{is_space, trim_end};
use crate::tree::{Failure, Parsed};

const CALLS: [&str; 8] = [
    "call",
    "call_expression",
    "method_invocation",
    "invocation_expression",
    "command",
    "function_call_expression",
    "member_call_expression",
    "scoped_call_expression",
];
const MAX_SECONDS: u64 = 5;
/// How much of the text before a name is searched for the object: two lines of code.
const MAX_OBJECT_BYTES: usize = 200;
const SELF_NAMES: [&[u8]; 6] = [b"self", b"cls", b"this", b"$this", b"Self", b"static"];
const MEMBER_OPERATORS: [&[u8]; 3] = [b".", b"->", b"::"];

/// A function that may call others, with the distinct tokens of its own text, sorted.
pub struct Caller<'t> {
    pub node: Node<'t>,
    pub path: Vec<Rc<str>>,
    pub name: Rc<str>,
    pub is_method: bool,
    pub tokens: Vec<usize>,
}

/// Returns the dotted paths of the functions in a call cycle, which may be a single function.
pub fn recursive_functions(
    parsed: &Parsed,
    callers: Vec<Caller>,
    vocabulary: &Vocabulary,
) -> Result<HashSet<String>, Failure> {
    let mut recursion = Recursion {
        parsed,
        has_implicit_receiver: parsed.language.flow.has_implicit_receiver,
        callers: Vec::new(),
        indexes: HashMap::new(),
        local_names: HashMap::new(),
        deadline: Instant::now() + Duration::from_secs(MAX_SECONDS),
    };
    for caller in callers {
        recursion.add(caller);
    }
    let recursive = recursion.find(vocabulary)?;
    Ok(recursive.into_iter().map(|index| recursion.callers[index].path.join(".")).collect())
}

/// The call graph of a file, as far as it is needed to find recursion.
struct Recursion<'a, 't> {
    parsed: &'a Parsed<'a>,
    /// Whether methods may call each other without naming the object.
    has_implicit_receiver: bool,
    callers: Vec<Caller<'t>>,
    /// The index of each caller, by its dotted path.
    indexes: HashMap<String, usize>,
    local_names: HashMap<usize, HashSet<Vec<u8>>>,
    deadline: Instant,
}

impl<'t> Recursion<'_, 't> {
    fn add(&mut self, caller: Caller<'t>) {
        let next = self.callers.len();
        let index = *self.indexes.entry(caller.path.join(".")).or_insert(next);
        if index == next {
            self.callers.push(caller);
        } else {
            self.callers[index] = caller;
        }
    }

    fn find(&mut self, vocabulary: &Vocabulary) -> Result<HashSet<usize>, Failure> {
        let mut by_name: HashMap<usize, Vec<usize>> = HashMap::new();
        for (index, caller) in self.callers.iter().enumerate() {
            if let Some(token) = first_word(caller.name.as_bytes()).and_then(|word| vocabulary.number(word)) {
                by_name.entry(token).or_default().push(index);
            }
        }
        let mut recursive = HashSet::new();
        let mut possible_callees = Vec::with_capacity(self.callers.len());
        for (index, caller) in self.callers.iter().enumerate() {
            let mentioned = caller.tokens.iter().filter_map(|token| by_name.get(token)).flatten().copied();
            let targets =
                mentioned.filter(|&target| target != index && self.can_refer_to(caller, target, vocabulary));
            possible_callees.push(targets.collect::<Vec<_>>());
            self.check_time()?;
        }
        for index in 0..self.callers.len() {
            let caller = &self.callers[index];
            let text = &self.parsed.source[caller.node.byte_range()];
            let is_repeated = memmem::find_iter(text, caller.name.as_bytes()).nth(1).is_some();
            if is_repeated && self.calls(index, index)? {
                recursive.insert(index);
            }
        }
        // Checking a call is slow: it is only done for functions that may be in a cycle.
        let mut calls = vec![Vec::new(); self.callers.len()];
        for component in strong_components(&possible_callees) {
            let members: HashSet<_> = component.iter().copied().collect();
            for index in component {
                for &target in possible_callees[index].iter().filter(|target| members.contains(target)) {
                    if self.calls(index, target)? {
                        calls[index].push(target);
                    }
                }
            }
        }
        recursive.extend(strong_components(&calls).into_iter().flatten());
        Ok(recursive)
    }

    fn check_time(&self) -> Result<(), Failure> {
        if Instant::now() <= self.deadline {
            return Ok(());
        }
        // Of functions that are nested deeply or repeat the same few names.
        Err(Failure::TooLong(format!(
            "The calls between the functions could not be resolved within {MAX_SECONDS} s"
        )))
    }

    /// Returns whether the caller can refer to a function: it is in scope, or its type is named.
    fn can_refer_to(&self, caller: &Caller, target: usize, vocabulary: &Vocabulary) -> bool {
        let Some((_, owner)) = self.callers[target].path.split_last() else {
            return false;
        };
        let is_named = || vocabulary.number(owner[owner.len() - 1].as_bytes());
        caller.path.starts_with(owner)
            || is_named().is_some_and(|token| caller.tokens.binary_search(&token).is_ok())
    }

    /// Returns whether a function calls another one, or itself.
    fn calls(&mut self, from: usize, to: usize) -> Result<bool, Failure> {
        let (caller, target) = (&self.callers[from], &self.callers[to]);
        let owner = owner_of(&target.path);
        let is_in_scope = caller.path.starts_with(owner);
        let can_be_unqualified = is_in_scope
            && (self.has_implicit_receiver || !target.is_method)
            && (from == to || self.resolves_to(from, to)?);
        let (caller, target) = (&self.callers[from], &self.callers[to]);
        let owner = owner_of(&target.path);
        let has_same_owner = !caller.is_method || owner == owner_of(&caller.path);
        let mut objects: Vec<&[u8]> = owner.last().map(|name| name.as_bytes()).into_iter().collect();
        if from == to || (is_in_scope && has_same_owner && target.is_method) {
            objects.extend(SELF_NAMES);
            objects.extend(self.receiver_name(caller.node));
        }
        self.is_called_on(caller.node, target.name.as_bytes(), &objects, can_be_unqualified)
    }

    /// Returns whether the name is called on one of the objects, or without an object where it can be.
    fn is_called_on(
        &self,
        node: Node,
        name: &[u8],
        objects: &[&[u8]],
        can_be_unqualified: bool,
    ) -> Result<bool, Failure> {
        let source = self.parsed.source;
        let start = node.start_byte();
        for found in memmem::find_iter(&source[node.byte_range()], name) {
            self.check_time()?;
            let (position, name_end) = (start + found, start + found + name.len());
            let follows_name = position > 0 && is_name_byte(source[position - 1]);
            let precedes_name = source.get(name_end).is_some_and(|&byte| is_name_byte(byte));
            if follows_name || precedes_name {
                continue;
            }
            let preceding = trim_end(&source[start.max(position.saturating_sub(MAX_OBJECT_BYTES))..position]);
            let object = MEMBER_OPERATORS.iter().find_map(|operator| preceding.strip_suffix(*operator));
            let is_match = object.map_or(can_be_unqualified, |object| objects.contains(&last_name(object)));
            if is_match && is_called(node, position, name_end) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether the unqualified name refers to this function, and is not shadowed.
    fn resolves_to(&mut self, from: usize, to: usize) -> Result<bool, Failure> {
        let (path, target) = (self.callers[from].path.clone(), self.callers[to].path.clone());
        let name = Rc::clone(&self.callers[to].name);
        for end in target.len()..=path.len() {
            let scope = path[..end].join(".");
            let nearer = self.indexes.get(&format!("{scope}.{}", target[target.len() - 1]));
            if nearer.is_some_and(|&nearer| self.has_implicit_receiver || !self.callers[nearer].is_method) {
                return Ok(false);
            }
            let function = self.indexes.get(&scope).copied();
            if function.map(|function| self.is_local(function, name.as_bytes())).transpose()? == Some(true) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether a function has a parameter or local variable of a name.
    fn is_local(&mut self, function: usize, name: &[u8]) -> Result<bool, Failure> {
        if let Some(names) = self.local_names.get(&function) {
            return Ok(names.contains(name));
        }
        let node = self.callers[function].node;
        let mut names: HashSet<Vec<u8>> = HashSet::new();
        if let Some(parameters) = parameter_list(node) {
            let mut rest = self.parsed.text_of(parameters);
            while let Some(word) = first_word(rest) {
                names.insert(word.to_vec());
                rest = &rest[word.len()..];
            }
        }
        let assigned = self.parsed.language.pattern("recursion.assigned_name")?;
        for found in assigned.captures_iter(&self.parsed.source[node.byte_range()]) {
            names.extend(found?.get(1).map(|name| name.as_bytes().to_vec()));
        }
        let is_local = names.contains(name);
        self.local_names.insert(function, names);
        Ok(is_local)
    }

    /// Returns the name of the receiver of a Go method, if it has one.
    fn receiver_name(&self, node: Node) -> Option<&[u8]> {
        let text = self.parsed.text_of(node.child_by_field_name("receiver")?);
        words(text).nth(1)?; // a receiver without a name has only a type
        let is_edge = |byte: &u8| b"( )".contains(byte);
        let start = text.iter().position(|byte| !is_edge(byte))?;
        let end = text.iter().rposition(|byte| !is_edge(byte))?;
        words(&text[start..=end]).next()
    }
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| is_space(byte)).filter(|word| !word.is_empty())
}

fn owner_of(path: &[Rc<str>]) -> &[Rc<str>] {
    path.split_last().map_or(&[], |(_, owner)| owner)
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

fn is_word_byte(byte: u8) -> bool {
    is_name_byte(byte) || !byte.is_ascii()
}

/// Returns the longest word at the start of a text, or else its first byte.
fn first_word(text: &[u8]) -> Option<&[u8]> {
    let end = text.iter().position(|&byte| !is_word_byte(byte)).unwrap_or(text.len());
    text.get(..end.max(1))
}

/// Returns the name at the end of a text before a member operator, or an empty one if that is a member of another object.
fn last_name(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| !b" \n?".contains(byte)).map_or(0, |last| last + 1);
    let start = text[..end].iter().rposition(|&byte| !is_name_byte(byte)).map_or(0, |last| last + 1);
    let is_member = MEMBER_OPERATORS.iter().any(|operator| text[..start].ends_with(operator));
    if is_member { b"" } else { &text[start..end] }
}

/// Returns whether the name at these offsets is the called expression of a call, or ends it.
fn is_called(function: Node, start: usize, end: usize) -> bool {
    let mut node = function.descendant_for_byte_range(start, end);
    while let Some(current) = node.filter(|node| node.end_byte() == end) {
        if CALLS.contains(&current.kind()) {
            return true;
        }
        let parent = current.parent();
        if let Some(call) = parent.filter(|parent| CALLS.contains(&parent.kind())) {
            let callee = child_in_fields(call, &["name", "method"]).or_else(|| call.child(0));
            return callee.is_some_and(|callee| callee.start_byte() <= start && end <= callee.end_byte());
        }
        node = parent;
    }
    false
}
