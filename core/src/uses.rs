//! `holdfast.syntax.uses`.
