//! Reads source files for Holdfast: a compiled equivalent of the Python package `holdfast.syntax`.
//!
//! Each module is named after the Python module whose results it reproduces.

mod calls;
mod cognitive;
mod complexity;
mod components;
mod control_flow;
mod definitions;
mod grammar;
mod graph;
mod halstead;
mod lexer;
mod literals;
mod names;
mod node;
mod nodes;
mod parameters;
mod reader;
mod record;
mod recursion;
mod regions;
mod symbols;
mod tables;
mod text;
mod tree;
mod unicode;
mod unused;
mod uses;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::tables::Tables;
use crate::tree::Failure;

/// Why a file could not be read.
#[pyclass(frozen, get_all, module = "holdfast._core")]
struct ReadFailure {
    /// Whether it is too long, or takes too long to read.
    too_long: bool,
    message: String,
}

impl From<Failure> for ReadFailure {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::TooLong(message) => Self { too_long: true, message },
            Failure::Failed(message) => Self { too_long: false, message },
        }
    }
}

/// What is read of a file: some byte strings, or why there are none.
#[derive(IntoPyObject)]
enum Reading<'py> {
    Parts(Vec<Bound<'py, PyBytes>>),
    Failure(ReadFailure),
}

/// Reads the records of files, given by path, language and text in UTF-8, as their packed sections.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
fn read_records<'py>(
    py: Python<'py>,
    tables: &Tables,
    files: Vec<(String, String, PyBackedBytes)>,
    with_names: bool,
    threads: usize,
) -> PyResult<Vec<Reading<'py>>> {
    read_all(py, &files, threads, |(path, language, source)| {
        let language = tables.language(language)?;
        // Python makes a state for each thread that attaches and has none; otherwise each call of a table would need one.
        Python::attach(|py| py.detach(|| reader::read(path, language, source, with_names)))
    })
}

/// Reads the tokens of files, given by path, language and text: their numbers, and the numbers of their line ends.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
fn read_tokens<'py>(
    py: Python<'py>,
    tables: &Tables,
    files: Vec<(String, String, PyBackedBytes)>,
    threads: usize,
) -> PyResult<Vec<Reading<'py>>> {
    read_all(py, &files, threads, |(_, language, source)| lexer::tokenize(tables.language(language)?, source))
}

/// Reads files in several threads, without keeping other Python threads waiting.
fn read_all<'py, F: Sync>(
    py: Python<'py>,
    files: &[F],
    threads: usize,
    read: impl Fn(&F) -> Result<Vec<Vec<u8>>, Failure> + Sync,
) -> PyResult<Vec<Reading<'py>>> {
    let read = |file| {
        // A panic is a failure of one file, and must not reach Python.
        catch_unwind(AssertUnwindSafe(|| read(file))).unwrap_or_else(|_| Err(Failure::Failed(message())))
    };
    let pool = pool(threads)?;
    let results: Vec<_> = py.detach(|| pool.install(|| files.par_iter().map(read).collect()));
    Ok(results
        .into_iter()
        .map(|result| match result {
            Ok(parts) => Reading::Parts(parts.iter().map(|part| PyBytes::new(py, part)).collect()),
            Err(failure) => Reading::Failure(failure.into()),
        })
        .collect())
}

/// Returns the threads that all calls with this number of them share.
fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    static POOLS: Mutex<BTreeMap<usize, Arc<ThreadPool>>> = Mutex::new(BTreeMap::new());
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = pools.get(&threads) {
        return Ok(Arc::clone(pool));
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = Arc::new(pool.map_err(|error| PyRuntimeError::new_err(error.to_string()))?);
    pools.insert(threads, Arc::clone(&pool));
    Ok(pool)
}

thread_local! {
    /// Where this thread panicked last.
    static PANICKED_AT: Cell<Option<String>> = const { Cell::new(None) };
}

/// Returns where a panic was, and not its message, which may quote the source.
fn message() -> String {
    format!("The reader failed at {}", PANICKED_AT.take().as_deref().unwrap_or("an unknown place"))
}

#[pymodule]
mod _core {
    #[pymodule_export]
    use super::ReadFailure;
    #[pymodule_export]
    use super::graph::Graph;
    #[pymodule_export]
    use super::node::Node;
    #[pymodule_export]
    use super::read_records;
    #[pymodule_export]
    use super::read_tokens;
    #[pymodule_export]
    use super::tables::Tables;

    /// Keeps panics, which are returned as failures, from being printed as well.
    #[pymodule_init]
    #[expect(clippy::unnecessary_wraps, reason = "the attribute requires a result")]
    fn init(_module: &super::Bound<'_, super::PyModule>) -> super::PyResult<()> {
        std::panic::set_hook(Box::new(|panic| {
            super::PANICKED_AT.set(panic.location().map(ToString::to_string));
        }));
        Ok(())
    }
}
