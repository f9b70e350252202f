//! Reads the names that each definition uses, and calls, from the blanked text: `holdfast.syntax.uses`.
//!
//! Operators become spaces. A token is a chain of names such as `os.path.join`, together with the parenthesis or equals
//! sign directly after it. Only the first name of a chain is unqualified.

use std::borrow::Cow;
use std::collections::HashMap;

use memchr::memmem;

use crate::names::{CallSite, Local, NameReader};
use crate::record::{Cell, Section};
use crate::regions::Owner;
use crate::tables::Naming;
use crate::text::{is_space, is_word, skip};
use crate::unicode::is_digit;

const REPLACEMENTS: [(&[u8], &[u8]); 4] = [(b"...", b"   "), (b"..", b"  "), (b"==", b"  "), (b" (", b"( ")];

/// Replaces every occurrence of some bytes with as many others.
pub fn replace(text: &mut [u8], old: &[u8], new: &[u8]) {
    let finder = memmem::Finder::new(old);
    let mut at = 0;
    while let Some(offset) = finder.find(&text[at..]) {
        let end = at + offset + old.len();
        text[at + offset..end].copy_from_slice(new);
        at = end;
    }
}

/// Separates the tokens of a blanked text, except for what `Kind` says of single bytes; offsets stay the same.
pub fn separate_tokens(naming: &Naming, text: &mut [u8]) {
    for (old, new) in naming.replacements.iter().map(|(old, new)| (&old[..], &new[..])).chain(REPLACEMENTS) {
        replace(text, old, new);
    }
    if naming.calls_in_text {
        blank_annotated_defaults(text);
    }
    if memmem::find(text, b".\n").is_some() {
        join_broken_chains(text);
    }
}

/// Blanks the equals sign of each annotated parameter with a default, `: int =`, which is not a keyword argument.
fn blank_annotated_defaults(text: &mut [u8]) {
    let mut from = 0;
    while let Some(offset) = memchr::memchr(b':', &text[from..]) {
        from += offset + 1;
        let start = skip(text, from, is_space);
        let end = skip(text, start, |byte| is_word(byte) || byte == b'.');
        if end > start && text.get(end) == Some(&b'=') {
            text[end] = b' ';
        }
    }
}

/// Moves each dot at the end of a line to the name that follows.
fn join_broken_chains(text: &mut [u8]) {
    let mut from = 0;
    while let Some(offset) = memchr::memchr(b'.', &text[from..]) {
        let dot = from + offset;
        from = dot + 1;
        let end = skip(text, from, is_space);
        if end > from && text.get(end).copied().is_some_and(is_word) {
            text[dot..end].rotate_left(1);
            from = end;
        }
    }
}

/// What a byte of the text is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Space,
    Name,
    /// The last byte of a token.
    End,
    Closing,
    Line,
}

fn kinds(naming: &Naming) -> [Kind; 256] {
    let mut kinds = [Kind::Space; 256];
    for byte in 0..=255 {
        if byte >= 0x80 || is_word(byte) || byte == b'.' || naming.name_characters.contains(&byte) {
            kinds[usize::from(byte)] = Kind::Name;
        }
    }
    kinds[usize::from(b'(')] = Kind::End;
    kinds[usize::from(b'=')] = Kind::End;
    if naming.calls_in_text {
        kinds[usize::from(b')')] = Kind::Closing;
        kinds[usize::from(b'\n')] = Kind::Line;
    }
    kinds
}

/// The names that the definitions of a file use.
pub struct Uses<'a> {
    /// Each name once, sorted.
    pub words: Vec<&'a str>,
    /// The definitions with text of their own.
    pub owners: Vec<Owner>,
    /// The definitions and the indexes of the unqualified names in them, sorted.
    pub names: Vec<(Owner, u32)>,
    /// The same for names after a dot.
    pub members: Vec<(Owner, u32)>,
    /// The parameters and local variables of each function, sorted.
    bound: Vec<Local<'a>>,
}

