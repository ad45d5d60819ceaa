//! The wishes that a client supports at an event.

use hooks_core::EventKind;

use crate::client::Client;
use crate::degraded::{Instead, Wish};
use crate::table::{Phrase, Row};

/// Whether a client supports a wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ability {
    /// Supported as it is meant.
    Yes,
    /// Supported by another effect only.
    Nearly(Instead),
    /// Supported for some calls only; the other calls get another effect.
    Sometimes,
    /// Not supported.
    No,
}

/// The check of hooks at an event of a client that has no type here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Checked {
    /// The settings of the client, which changed on the disk: they may not switch the hooks off.
    Settings,
    /// The results of several calls, before the model reads them: none may have data that is redacted.
    Results,
}

/// The wishes that a client supports at one of its events.
///
/// A table of the events at which a client obeys a denial:
///
/// ```
/// use hooks_protocols::{Ability, Client, Wish, capabilities};
///
/// let denies = |client: Client| {
///     let events = client.events().filter_map(|event| capabilities(client, event));
///     let denied = events.filter(|here| here.can(Wish::Deny) == Ability::Yes);
///     denied.map(|here| here.event_name()).collect::<Vec<_>>()
/// };
/// assert!(denies(Client::Claude).contains(&"PreToolUse"));
/// assert!(!denies(Client::Claude).contains(&"SessionEnd"), "the session ends in any case");
/// ```
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
    /// Name of the event in the client's protocol.
    pub fn event_name(&self) -> &'static str {
        self.row.name
    }

    /// Kind of the event; `None` if the event is only passed on.
    pub fn event(&self) -> Option<EventKind> {
        self.row.kind
    }

    /// Returns the check of hooks at an event that has no type here.
    ///
    /// ```
    /// use hooks_protocols::{Checked, Client, capabilities};
    ///
    /// let changed = capabilities(Client::Claude, "ConfigChange").expect("a known event");
    /// assert_eq!((changed.event(), changed.checked()), (None, Some(Checked::Settings)));
    /// ```
    pub fn checked(&self) -> Option<Checked> {
        self.row.checked
    }

    /// Whether the client reports each call or prompt of this event in another event as well.
    pub fn is_told_elsewhere(&self) -> bool {
        self.row.is_told_elsewhere
    }

    /// Whether the client supports a wish at this event.
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

/// The wishes that `client` supports at the event that it calls `event`; `None` if the client has no such
/// event.
///
/// ```
/// use hooks_protocols::{Ability, Client, Wish, capabilities};
///
/// let claude = capabilities(Client::Claude, "PreToolUse").expect("a known event");
/// assert_eq!(claude.can(Wish::Ask), Ability::Yes);
/// // Codex CLI cannot ask here, so an ask is never a plain yes.
/// let codex = capabilities(Client::Codex, "PreToolUse").expect("a known event");
/// assert_ne!(codex.can(Wish::Ask), Ability::Yes);
/// assert!(capabilities(Client::Codex, "NoSuchEvent").is_none());
/// ```
pub fn capabilities(client: Client, event: &str) -> Option<Capabilities> {
    client.protocol().row(event).map(|row| Capabilities { row })
}
