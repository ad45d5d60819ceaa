//! Sets: members with a note, a time of entry and an expiry.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::super::key::{Key, OpId};
use super::super::operation::{Member, StepResult};
use super::due::Due;
use super::{REMEMBERED, State};
use crate::time::Timestamp;

#[derive(Clone, Debug, Default)]
pub(super) struct Sets(HashMap<Key, Set>);

#[derive(Clone, Debug, Default)]
struct Set {
    /// Members in order of entry. Sets are small: teams, children of a session, files that it wrote. A reader gets this list,
    /// which is copied if it changes meanwhile.
    members: Arc<Vec<Member>>,
    revision: u64,
    /// Time of the last change.
    touched: Timestamp,
    /// Time of the last read.
    read: Timestamp,
}

impl Sets {
    pub(super) fn members(&mut self, set: &Key, now: Timestamp) -> Arc<Vec<Member>> {
        let Some(set) = self.0.get_mut(set) else { return Arc::default() };
        set.read = now;
        if set.members.iter().any(|member| is_forgotten(member, now)) {
            let known = set.members.iter().filter(|member| !is_forgotten(member, now));
            return Arc::new(known.cloned().collect());
        }
        Arc::clone(&set.members)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn has(&self, key: &Key) -> bool {
        self.0.contains_key(key)
    }

    /// Returns the sets in which every member has expired, each with the time when it was last read or
    /// changed.
    pub(super) fn idle(&self, now: Timestamp) -> impl Iterator<Item = (Timestamp, &Key)> {
        let idle = self.0.iter().filter(move |(_, set)| set.members.iter().all(|member| member.is_over(now)));
        idle.map(|(key, set)| (set.touched.max(set.read), key))
    }

    pub(super) fn drop_all(&mut self, key: &Key) {
        self.0.remove(key);
    }

    pub(super) fn changed(&self, below: &Key, after: u64, now: Timestamp) -> Vec<Key> {
        let changed = self
            .0
            .iter()
            .filter(|(key, set)| set.revision > after && key.is_below(below) && !set.is_over(now));
        changed.map(|(key, _)| key.clone()).collect()
    }

    /// Drops members that expired a day ago, and a set that was empty for a day. Returns the time of the next
    /// check, if the set stays.
    pub(super) fn forget(&mut self, key: &Key, now: Timestamp) -> Option<Timestamp> {
        let set = self.0.get_mut(key)?;
        Arc::make_mut(&mut set.members).retain(|member| !is_forgotten(member, now));
        if set.is_over(now) {
            self.0.remove(key);
            return None;
        }
        Some(now.after(REMEMBERED))
    }
}

impl Set {
    /// Whether the set was empty for a day, so that its changes need not be reported any more.
    fn is_over(&self, now: Timestamp) -> bool {
        self.touched.after(REMEMBERED) <= now && self.members.iter().all(|member| is_forgotten(member, now))
    }
}

fn is_forgotten(member: &Member, now: Timestamp) -> bool {
    member.until.is_some_and(|until| until.after(REMEMBERED) <= now)
}

impl State {
    pub(super) fn insert(
        &mut self,
        id: OpId,
        key: &Key,
        name: &Arc<str>,
        note: &Arc<str>,
        ttl: Option<Duration>,
    ) -> StepResult {
        if self.past.has(id) {
            return StepResult::Ended { actual: 0 };
        }
        let now = self.now;
        let mut is_replaced = false;
        let mut named = None;
        for there in self.sets.0.get(key).into_iter().flat_map(|set| set.members.iter()) {
            let (has_id, has_name) = (there.id == id, there.name == *name);
            if has_id && !is_forgotten(there, now) {
                return StepResult::Done;
            }
            if has_name && !there.is_over(now) {
                named.get_or_insert(there);
            }
            is_replaced |= has_id || has_name;
        }
        if let Some(there) = named {
            return StepResult::Present(there.clone());
        }
        let until = ttl.map(|ttl| self.until(ttl));
        let member = Member { id, name: Arc::clone(name), note: Arc::clone(note), since: now, until };
        self.change_set(key, |members| {
            // An expired member of this name, and a forgotten entry with this id.
            if is_replaced {
                members.retain(|there| there.name != member.name && there.id != id);
            }
            members.push(member);
        });
        StepResult::Done
    }

    pub(super) fn update(
        &mut self,
        id: OpId,
        key: &Key,
        note: Option<&Arc<str>>,
        ttl: Option<Duration>,
    ) -> StepResult {
        if !self.has_member(key, id) {
            return StepResult::Unknown;
        }
        let until = ttl.map(|ttl| self.until(ttl));
        self.change_set(key, |members| {
            if let Some(member) = members.iter_mut().find(|member| member.id == id) {
                member.until = until;
                if let Some(note) = note {
                    member.note = Arc::clone(note);
                }
            }
        });
        StepResult::Done
    }

    pub(super) fn remove(&mut self, id: OpId, key: &Key) -> StepResult {
        let is_new = self.past.enter(id, self.now);
        if is_new && self.has_member(key, id) {
            self.change_set(key, |members| members.retain(|member| member.id != id));
        }
        StepResult::Done
    }

    fn has_member(&self, key: &Key, id: OpId) -> bool {
        let now = self.now;
        let is_it = |member: &Member| member.id == id && !is_forgotten(member, now);
        self.sets.0.get(key).is_some_and(|set| set.members.iter().any(is_it))
    }

    fn change_set(&mut self, key: &Key, change: impl FnOnce(&mut Vec<Member>)) {
        let (revision, now) = (self.next_revision(), self.now);
        if !self.sets.0.contains_key(key) {
            self.queue.add(now.after(REMEMBERED), Due::Set(key.clone()));
        }
        let set = self.sets.0.entry(key.clone()).or_default();
        (set.revision, set.touched) = (revision, now);
        change(Arc::make_mut(&mut set.members));
    }
}
