//! A budget as it was compiled.

use std::collections::HashMap;
use std::time::Duration;

use super::config::UnansweredCharge;
use super::limit::SpendLimit;
use super::price::PriceTable;

/// Limits, prices, and what is done when.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) limits: Vec<SpendLimit>,
    pub(super) prices: PriceTable,
    /// The roles of an agent, by its name in lower case.
    pub(super) roles: HashMap<String, Vec<String>>,
    /// Which model is used in place of which.
    pub(super) cheaper: HashMap<String, String>,
    pub(super) thresholds: Thresholds,
    pub(super) hold: HoldRules,
}

/// In percent of a limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thresholds {
    pub(super) warn: u64,
    pub(super) cheaper: u64,
    pub(super) ask: u64,
    pub(super) pause_spawns: u64,
}

/// What is held for a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct HoldRules {
    /// Tokens of an answer.
    pub(super) step: u64,
    /// The most that an answer takes of which nobody says it.
    pub(super) most: Option<u64>,
    pub(super) worst_case: bool,
    pub(super) expires: Duration,
    pub(super) unanswered: UnansweredCharge,
}
