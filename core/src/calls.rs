//! `holdfast.syntax.calls`.
