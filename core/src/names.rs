//! `holdfast.syntax.names`.
