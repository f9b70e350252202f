//! `holdfast.syntax.regions`.
