//! What can be said to a client at an event.

use hooks_core::EventKind;

use crate::client::Client;
use crate::degraded::{Instead, Wish};
use crate::table::{Phrase, Row};

/// Whether a wish can be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ability {
    /// As it is meant.
    Yes,
    /// In some other way.
    Nearly(Instead),
    /// Only about some calls; about others it is said in some other way.
    Sometimes,
    /// Not at all.
    No,
}

/// What can be said to a client at one of its events.
#[derive(Clone, Copy)]
pub struct Capabilities {
    row: &'static Row,
}

impl std::fmt::Debug for Capabilities {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Capabilities").field("event_name", &self.row.name).finish_non_exhaustive()
    }
}

impl Capabilities {
    /// The event, in the client's words.
    pub fn event_name(&self) -> &'static str {
        self.row.name
    }

    /// The event, in ours; `None` for one that is only passed on.
    pub fn event(&self) -> Option<EventKind> {
        self.row.kind
    }

    /// Whether a wish can be said.
    pub fn can(&self, wish: Wish) -> Ability {
        let phrases = &self.row.phrases;
        let phrase = match wish {
            Wish::Deny => phrases.deny,
            Wish::Ask => phrases.ask,
            Wish::Allow => phrases.allow,
            Wish::Rewrite => phrases.rewrite,
            Wish::Context => phrases.context,
            Wish::Message => phrases.message,
            Wish::Stop => phrases.stop,
            Wish::Quiet => phrases.quiet,
            Wish::Summary => phrases.summary,
            Wish::Model => phrases.model,
            Wish::Retry => phrases.retry,
            Wish::FirstPrompt => Phrase::Cannot,
        };
        match phrase {
            Phrase::Cannot => Ability::No,
            Phrase::Near(_, instead) => Ability::Nearly(instead),
            _ if self.row.limits(wish) => Ability::Sometimes,
            Phrase::Silence | Phrase::Words(_) | Phrase::Exit => Ability::Yes,
        }
    }
}

/// What can be said to `client` at the event that it calls `event`; `None` where it is not known to have it.
pub fn capabilities(client: Client, event: &str) -> Option<Capabilities> {
    client.protocol().row(event).map(|row| Capabilities { row })
}
