//! Compiled budget.

use std::collections::HashMap;
use std::time::Duration;

use super::config::UnansweredCharge;
use super::limit::SpendLimit;
use super::price::PriceTable;

/// Limits, prices and thresholds of a budget.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) limits: Vec<SpendLimit>,
    pub(super) prices: PriceTable,
    /// Roles of an agent, by its name in lower case.
    pub(super) roles: HashMap<String, Vec<String>>,
    /// Cheaper models, by the model that each replaces.
    pub(super) cheaper: HashMap<String, String>,
    pub(super) thresholds: Thresholds,
    pub(super) hold: HoldRules,
}

/// Thresholds in percent of a limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thresholds {
    pub(super) warn: u64,
    pub(super) cheaper: u64,
    pub(super) ask: u64,
    pub(super) pause_spawns: u64,
}

/// Sizes and duration of reservations.
#[derive(Clone, Copy, Debug)]
pub(super) struct HoldRules {
    /// Tokens of an answer.
    pub(super) step: u64,
    /// Assumed limit of an answer, if neither the request nor the model has one.
    pub(super) most: Option<u64>,
    pub(super) worst_case: bool,
    pub(super) expires: Duration,
    pub(super) unanswered: UnansweredCharge,
}
