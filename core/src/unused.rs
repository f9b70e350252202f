//! `holdfast.syntax.unused`.
