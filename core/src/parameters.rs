//! `holdfast.syntax.parameters`.
