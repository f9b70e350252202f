//! `holdfast.syntax.lexer`.
