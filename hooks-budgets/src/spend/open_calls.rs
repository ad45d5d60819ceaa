//! Calls that start with one event and end with another, perhaps in another process: stored together with
//! their reservations.

use std::sync::Arc;

use hooks_core::HookContext;
use hooks_core::state::{Member, Op, OpId, StateStore, StepResult, StoreError};
use serde::{Deserialize, Serialize};

use super::advice::bad;
use super::budget::CallSize;
use super::hold::{Charge, Part, SpendHold};
use super::limit::{FOLDER, SpendUnit, counters, meter, open_calls, scopes};
use super::price::ModelPrice;
use super::rules::Rules;
use crate::place::fresh_id;

/// Open call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenCall {
    /// Id of its reservation.
    #[serde(with = "as_text")]
    pub(super) id: u128,
    /// Id that the client gave the call.
    pub(super) call: Option<String>,
    pub(super) agent: String,
    pub(super) model: String,
    pub(super) iteration: u64,
    pub(super) input_tokens: u64,
    /// Reserved amounts, by unit.
    held: Vec<(SpendUnit, u64)>,
}

/// Properties by which an event identifies its call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sought<'a> {
    pub(super) call: Option<&'a str>,
    pub(super) agent: &'a str,
    pub(super) model: Option<&'a str>,
    pub(super) iteration: Option<u64>,
}

impl OpenCall {
    /// Creates the entry of a call for which `held` will be reserved.
    pub(super) fn new(id: OpId, size: &CallSize, iteration: u64, held: Vec<(SpendUnit, u64)>) -> Self {
        Self {
            id: id.0,
            call: size.context.call_id.clone(),
            agent: size.context.agent_name.clone(),
            model: size.model.clone(),
            iteration,
            input_tokens: size.input_tokens,
            held,
        }
    }

    /// Stores the entry for `hold` before anything is reserved: from then on this hold gives the reservation
    /// back. If an entry exists, it belongs to an earlier report of the same call, and dropping `hold` ends
    /// nothing.
    pub(super) async fn write(&self, context: &HookContext, hold: &mut SpendHold) -> Result<(), StoreError> {
        let set = open_calls(context);
        // Unique for this event: another report of the same call has another id.
        let id = fresh_id(FOLDER, context);
        let note: Arc<str> = serde_json::to_string(self).unwrap_or_default().into();
        let name = self.id.to_string().into();
        hold.entry = Some((set.clone(), id));
        let ttl = Some(hold.expires);
        match hold.store.apply(Op::Insert { id, set, name, note, ttl }).await? {
            StepResult::Done => Ok(()),
            StepResult::Present(_) => {
                hold.open = false;
                Ok(())
            }
            other => Err(bad(&other)),
        }
    }

    /// Returns the call that an event refers to, and its entry.
    pub(super) async fn find(
        store: &dyn StateStore,
        context: &HookContext,
        sought: Sought<'_>,
    ) -> Result<Option<(Member, Self)>, StoreError> {
        let set = open_calls(context);
        let members = match store.apply(Op::Members { set }).await? {
            StepResult::Members { members, .. } => members,
            other => return Err(bad(&other)),
        };
        let mut calls = members.iter().filter_map(|member| {
            let call: Self = serde_json::from_str(&member.note).ok()?;
            call.is(sought).then(|| (member.clone(), call))
        });
        Ok(calls.next())
    }

    fn is(&self, sought: Sought<'_>) -> bool {
        match (&self.call, sought.call) {
            (Some(mine), Some(call)) => mine == call,
            (Some(_), None) => false,
            // Calls without ids are matched to their ends in the order in which they started.
            (None, _) => {
                self.agent == sought.agent
                    && sought.iteration.is_none_or(|iteration| iteration == self.iteration)
                    && sought.model.is_none_or(|model| model == self.model)
            }
        }
    }

    /// Converts the entry to a reservation that can be ended.
    pub(super) fn into_hold(
        self,
        entry: OpId,
        price: ModelPrice,
        rules: &Rules,
        store: Arc<dyn StateStore>,
        (context, root): (&HookContext, &str),
    ) -> SpendHold {
        let who = rules.who(context, root, Some(&self.model));
        let parts = self.held.iter().map(|(unit, held)| {
            let counters = counters(&rules.limits, *unit, &who);
            let scopes = scopes(&counters, meter(context, &self.model, *unit));
            Part { id: part_id(OpId(self.id), *unit), unit: *unit, counters, scopes, held: *held }
        });
        SpendHold {
            store,
            background: context.environment.background.clone(),
            parts: parts.collect(),
            price,
            input_tokens: self.input_tokens,
            output_tokens: 0,
            most_output_tokens: None,
            expires: rules.hold.expires,
            unanswered: rules.hold.unanswered,
            entry: Some((open_calls(context), entry)),
            charge: Charge::Held,
            open: true,
        }
    }
}

/// Returns the id of a call's reservation in one unit.
pub(super) fn part_id(call: OpId, unit: SpendUnit) -> OpId {
    OpId::from_parts(&[&call.0.to_string(), unit.name()])
}

/// Encodes ids as text, because JSON numbers are too small for them.
mod as_text {
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(id: &u128, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(id)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
