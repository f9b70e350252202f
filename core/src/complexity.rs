//! `holdfast.syntax.complexity`.
