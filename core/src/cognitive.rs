//! `holdfast.syntax.cognitive`.