/// The names used in one definition: `record.Uses`.
pub struct UsesRow<'u> {
    definition: Owner,
    names: Vec<&'u str>,
    attributes: Vec<&'u str>,
    bound: Vec<&'u str>,
}

impl<'u> Cell<'u> for UsesRow<'u> {
    fn put(self, section: &mut Section<'u>) {
        self.definition.put(section);
        section.list(self.names);
        section.list(self.attributes);
        section.list(self.bound);
    }
}

impl Uses<'_> {
    /// Returns the names that each definition uses, without definitions that use none.
    pub fn rows(&self) -> impl Iterator<Item = UsesRow<'_>> {
        let rows = self.owners.iter().map(|&definition| UsesRow {
            definition,
            names: self.words_of(&self.names, definition),
            attributes: self.words_of(&self.members, definition),
            bound: part(&self.bound, |&(function, _)| Some(function), definition)
                .iter()
                .map(|local| local.1)
                .collect(),
        });
        rows.filter(|row| !(row.names.is_empty() && row.attributes.is_empty() && row.bound.is_empty()))
    }

    fn words_of(&self, found: &[(Owner, u32)], owner: Owner) -> Vec<&str> {
        part(found, |&(owner, _)| owner, owner).iter().map(|&(_, word)| self.words[word as usize]).collect()
    }
}

/// Returns the rows of one definition in rows that are sorted by definition.
fn part<T>(rows: &[T], owner_of: impl Fn(&T) -> Owner, owner: Owner) -> &[T] {
    let start = rows.partition_point(|row| owner_of(row) < owner);
    let length = rows[start..].partition_point(|row| owner_of(row) == owner);
    &rows[start..start + length]
}

/// The names of a file that were found so far, in the order in which they were found.
#[derive(Default)]
struct Words<'a> {
    indexes: HashMap<&'a str, u32>,
    /// The definition in which each was last found as a name, and as a member.
    last: Vec<[Option<Owner>; 2]>,
}

impl<'a> Words<'a> {
    fn add(&mut self, word: &'a str, owner: Owner, role: usize, found: &mut Vec<(Owner, u32)>) {
        let next = u32::try_from(self.last.len()).expect("a text has fewer names than bytes");
        let index = *self.indexes.entry(word).or_insert(next);
        if index == next {
            self.last.push([None; 2]);
        }
        if self.last[index as usize][role].replace(owner) != Some(owner) {
            found.push((owner, index));
        }
    }

    /// Returns the words, sorted, and replaces each index by that in the sorted words.
    fn sorted(self, found: [&mut Vec<(Owner, u32)>; 2]) -> Vec<&'a str> {
        let mut words: Vec<_> = self.indexes.into_iter().collect();
        words.sort_unstable();
        let mut ranks = vec![0; words.len()];
        for (rank, &(_, index)) in (0..).zip(&words) {
            ranks[index as usize] = rank;
        }
        for pairs in found {
            for (_, index) in &mut *pairs {
                *index = ranks[*index as usize];
            }
            pairs.sort_unstable();
            pairs.dedup();
        }
        words.into_iter().map(|(word, _)| word).collect()
    }
}

/// A token without its parentheses, equals signs and quotes.
struct Chain<'a> {
    /// The unqualified name, if there is one.
    name: Option<&'a str>,
    /// What follows it, from the first dot on.
    rest: &'a str,
}

impl<'a> Chain<'a> {
    fn new(naming: &Naming, token: &'a str) -> Self {
        let text = token.trim_matches(['(', ')', '=', '-', '"', '\'']).trim_start_matches(['!', '?']);
        if token.ends_with(['"', '\'']) || text.starts_with('@') {
            return Self { name: None, rest: "" }; // the start of a string, or an instance variable in Ruby
        }
        let (first, rest) = text.split_at(memchr::memchr(b'.', text.as_bytes()).unwrap_or(text.len()));
        // A reserved word, a keyword argument or an assigned name is not a use.
        let is_assigned = naming.calls_in_text && rest.is_empty() && token.ends_with('=');
        let is_use = is_name(first) && !is_assigned && !naming.keywords.contains(first);
        Self { name: is_use.then_some(first), rest }
    }

