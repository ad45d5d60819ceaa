//! A turn: one model call and its tools.

use serde::{Deserialize, Serialize};

/// A turn begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TurnStart {
    /// Its number in the session, from 1.
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
    /// Its number in the session, from 1.
    pub iteration: u64,
    /// Why it ended.
    #[serde(default)]
    pub reason: TurnEndReason,
}

impl TurnEnd {
    /// Turn number `iteration` ended like this.
    pub fn new(iteration: u64, reason: TurnEndReason) -> Self {
        Self { iteration, reason }
    }
}

/// Why a turn ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TurnEndReason {
    /// The model was done.
    #[default]
    Normal,
    /// Another turn follows.
    Continue,
    /// The user said something meanwhile.
    Steered,
    /// Something failed.
    Error,
    /// It was cancelled or dropped.
    Canceled,
    /// A hook stopped it.
    HookBlocked,
    /// It went round in a loop.
    LoopDetected,
}
