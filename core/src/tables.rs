//! The tables of the languages, as data: `holdfast.syntax.languages`.
//!
//! The fields have the names of the Python tables, which document them. The functions in the tables that are data
//! (`languages/nodes.py`) become values here; any other function stays Python, and is called.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU16;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use memchr::memmem;
use pcre2::bytes::{Regex, RegexBuilder};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use tree_sitter::Query;

use crate::grammar;
use crate::tree::Failure;

/// Compiled expressions of Python by name.
type Patterns<'py> = HashMap<String, Bound<'py, PyAny>>;

/// The tables of all languages, extracted once.
#[pyclass(frozen, module = "holdfast._core")]
pub struct Tables {
    languages: HashMap<String, Language>,
}

#[pymethods]
impl Tables {
    /// `languages` are tables, each with its queries and expressions by name; `patterns` are expressions for all.
    #[new]
    fn new(
        languages: Vec<(Bound<'_, PyAny>, HashMap<String, String>, Patterns<'_>)>,
        patterns: Patterns<'_>,
    ) -> PyResult<Self> {
        let common = Arc::new(expressions(patterns)?);
        let languages = languages
            .into_iter()
            .map(|(table, queries, patterns)| {
                let language = Language::extract(&table, queries, expressions(patterns)?, &common)?;
                Ok((language.name.clone(), language))
            })
            .collect::<PyResult<_>>()?;
        Ok(Self { languages })
    }
}

impl Tables {
    pub fn language(&self, name: &str) -> Result<&Language, Failure> {
        self.languages.get(name).ok_or_else(|| Failure::Failed(format!("There is no language '{name}'")))
    }
}

/// One language.
pub struct Language {
    pub name: String,
    pub grammar: tree_sitter::Language,
    pub declarations: HashMap<String, Declaration>,
    pub flow: Flow,
    pub naming: Naming,
    pub comments: HashSet<String>,
    pub wrappers: HashMap<String, String>,
    pub attributes: HashSet<String>,
    pub scopes: HashSet<String>,
    pub atoms: HashSet<String>,
    pub has_exact_grammar: bool,
    pub dialects: Vec<String>,
    pub rewrites: Vec<(Expression, Vec<u8>)>,
    queries: HashMap<String, String>,
    patterns: HashMap<String, Expression>,
    common: Arc<HashMap<String, Expression>>,
    compiled: Mutex<HashMap<String, Arc<Query>>>,
}

impl Language {
    fn extract(
        table: &Bound<'_, PyAny>,
        queries: HashMap<String, String>,
        patterns: HashMap<String, Expression>,
        common: &Arc<HashMap<String, Expression>>,
    ) -> PyResult<Self> {
        let (module, function): (String, String) = field(table, "grammar")?;
        let capsule = table.py().import(module)?.getattr(function)?.call0()?;
        let grammar = grammar::load(capsule.cast::<PyCapsule>()?)?;
        let declarations: Vec<Bound<'_, PyAny>> = field(table, "declarations")?;
        let rewrites: Vec<(Vec<u8>, Vec<u8>)> = field(table, "rewrites")?;
        Ok(Self {
            name: field(table, "name")?,
            naming: Naming::extract(&table.getattr("naming")?, &grammar)?,
            grammar,
            declarations: declarations
                .iter()
                .map(|declaration| Ok((field(declaration, "node")?, Declaration::extract(declaration)?)))
                .collect::<PyResult<_>>()?,
            flow: Flow::extract(&table.getattr("flow")?)?,
            comments: field(table, "comments")?,
            wrappers: field(table, "wrappers")?,
            attributes: field(table, "attributes")?,
            scopes: field(table, "scopes")?,
            atoms: field(table, "atoms")?,
            has_exact_grammar: field(table, "has_exact_grammar")?,
            dialects: field(table, "dialects")?,
            rewrites: rewrites
                .into_iter()
                .map(|(pattern, equivalent)| Ok((Expression::of_bytes(pattern)?, equivalent)))
                .collect::<PyResult<_>>()?,
            queries,
            patterns,
            common: Arc::clone(common),
            compiled: Mutex::default(),
        })
    }