    fn members(&self, naming: &Naming) -> impl Iterator<Item = &'a str> {
        let has_sigil = naming.name_characters == b"$";
        let members = self.rest.split('.').filter(|member| is_name(member));
        members.map(move |member| if has_sigil { member.trim_start_matches('$') } else { member })
    }

    fn callee(&self, naming: &Naming, token: &str) -> Option<Cow<'a, str>> {
        if self.name.is_none() && !token.starts_with('.') {
            return None;
        }
        let mut callee = Cow::Borrowed(self.name.unwrap_or_default());
        for member in self.members(naming) {
            callee = Cow::Owned(format!("{callee}.{member}"));
        }
        Some(callee)
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.starts_with(is_digit)
}

/// The calls of a text; in `a().b()`, `b` comes before `a`.
struct Calls<'a> {
    sites: Vec<CallSite<'a>>,
    line: usize,
    /// For each open parenthesis, the index of its call.
    open: Vec<Option<usize>>,
    /// The index of the call whose parenthesis was closed just before.
    closed: Option<usize>,
}

impl<'a> Calls<'a> {
    fn open(&mut self, owner: Owner, token: &str, callee: Option<Cow<'a, str>>) {
        let index = self.closed.take().filter(|_| token.starts_with('.')).unwrap_or(self.sites.len());
        self.open.push(callee.is_some().then_some(index));
        if let Some(callee) = callee {
            self.sites.insert(index, CallSite { definition: owner, callee, line: self.line });
        }
    }
}

/// Returns the names that each definition uses and, in languages with `calls_in_text`, the calls.
pub fn read_uses<'a>(reader: &NameReader<'a>, text: &'a str) -> (Uses<'a>, Vec<CallSite<'a>>) {
    let naming = reader.naming;
    let kinds = kinds(naming);
    let (mut words, mut names, mut members) = (Words::default(), Vec::new(), Vec::new());
    let mut calls = Calls { sites: Vec::new(), line: 1, open: Vec::new(), closed: None };
    let mut owners = Vec::new();
    for (owner, part) in reader.regions.split(text) {
        owners.push(owner);
        calls.open.clear();
        calls.closed = None;
        let kind_at = |at: usize| part.as_bytes().get(at).map(|&byte| kinds[usize::from(byte)]);
        let mut at = 0;
        while let Some(kind) = kind_at(at) {
            let start = at;
            at += 1;
            match kind {
                Kind::Space => {}
                Kind::Line => calls.line += 1,
                Kind::Closing => calls.closed = calls.open.pop().flatten(),
                Kind::Name | Kind::End => {
                    if kind == Kind::Name {
                        at = skip(part.as_bytes(), at, |byte| kinds[usize::from(byte)] == Kind::Name);
                        at += usize::from(kind_at(at) == Some(Kind::End));
                    }
                    let token = &part[start..at];
                    let chain = Chain::new(naming, token);
                    if let Some(name) = chain.name {
                        words.add(name, owner, 0, &mut names);
                    }
                    for member in chain.members(naming) {
                        words.add(member, owner, 1, &mut members);
                    }
                    if naming.calls_in_text && token.ends_with('(') {
                        calls.open(owner, token, chain.callee(naming, token));
                    } else {
                        calls.closed = None;
                    }
                }
            }
        }
    }
    owners.sort_unstable();
    owners.dedup();
    let words = words.sorted([&mut names, &mut members]);
    let bound = reader.bound.clone();
    (Uses { words, owners, names, members, bound }, calls.sites)
}
