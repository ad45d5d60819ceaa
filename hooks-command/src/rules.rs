//! The rules by which handlers are parsed and merged.

use std::fmt;
use std::str::FromStr;

use crate::event::{HookEvent, Lane, Powers};

/// The version of docker-agent whose rules apply. They differ mostly where the older one is unsafe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Profile {
    /// July 2026: failures open unless the handler did not start, and rewrites are not chained.
    July,
    /// Since September 2026: phases, chained rewrites, strict output, failures closed.
    #[default]
    September,
}

impl Profile {
    /// Name of the profile in files and on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::July => "2026-07",
            Self::September => "2026-09",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "2026-07" => Ok(Self::July),
            "2026-09" => Ok(Self::September),
            other => Err(format!("there is no profile `{other}`; write `2026-09` or `2026-07`")),
        }
    }
}

/// The effect of output that was almost an answer: text before the JSON, names in camelCase, a byte-order
/// mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NearMiss {
    /// A failure if the event can be blocked or the result withheld, otherwise a warning. A log line cannot
    /// hide a denial.
    #[default]
    Tell,
    /// No effect, as in docker-agent: the output is text, or has an unknown field.
    Ignore,
}

/// The effect of a failing handler that has no `on_error`, at an event that would otherwise go ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Failures {
    /// A block, or a withheld result (law 3).
    #[default]
    Block,
    /// A warning for the user, as in docker-agent.
    Tell,
}

/// The names of handlers without a `name` in messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Names {
    /// The position in the block.
    #[default]
    Place,
    /// The command, as in docker-agent.
    Command,
}

/// The rules of a set of handlers.
///
/// ```
/// use hooks_command::{HookEvent, Lane, Profile, Rules};
///
/// let event = HookEvent::named("user_prompt_submit").ok_or("no such event")?;
/// // By default, a handler that fails blocks the message; by docker-agent's own rules it does not.
/// assert!(Rules::default().powers(event, Lane::Ordinary).guards);
/// assert!(!Rules::exactly(Profile::September).powers(event, Lane::Ordinary).guards);
/// let error = "2025-01".parse::<Profile>();
/// assert_eq!(error, Err("there is no profile `2025-01`; write `2026-09` or `2026-07`".to_owned()));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The profile.
    pub profile: Profile,
    /// Effect of output that was almost an answer.
    pub near_miss: NearMiss,
    /// Effect of failures.
    pub failures: Failures,
    /// Names of handlers in messages.
    pub names: Names,
}

impl Rules {
    /// docker-agent's own rules, including their weaknesses, for hosts that need the same answers.
    pub const fn exactly(profile: Profile) -> Self {
        Self { profile, near_miss: NearMiss::Ignore, failures: Failures::Tell, names: Names::Command }
    }

    /// The rules of a profile, with reports of output that was almost an answer, and with failures of
    /// deciding handlers as blocks.
    pub const fn for_profile(profile: Profile) -> Self {
        Self { profile, near_miss: NearMiss::Tell, failures: Failures::Block, names: Names::Place }
    }

    /// The powers of an event's handlers under these rules.
    pub fn powers(&self, event: &HookEvent, lane: Lane) -> Powers {
        let powers = event.powers(self.profile, lane);
        Powers { guards: powers.guards && self.failures == Failures::Block, ..powers }
    }
}
