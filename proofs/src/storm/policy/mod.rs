//! Policies to compare: from giving up at once, through common retry code, to the layers of
//! `hooks-resilience`.

mod chain;
mod forecast;
mod oracle;
mod ours;
mod sample;
mod tries;

use std::sync::Arc;
use std::time::Duration;

use hooks_resilience::ErrorKind;

pub(super) use self::oracle::could_answer;
use self::ours::{Ours, Parts};
use self::tries::Tries;
use super::sim::Sim;
use super::traffic::AgentCall;
use crate::error::{Error, Result};

/// Longest time for one attempt, under every policy.
pub(super) const ATTEMPT: Duration = Duration::from_secs(60);

/// A way to make model calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    /// One model, so many tries.
    Tries(Tries),
    /// The sample of the hooks-provider design.
    Sample,
    /// All models in order, each with tries of its own; nothing is remembered.
    Chain,
    /// The layers of `hooks-resilience`.
    Ours(Parts),
    /// Knows the weather, and not the luck.
    Forecast,
    /// Knows the future.
    Oracle,
}

/// A policy with its names and its role.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contender {
    /// For the command line.
    pub(super) key: &'static str,
    /// In tables.
    pub(super) name: &'static str,
    pub(super) role: Role,
    pub(super) policy: Policy,
}

/// Purpose of a contender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A common way to retry.
    Common,
    /// The layers, which have to hold the gates.
    Ours,
    /// The same, where no instance knows of another.
    Lone,
    /// The same with a part taken out: has to miss a gate.
    Mutant,
    /// The best policy that does not know the luck.
    Forecast,
    /// The best possible policy.
    Oracle,
}

impl Role {
    /// Whether it shows what a part of the layers is worth.
    pub(super) const fn is_of_parts(self) -> bool {
        matches!(self, Self::Lone | Self::Mutant)
    }
}

/// The key of the policy that ours is never worse than.
pub(super) const NAIVE: &str = "three";

/// All of them, worst first.
pub(super) const CONTENDERS: &[Contender] = &[
    Contender {
        key: "none",
        name: "one model, no retry",
        role: Role::Common,
        policy: Policy::Tries(Tries::NONE),
    },
    Contender {
        key: "three",
        name: "3 tries, fixed delay",
        role: Role::Common,
        policy: Policy::Tries(Tries::THREE),
    },
    Contender { key: "ten", name: "10 tries at once", role: Role::Common, policy: Policy::Tries(Tries::TEN) },
    Contender {
        key: "exponential",
        name: "exponential, 5 tries, no jitter",
        role: Role::Common,
        policy: Policy::Tries(Tries::FIVE),
    },
    Contender {
        key: "sample",
        name: "sample of the provider design",
        role: Role::Common,
        policy: Policy::Sample,
    },
    Contender {
        key: "classified",
        name: "classified, full jitter, Retry-After, 5 tries",
        role: Role::Common,
        policy: Policy::Tries(Tries::CLASSIFIED),
    },
    Contender {
        key: "chain",
        name: "chain, no breaker, no budget",
        role: Role::Common,
        policy: Policy::Chain,
    },
    Contender { key: "ours", name: "hooks-resilience", role: Role::Ours, policy: Policy::Ours(Parts::ALL) },
    Contender {
        key: "hedged",
        name: "hooks-resilience, hedging 3 % of calls",
        role: Role::Ours,
        policy: Policy::Ours(Parts::HEDGED),
    },
    Contender {
        key: "lone",
        name: "hooks-resilience, each instance alone",
        role: Role::Lone,
        policy: Policy::Ours(Parts::LONE),
    },
    Contender {
        key: "no-chain",
        name: "without the chain",
        role: Role::Mutant,
        policy: Policy::Ours(Parts::NO_CHAIN),
    },
    Contender {
        key: "no-parking",
        name: "without parking",
        role: Role::Mutant,
        policy: Policy::Ours(Parts::NO_PARKING),
    },
    Contender {
        key: "no-sharing",
        name: "without sharing",
        role: Role::Mutant,
        policy: Policy::Ours(Parts::LONE),
    },
    Contender {
        key: "no-pacing",
        name: "without pacing",
        role: Role::Mutant,
        policy: Policy::Ours(Parts::NO_PACING),
    },
    Contender {
        key: "no-elsewhere",
        name: "without looking elsewhere before a wait",
        role: Role::Mutant,
        policy: Policy::Ours(Parts::NO_ELSEWHERE),
    },
    Contender {
        key: "forecast",
        name: "forecast: knows the weather, not the luck",
        role: Role::Forecast,
        policy: Policy::Forecast,
    },
    Contender {
        key: "oracle",
        name: "oracle that knows the future",
        role: Role::Oracle,
        policy: Policy::Oracle,
    },
];

impl Contender {
    /// Returns the contender with the key `key`.
    ///
    /// # Errors
    /// Returns an error if the key is unknown.
    pub(super) fn find(key: &str) -> Result<&'static Self> {
        CONTENDERS.iter().find(|contender| contender.key == key).ok_or_else(|| {
            let known: Vec<&str> = CONTENDERS.iter().map(|contender| contender.key).collect();
            Error::new(format!("unknown policy `{key}`; known are {}", known.join(", ")))
        })
    }
}

/// The policy at work in one instance.
#[derive(Debug)]
pub(super) enum Mind {
    /// One that keeps nothing from call to call.
    Plain(Policy),
    /// The layers.
    Ours(Ours),
}

/// State that a policy keeps within a session.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Retries so far, and the place in the chain: for the sample.
    retries: u32,
    place: usize,
    /// By what the conversation was made shorter in the last call.
    pub(super) compacted: Option<f64>,
}

impl Policy {
    /// The policy in all instances of a fleet.
    ///
    /// # Errors
    /// Returns an error if the storm is invalid.
    pub(super) fn minds(self, sim: &Arc<Sim>) -> Result<Vec<Mind>> {
        match self {
            Self::Ours(parts) => Ok(Ours::fleet(parts, sim)?.into_iter().map(Mind::Ours).collect()),
            _ => Ok((0..sim.params.instances).map(|_| Mind::Plain(self)).collect()),
        }
    }

    /// Whether the instances know of each other.
    pub(super) fn is_shared(self) -> bool {
        match self {
            Self::Tries(_) | Self::Sample | Self::Chain => false,
            Self::Ours(parts) => parts.sharing,
            Self::Forecast | Self::Oracle => true,
        }
    }
}

impl Mind {
    /// Returns the state of a new session.
    pub(super) fn new_session(&self) -> Memory {
        Memory::default()
    }

    /// Makes a call.
    pub(super) async fn ask(
        &self,
        sim: &Sim,
        call: &AgentCall,
        memory: &mut Memory,
    ) -> std::result::Result<(), ErrorKind> {
        match self {
            Self::Plain(Policy::Tries(tries)) => tries.ask(sim, call).await,
            Self::Plain(Policy::Sample) => sample::ask(sim, call, memory).await,
            Self::Plain(Policy::Chain) => chain::ask(sim, call).await,
            Self::Plain(Policy::Forecast) => forecast::ask(sim, call).await,
            Self::Plain(Policy::Oracle | Policy::Ours(_)) => oracle::ask(sim, call).await,
            Self::Ours(ours) => ours.ask(call).await,
        }
    }
}
