//! Operations of a store, and the answers to them.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::key::{Key, OpId};
use super::scope::{Scope, Window};
use crate::time::Timestamp;

/// An operation. Amounts are integers: places, tokens, millionths of a US dollar.
///
/// Each operation is one atomic step, and may arrive twice or late; all arrivals with one id take effect
/// once. Only [`Op::Put`] has no id: if it is repeated, it writes the same value again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Op {
    /// Reserves `amount` in all scopes or in none. An id belongs to one reservation. If it is sent again,
    /// nothing more is reserved; after the reservation has ended or expired, the answer reports that.
    Reserve {
        /// Id of this reservation.
        id: OpId,
        /// Scopes to reserve in. A scope that is listed twice is charged twice.
        scopes: Arc<[Scope]>,
        /// Amount to reserve.
        amount: u64,
        /// Time after which the holder counts as lost; [`ScopeKind`](super::ScopeKind) determines what
        /// happens to the amount.
        ttl: Duration,
    },
    /// Reserves an available amount between `least` and `most`. It is at most a share of the remaining
    /// amount, unless that is below `least`; so leases are large far from the limit, and exact near it. A
    /// lease is a reservation like any other; if it is sent again, the answer is the same.
    Lease {
        /// Id of this reservation.
        id: OpId,
        /// Scopes to reserve in.
        scopes: Arc<[Scope]>,
        /// Least amount; if it does not fit, the lease is refused.
        least: u64,
        /// Most amount.
        most: u64,
        /// Share of the remaining amount, in thousandths.
        share: u32,
        /// Time after which the holder counts as lost.
        ttl: Duration,
    },
    /// Raises the amount of a reservation to `to`, in all its scopes or in none, and sets its expiry to `ttl`
    /// from now. If the reservation had expired and its place was given back, the place is taken again if one
    /// is free.
    Extend {
        /// Id of the reservation.
        id: OpId,
        /// New amount. If it is below the present amount, nothing is changed.
        to: u64,
        /// Time from now after which the holder counts as lost.
        ttl: Duration,
    },
    /// Ends a reservation with the amount really used, also after it expired. The first end counts. A later
    /// end is answered with [`StepResult::Ended`] and the amount that the first end charged, so that a holder
    /// that used more can still charge the rest.
    Settle {
        /// Id of the reservation.
        id: OpId,
        /// Amount that was used.
        actual: u64,
    },
    /// Ends a reservation that used nothing; the same as [`Op::Settle`] with zero.
    Release {
        /// Id of the reservation.
        id: OpId,
    },
    /// Reads the amount charged to a counter in its current window.
    Used {
        /// Key of the counter.
        key: Key,
        /// Window of the counter.
        window: Window,
    },
    /// Sets the amount charged to a counter apart from open reservations: a correction by hand.
    Correct {
        /// Id of this correction.
        id: OpId,
        /// Key of the counter.
        key: Key,
        /// Window of the counter.
        window: Window,
        /// Amount that was spent.
        spent: u64,
    },
    /// Takes `cost` from a rate (the generic cell rate algorithm).
    Pace {
        /// Key of the rate.
        key: Key,
        /// Number of units to take.
        cost: u32,
        /// Time in which one unit is restored.
        interval: Duration,
        /// Number of units that may be taken at once.
        burst: u32,
    },
    /// Writes a value.
    Put {
        /// Key of the value.
        key: Key,
        /// Text to write.
        value: Arc<str>,
        /// Time until the value expires; never if absent.
        ttl: Option<Duration>,
    },
    /// Writes a value, if there was no other write since it was read.
    CompareAndSet {
        /// Id of this write.
        id: OpId,
        /// Key of the value.
        key: Key,
        /// Revision that was read; 0 if there was no value.
        revision: u64,
        /// Text to write.
        value: Arc<str>,
        /// Time until the value expires; never if absent.
        ttl: Option<Duration>,
    },
    /// Reads a value.
    Get {
        /// Key of the value.
        key: Key,
    },
    /// Adds a member to a set. A present member of the same name stays, unless it has expired.
    Insert {
        /// Id of this entry, by which it is changed and removed.
        id: OpId,
        /// Key of the set.
        set: Key,
        /// Name of the member.
        name: Arc<str>,
        /// Note on the member, such as the author and the reason.
        note: Arc<str>,
        /// Time until the entry expires; never if absent.
        ttl: Option<Duration>,
    },
    /// Changes the note of a member, and its expiry.
    Update {
        /// Id of the entry.
        id: OpId,
        /// Key of the set.
        set: Key,
        /// New note; unchanged if absent.
        note: Option<Arc<str>>,
        /// Time from now until the entry expires; never if absent.
        ttl: Option<Duration>,
    },
    /// Removes a member from a set. The id is remembered, so that a late [`Op::Insert`] does not bring the
    /// entry back.
    Remove {
        /// Id of the entry.
        id: OpId,
        /// Key of the set.
        set: Key,
    },
    /// Reads the members of a set, in order of entry.
    Members {
        /// Key of the set.
        set: Key,
    },
    /// Lists the values and sets at or below a key that were written after a revision. An expiry does not
    /// count as a write.
    Changes {
        /// Key of the folder.
        below: Key,
        /// Revision to start after; 0 for all.
        after: u64,
    },
    /// Lists the counters at or below a key to which an amount is charged, in order.
    Counters {
        /// Key of the folder.
        below: Key,
    },
    /// Reads the store's time.
    Now,
}

