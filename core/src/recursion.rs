//! `holdfast.syntax.recursion`.
