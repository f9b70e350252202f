//! `holdfast.syntax.halstead`.
