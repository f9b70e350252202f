//! `holdfast.syntax.control_flow`.