    /// Returns the query for the record of a source, with the patterns that apply to what is in it.
    pub fn record_query(&self, source: &[u8], with_names: bool) -> Result<Arc<Query>, Failure> {
        if !with_names {
            return self.query(&self.queries["metrics"]);
        }
        let conditional = self.naming.conditional_patterns.iter();
        let triggered = conditional.filter(|(trigger, _)| memmem::find(source, trigger).is_some());
        let patterns = triggered.map(|(_, patterns)| patterns).chain([&self.queries["all"]]);
        self.query(&patterns.map(String::as_str).collect::<Vec<_>>().join("\n"))
    }

    /// Compiles query patterns, each text of patterns once.
    pub fn query(&self, patterns: &str) -> Result<Arc<Query>, Failure> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(query) = compiled.get(patterns) {
            return Ok(Arc::clone(query));
        }
        let query = Query::new(&self.grammar, patterns)
            .map_err(|error| Failure::Failed(format!("The query of {} is wrong: {error}", self.name)))?;
        let query = Arc::new(query);
        compiled.insert(patterns.to_owned(), Arc::clone(&query));
        Ok(query)
    }

    /// Returns an expression of this language, or of all languages, by its name.
    pub fn pattern(&self, name: &str) -> Result<&Regex, Failure> {
        match self.patterns.get(name).or_else(|| self.common.get(name)) {
            Some(expression) => expression.regex(),
            None => Err(Failure::Failed(format!("There is no expression '{name}'"))),
        }
    }

    /// Tells whether a parse error in a file is a syntax error; an outdated grammar may be to blame.
    pub fn can_judge_syntax(&self, path: &str, has_symbols: bool) -> bool {
        self.has_exact_grammar || !(has_symbols || self.dialects.iter().any(|ending| path.ends_with(ending)))
    }
}

/// A node type that declares a symbol.
pub struct Declaration {
    pub kind: KindRule,
    pub names: NameRule,
    pub constructor: Option<String>,
    pub parts: Option<PartsRule>,
}

pub enum KindRule {
    Fixed(String),
    ByChild { field: String, kinds: HashMap<String, String>, otherwise: Option<String>, name_type: String },
    Python(Py<PyAny>),
}

pub enum NameRule {
    In(String),
    Fixed(String),
    Python(Py<PyAny>),
}

pub enum PartsRule {
    InField(String),
    Children {
        kind: String,
        within: String,
    },
    /// A function, if a child in a field has one of the types for this field.
    ByChild {
        types: HashMap<String, HashSet<String>>,
        find: Py<PyAny>,
    },
    Python(Py<PyAny>),
}

impl Declaration {
    fn extract(table: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self {
            kind: KindRule::extract(table.getattr("kind")?)?,
            names: NameRule::extract(table.getattr("names")?)?,
            constructor: field(table, "constructor")?,
            parts: field::<Option<Bound<'_, PyAny>>>(table, "parts")?.map(PartsRule::extract).transpose()?,
        })
    }
}

impl KindRule {
    fn extract(kind: Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(match type_name(&kind)?.as_str() {
            "str" => Self::Fixed(kind.extract()?),
            "KindByChild" => Self::ByChild {
                field: field(&kind, "field")?,
                kinds: field(&kind, "kinds")?,
                otherwise: field(&kind, "otherwise")?,
                name_type: field(&kind, "name_type")?,
            },
            _ => Self::Python(kind.unbind()),
        })
    }
}

impl NameRule {
    fn extract(names: Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(match type_name(&names)?.as_str() {
            "NameIn" => Self::In(field(&names, "field")?),
            "FixedName" => Self::Fixed(field(&names, "name")?),
            _ => Self::Python(names.unbind()),
        })
    }
}

impl PartsRule {
    fn extract(parts: Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(match type_name(&parts)?.as_str() {
            "Several" => Self::InField(field(&parts, "field")?),
            "SeveralChildren" => {
                Self::Children { kind: field(&parts, "kind")?, within: field(&parts, "within")? }
            }
            "PartsByChild" => Self::ByChild { types: field(&parts, "types")?, find: field(&parts, "find")? },
            _ => Self::Python(parts.unbind()),
        })
    }
}

