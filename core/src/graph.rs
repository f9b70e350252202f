//! `holdfast.syntax.graph`.
