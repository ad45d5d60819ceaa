//! Which entry of the registry an event is about.
//!
//! Not every client says it: some name the child, some the call that starts it, some only the agent.

use super::asked::{Asked, AskedBy};
use super::child::{ChildState, Known};
use super::names::folded;

/// What an event says about which child it means.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sought<'a> {
    pub(super) session: &'a str,
    pub(super) child: Option<&'a str>,
    pub(super) call: Option<&'a str>,
    pub(super) agent: &'a str,
}

/// The entry, and how well it is known to be the one.
#[derive(Debug)]
pub(super) enum Found<'a> {
    /// This one.
    Certain(&'a Known),
    /// The first of these that nobody else took: the oldest of that agent about which nobody said more.
    OneOf(Vec<&'a Known>),
}

/// The child that is meant, among those that did not end.
pub(super) fn find<'a>(known: &'a [Known], sought: &Sought<'_>) -> Found<'a> {
    let open = || known.iter().filter(|known| !known.has_ended());
    if let Some(child) = sought.child {
        let is_it = |known: &&Known| known.entry.child.as_deref() == Some(child);
        if let Some(known) = open().find(is_it) {
            return Found::Certain(known);
        }
        // It ended before: whoever says so again means no other.
        if known.iter().any(|known| is_it(&known)) {
            return Found::OneOf(Vec::new());
        }
    }
    if let Some(call) = sought.call {
        let by_call = open().filter(|known| known.entry.call.as_deref() == Some(call));
        let mut free = by_call.filter(|known| known.entry.child.is_none() || sought.child.is_none());
        if let Some(known) = free.next() {
            return match sought.child {
                None => Found::Certain(known),
                // Several children may come of one call: each takes an entry that no other has.
                Some(_) => Found::OneOf(std::iter::once(known).chain(free).collect()),
            };
        }
    }
    let agent = folded(sought.agent);
    let may_be = |known: &&Known| {
        let (entry, theirs) = (&known.entry, folded(&known.entry.agent));
        entry.session == sought.session
            && entry.child.is_none()
            && (theirs == agent || theirs.is_empty() || agent.is_empty())
    };
    Found::OneOf(open().filter(may_be).collect())
}

/// The entries that a child which is asked for may have already: it was asked for before, or its call was.
pub(super) fn asked_before<'a>(known: &'a [Known], asked: &Asked, session: &str) -> Found<'a> {
    let (child, call) = (asked.child.as_deref(), asked.call.as_deref());
    if asked.by == AskedBy::Tool {
        let mut same = known.iter().filter(|known| !known.has_ended());
        let same = call.and_then(|call| same.find(|known| known.entry.call.as_deref() == Some(call)));
        return same.map_or_else(|| Found::OneOf(Vec::new()), Found::Certain);
    }
    match find(known, &Sought { session, child, call, agent: &asked.agent }) {
        // The call that this child comes of: another child may come of it too.
        Found::Certain(found) if child.is_none() || found.entry.child.as_deref() != child => {
            Found::OneOf(vec![found])
        }
        // Only what waits for its child: one that runs is another.
        Found::OneOf(mut some) => {
            some.retain(|known| known.entry.state == ChildState::Waiting && known.entry.call.is_some());
            some.retain(|known| known.lives());
            Found::OneOf(some)
        }
        // One that was taken for lost begins anew.
        Found::Certain(found) if !found.lives() => Found::OneOf(Vec::new()),
        certain @ Found::Certain(_) => certain,
    }
}