/// How the complexity of functions is counted in a language.
#[expect(clippy::struct_excessive_bools, reason = "the fields are those of the Python table")]
pub struct Flow {
    pub operators: HashSet<String>,
    pub string_styles: Vec<String>,
    pub comment_style: String,
    pub counts_inner_functions: bool,
    pub counts_inner_branches: bool,
    pub excludes_inner_functions: bool,
    pub parentheses: String,
    pub logical: HashSet<String>,
    pub coalescing: HashSet<String>,
    pub uncounted: HashSet<String>,
    pub has_implicit_receiver: bool,
}

impl Flow {
    fn extract(table: &Bound<'_, PyAny>) -> PyResult<Self> {
        let operators: String = field(table, "operators")?;
        Ok(Self {
            operators: operators.split_whitespace().map(str::to_owned).collect(),
            string_styles: field(table, "string_styles")?,
            comment_style: field(table, "comment_style")?,
            counts_inner_functions: field(table, "counts_inner_functions")?,
            counts_inner_branches: field(table, "counts_inner_branches")?,
            excludes_inner_functions: field(table, "excludes_inner_functions")?,
            parentheses: field(table, "parentheses")?,
            logical: field(table, "logical")?,
            coalescing: field(table, "coalescing")?,
            uncounted: field(table, "uncounted")?,
            has_implicit_receiver: field(table, "has_implicit_receiver")?,
        })
    }
}

/// The naming rules of a language. A function that is the default of the Python table is None.
pub struct Naming {
    pub conditional_patterns: Vec<(Vec<u8>, String)>,
    pub name_characters: Vec<u8>,
    pub replacements: Vec<(Vec<u8>, Vec<u8>)>,
    pub member_operators: Vec<Vec<u8>>,
    /// The reserved words of the language: those of the grammar, and those in its table.
    pub keywords: HashSet<String>,
    pub interpolated_name: Option<Expression>,
    pub callee_field: Option<NonZeroU16>,
    pub read_imports: Option<Py<PyAny>>,
    pub is_exported: Option<Py<PyAny>>,
    pub read_exports: Option<Py<PyAny>>,
    pub unused: HashSet<String>,
    pub exits: HashSet<String>,
    pub reachable: HashSet<String>,
    pub entry_point: (Vec<u8>, Expression),
    pub calls_in_text: bool,
    pub counts_doc_comments: bool,
    pub has_extension_functions: bool,
    pub implicit_uses: Vec<(String, Vec<u8>)>,
    pub definition_name: Option<Py<PyAny>>,
    /// `facts.BLOCKS`, `unused.CALLS` and `unused.DYNAMIC_READERS`.
    pub blocks: HashSet<String>,
    pub calls: HashSet<String>,
    pub dynamic_readers: Vec<String>,
}

impl Naming {
    fn extract(table: &Bound<'_, PyAny>, grammar: &tree_sitter::Language) -> PyResult<Self> {
        let py = table.py();
        let mut keywords: HashSet<String> = field(table, "reserved")?;
        let reserved: HashSet<String> =
            field(py.import("holdfast.syntax.languages.naming")?.as_any(), "RESERVED")?;
        keywords.extend(reserved.into_iter().filter(|word| grammar.id_for_node_kind(word, false) != 0));
        let callee_field: String = field(table, "callee_field")?;
        let unused = py.import("holdfast.syntax.unused")?;
        let entry_point: (Vec<u8>, Vec<u8>) = field(table, "entry_point")?;
        let interpolated: Option<Vec<u8>> = field(table, "interpolated_name")?;
        let implicit_uses = table.getattr("implicit_uses")?;
        Ok(Self {
            conditional_patterns: field(table, "conditional_patterns")?,
            name_characters: field(table, "name_characters")?,
            replacements: field(table, "replacements")?,
            member_operators: field(table, "member_operators")?,
            keywords,
            interpolated_name: interpolated.map(Expression::of_bytes).transpose()?,
            callee_field: grammar.field_id_for_name(callee_field),
            read_imports: function(table, "read_imports")?,
            is_exported: function(table, "is_exported")?,
            read_exports: function(table, "read_exports")?,
            unused: field(table, "unused")?,
            exits: field(table, "exits")?,
            reachable: field(table, "reachable")?,
            entry_point: (entry_point.0, Expression::of_bytes(entry_point.1)?),
            calls_in_text: field(table, "calls_in_text")?,
            counts_doc_comments: field(table, "counts_doc_comments")?,
            has_extension_functions: field(table, "has_extension_functions")?,
            implicit_uses: implicit_uses.cast::<PyDict>()?.items().extract()?,
            definition_name: function(table, "definition_name")?,
            blocks: field(py.import("holdfast.syntax.facts")?.as_any(), "BLOCKS")?,
            calls: field(&unused, "CALLS")?,
            dynamic_readers: field::<HashSet<_>>(&unused, "DYNAMIC_READERS")?.into_iter().collect(),
        })
    }
}