impl Op {
    /// Reserves `amount` so that all processes that use the store know the reservation; the answer is
    /// [`StepResult::Granted`].
    ///
    /// [`Op::Reserve`] may be answered from a lease of this process, and then other processes do not know of
    /// it. Use this operation for a reservation that another process may end, or request again with the same
    /// id.
    pub const fn reserve_for_all(id: OpId, scopes: Arc<[Scope]>, amount: u64, ttl: Duration) -> Self {
        Self::Lease { id, scopes, least: amount, most: amount, share: 1_000, ttl }
    }
}

/// A member of a set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Id of the entry.
    pub id: OpId,
    /// Name of the member.
    pub name: Arc<str>,
    /// Note on the member, such as the author and the reason.
    pub note: Arc<str>,
    /// Time of entry, by the store's clock.
    pub since: Timestamp,
    /// Time of expiry; never if absent. An expired member is still listed for a day, so that a user can see
    /// why it was there.
    pub until: Option<Timestamp>,
}

impl Member {
    /// Whether the entry has expired.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.until.is_some_and(|until| until <= now)
    }
}

/// The amount charged to a counter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Charged {
    /// Key of the counter.
    pub key: Key,
    /// Window of the counter.
    pub window: Window,
    /// Amount charged, including open reservations.
    pub used: u64,
    /// Part of the amount that open reservations hold.
    pub held: u64,
}

/// The answer of a store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum StepResult {
    /// The operation is done, now or earlier with the same id.
    Done,
    /// The amount that was leased.
    Granted(u64),
    /// The reservation or entry with this id is over: the reservation has ended or expired, or the entry was
    /// removed. Nothing is held, and nothing more is charged.
    Ended {
        /// Amount charged for it; zero if it was released.
        actual: u64,
    },
    /// The remaining amount is too small.
    Refused {
        /// Index of the first scope whose remaining amount is too small.
        scope: usize,
        /// Amount charged to this scope.
        used: u64,
        /// Limit of this scope.
        limit: u64,
    },
    /// The reservation or entry is unknown: it never existed, or it ended too long ago.
    Unknown,
    /// The amount charged to a counter.
    Used {
        /// Amount charged, including open reservations.
        used: u64,
        /// Part of the amount that open reservations hold.
        held: u64,
    },
    /// The rate is exhausted; try again after this time.
    Wait(Duration),
    /// The value was written, with this revision.
    Written(u64),
    /// A value and its revision; `None` if there is no value.
    Value(Option<(Arc<str>, u64)>),
    /// There was another write in between. The current revision; 0 if there is no value.
    Conflict(u64),
    /// A member with this name is already in the set.
    Present(Member),
    /// The members of a set.
    Members {
        /// Members in order of entry. A store in memory shares its own list.
        members: Arc<Vec<Member>>,
        /// The store's time, to compare with the expiry of members.
        now: Timestamp,
    },
    /// The keys that were written, in order.
    Changes {
        /// Keys of values and sets.
        keys: Vec<Key>,
        /// Revision to start after in the next request.
        revision: u64,
    },
    /// Counters, in order.
    Counters(Vec<Charged>),
    /// The store's time.
    Now(Timestamp),
}
