//! Syntax of patterns.

use serde::{Deserialize, Serialize};

/// Syntax of a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PatternDialect {
    /// `*` and `?` match inside a segment, `**` matches whole segments, `{a,b}` lists alternatives.
    #[default]
    Standard,
    /// Squad's syntax: back slashes are slashes, `?` is any character, braces are literal.
    Squad,
}