/// A regular expression of the Python reader, compiled at first use.
pub struct Expression {
    pattern: String,
    flags: u32,
    is_text: bool,
    regex: OnceLock<Result<Regex, String>>,
}

// The flags of Python's `re`.
const IGNORE_CASE: u32 = 2;
const MULTI_LINE: u32 = 8;
const DOT_ALL: u32 = 16;
const VERBOSE: u32 = 64;
/// Bytes of stack that a match may use. A judgement: PCRE2's default of 32 KiB is too small for long literals.
const MAX_STACK: usize = 16 << 20;

impl Expression {
    /// Takes a compiled expression of Python.
    fn extract(compiled: &Bound<'_, PyAny>) -> PyResult<Self> {
        let pattern = compiled.getattr("pattern")?;
        let flags = field(compiled, "flags")?;
        if let Ok(text) = pattern.extract::<String>() {
            return Ok(Self { pattern: text, flags, is_text: true, regex: OnceLock::new() });
        }
        Ok(Self { flags, ..Self::of_bytes(pattern.extract()?)? })
    }

    fn of_bytes(pattern: Vec<u8>) -> PyResult<Self> {
        let pattern = String::from_utf8(pattern)
            .map_err(|_| PyValueError::new_err("An expression is not ASCII; escape its other bytes"))?;
        Ok(Self { pattern, flags: 0, is_text: false, regex: OnceLock::new() })
    }

    pub fn regex(&self) -> Result<&Regex, Failure> {
        let regex = self.regex.get_or_init(|| {
            RegexBuilder::new()
                .caseless(self.flags & IGNORE_CASE != 0)
                .multi_line(self.flags & MULTI_LINE != 0)
                .dotall(self.flags & DOT_ALL != 0)
                .extended(self.flags & VERBOSE != 0)
                .utf(self.is_text)
                .ucp(self.is_text)
                .jit_if_available(true)
                .max_jit_stack_size(Some(MAX_STACK))
                .build(&self.pattern.replace(r"\Z", r"\z")) // Python's \Z is the end, and nothing before it
                .map_err(|error| format!("The expression {} is wrong: {error}", self.pattern))
        });
        regex.as_ref().map_err(|message| Failure::Failed(message.clone()))
    }
}

fn expressions(patterns: Patterns<'_>) -> PyResult<HashMap<String, Expression>> {
    patterns.into_iter().map(|(name, compiled)| Ok((name, Expression::extract(&compiled)?))).collect()
}

/// Returns a field of a Python table.
fn field<'py, T: FromPyObjectOwned<'py>>(table: &Bound<'py, PyAny>, name: &str) -> PyResult<T> {
    table.getattr(name)?.extract().map_err(Into::into)
}

/// Returns a function of a table, unless it is the default of its field.
fn function(table: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Py<PyAny>>> {
    let value = table.getattr(name)?;
    let default = table.get_type().getattr("__dataclass_fields__")?.get_item(name)?.getattr("default")?;
    Ok(if value.is(&default) { None } else { Some(value.unbind()) })
}

fn type_name(value: &Bound<'_, PyAny>) -> PyResult<String> {
    value.get_type().name()?.extract()
}
