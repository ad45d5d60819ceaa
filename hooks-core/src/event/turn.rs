//! A turn: one model call and its tools.

use serde::{Deserialize, Serialize};

/// A turn begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TurnStart {
    /// Number of the turn in the session, from 1.
    pub iteration: u64,
}

impl TurnStart {
    /// Turn number `iteration`, from 1.
    pub fn new(iteration: u64) -> Self {
        Self { iteration }
    }
}

/// A turn ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TurnEnd {
    /// Number of the turn in the session, from 1.
    pub iteration: u64,
    /// Reason for the end.
    #[serde(default)]
    pub reason: TurnEndReason,
}

impl TurnEnd {
    /// The end of turn number `iteration`.
    pub fn new(iteration: u64, reason: TurnEndReason) -> Self {
        Self { iteration, reason }
    }
}

/// Reason for the end of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TurnEndReason {
    /// The model finished.
    #[default]
    Normal,
    /// Another turn follows.
    Continue,
    /// The user sent a message meanwhile.
    Steered,
    /// An error occurred.
    Error,
    /// The turn was cancelled or dropped.
    Canceled,
    /// A hook stopped the turn.
    HookBlocked,
    /// The agent repeated itself in a loop.
    LoopDetected,
}
