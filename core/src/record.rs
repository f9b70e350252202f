//! `holdfast.syntax.record`.
