//! `holdfast.syntax.definitions`.
