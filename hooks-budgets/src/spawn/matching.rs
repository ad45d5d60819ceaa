//! Finds the entry of the registry that an event refers to.
//!
//! Clients differ in what they report: some name the child, some the call that starts it, some only the
//! agent.

use super::child::{ChildState, Known};
use super::child_request::{ChildRequest, RequestedBy};
use super::names::folded;

/// Properties by which an event identifies a child.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sought<'a> {
    pub(super) session: &'a str,
    pub(super) child: Option<&'a str>,
    pub(super) call: Option<&'a str>,
    pub(super) agent: &'a str,
}

/// Matching entries.
#[derive(Debug)]
pub(super) enum EntryMatch<'a> {
    /// Exactly this entry.
    Certain(&'a Known),
    /// The first of these entries that no other event has taken: the oldest entries of that agent that have
    /// no other identification.
    OneOf(Vec<&'a Known>),
}

/// Returns the child that an event refers to, among those that have not ended.
pub(super) fn find<'a>(known: &'a [Known], sought: &Sought<'_>) -> EntryMatch<'a> {
    let open = || known.iter().filter(|known| !known.has_ended());
    if let Some(child) = sought.child {
        let is_it = |known: &&Known| known.entry.child.as_deref() == Some(child);
        if let Some(known) = open().find(is_it) {
            return EntryMatch::Certain(known);
        }
        // The child ended before: another report of its end refers to no other child.
        if known.iter().any(|known| is_it(&known)) {
            return EntryMatch::OneOf(Vec::new());
        }
    }
    if let Some(call) = sought.call {
        let by_call = open().filter(|known| known.entry.call.as_deref() == Some(call));
        let mut free = by_call.filter(|known| known.entry.child.is_none() || sought.child.is_none());
        if let Some(known) = free.next() {
            return match sought.child {
                None => EntryMatch::Certain(known),
                // One call may start several children: each takes an entry that no other has taken.
                Some(_) => EntryMatch::OneOf(std::iter::once(known).chain(free).collect()),
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
    EntryMatch::OneOf(open().filter(may_be).collect())
}

/// Returns entries that a requested child may have already, because it or its call was asked about before.
pub(super) fn asked_before<'a>(known: &'a [Known], request: &ChildRequest, session: &str) -> EntryMatch<'a> {
    let (child, call) = (request.child.as_deref(), request.call.as_deref());
    if request.by == RequestedBy::Tool {
        let mut same = known.iter().filter(|known| !known.has_ended());
        let same = call.and_then(|call| same.find(|known| known.entry.call.as_deref() == Some(call)));
        return same.map_or_else(|| EntryMatch::OneOf(Vec::new()), EntryMatch::Certain);
    }
    match find(known, &Sought { session, child, call, agent: &request.agent }) {
        // The call that started this child may have started another child too.
        EntryMatch::Certain(found) if child.is_none() || found.entry.child.as_deref() != child => {
            EntryMatch::OneOf(vec![found])
        }
        // Only entries that wait for their child: one that runs is another child.
        EntryMatch::OneOf(mut some) => {
            some.retain(|known| known.entry.state == ChildState::Waiting && known.entry.call.is_some());
            some.retain(|known| known.lives());
            EntryMatch::OneOf(some)
        }
        // A child that was presumed lost starts anew.
        EntryMatch::Certain(found) if !found.lives() => EntryMatch::OneOf(Vec::new()),
        certain @ EntryMatch::Certain(_) => certain,
    }
}
