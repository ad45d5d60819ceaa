//! What can be asked of a store, and what it answers.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::key::{Key, OpId};
use super::scope::{Scope, Window};
use crate::time::Timestamp;

/// An operation. Amounts are integers: places, tokens, millionths of a US dollar.
///
/// Each is one atomic step, and may arrive twice or late: what an id did, it did once. Only [`Op::Put`] has no id; it
/// writes again what it wrote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Op {
    /// Takes `amount` from all scopes or from none. An id is for one reservation: sent again, it takes nothing more,
    /// and once that has ended or expired the answer says so.
    Reserve {
        /// Of this reservation.
        id: OpId,
        /// What to take it from; a scope that is named twice is charged twice.
        scopes: Arc<[Scope]>,
        /// How much.
        amount: u64,
        /// When the holder is taken for lost: [`ScopeKind`](super::ScopeKind) says what becomes of the amount.
        ttl: Duration,
    },
    /// Reserves as much as there is, between `least` and `most`, and no more than a share of what is left unless
    /// that is less than `least`: large far from the limit, exact near it. What is granted is a reservation as any
    /// other; sent again, the answer is the same.
    Lease {
        /// Of this reservation.
        id: OpId,
        /// What to take it from.
        scopes: Arc<[Scope]>,
        /// No less than this: else it is refused.
        least: u64,
        /// No more than this.
        most: u64,
        /// So many thousandths of what is left.
        share: u32,
        /// When the holder is taken for lost.
        ttl: Duration,
    },
    /// Raises what a reservation holds to `to`, in all its scopes or in none, and its holder is not lost for `ttl`
    /// from now. A place that had come back because its holder was silent is taken again, if there is one.
    Extend {
        /// Of the reservation.
        id: OpId,
        /// The new amount; less than what it holds changes nothing.
        to: u64,
        /// From now on.
        ttl: Duration,
    },
    /// Ends a reservation with what was really used; also one that had expired. The first end counts. To another one
    /// the answer is [`Answer::Ended`], with what the first charged: so whoever used more can still say so.
    Settle {
        /// Of the reservation.
        id: OpId,
        /// What was used.
        actual: u64,
    },
    /// Ends a reservation that used nothing; the same as to settle it with nothing.
    Release {
        /// Of the reservation.
        id: OpId,
    },
    /// How much is charged to a counter in its present window.
    Used {
        /// Which counter.
        key: Key,
        /// Its window.
        window: Window,
    },
    /// Sets what is charged to a counter beside what is held: a correction by hand.
    Correct {
        /// Of this correction.
        id: OpId,
        /// Which counter.
        key: Key,
        /// Its window.
        window: Window,
        /// What was spent.
        spent: u64,
    },
    /// Takes `cost` from a rate (the generic cell rate algorithm).
    Pace {
        /// Which rate.
        key: Key,
        /// How much.
        cost: u32,
        /// The time in which one unit comes back.
        interval: Duration,
        /// How many units may be taken at once.
        burst: u32,
    },
    /// Writes a value.
    Put {
        /// Where.
        key: Key,
        /// What.
        value: Arc<str>,
        /// How long it stays; for ever where absent.
        ttl: Option<Duration>,
    },
    /// Writes a value if nobody wrote since.
    CompareAndSet {
        /// Of this write.
        id: OpId,
        /// Where.
        key: Key,
        /// The revision that was read; 0 where nothing was there.
        revision: u64,
        /// What.
        value: Arc<str>,
        /// How long it stays; for ever where absent.
        ttl: Option<Duration>,
    },
    /// Reads a value.
    Get {
        /// Where.
        key: Key,
    },
    /// Puts a member into a set. One of this name that is there stays as it is, unless its time is up.
    Insert {
        /// Of this entry: it is changed and removed by it.
        id: OpId,
        /// Which set.
        set: Key,
        /// Who.
        name: Arc<str>,
        /// What is known about it: by whom, why.
        note: Arc<str>,
        /// How long it holds; for ever where absent.
        ttl: Option<Duration>,
    },
    /// Changes what is known about a member, and how long it holds from now.
    Update {
        /// Of the entry.
        id: OpId,
        /// Which set.
        set: Key,
        /// What is known now; as before where absent.
        note: Option<Arc<str>>,
        /// From now on; for ever where absent.
        ttl: Option<Duration>,
    },
    /// Takes a member out of a set, for good: its entry does not come back with a late message.
    Remove {
        /// Of the entry.
        id: OpId,
        /// Which set.
        set: Key,
    },
    /// Who is in a set, in order of entry.
    Members {
        /// Which set.
        set: Key,
    },
    /// What values and sets at or below a key were written after a revision; what expires by itself is not told.
    Changes {
        /// At or below this.
        below: Key,
        /// After this; 0 for all.
        after: u64,
    },
    /// The counters at or below a key that something is charged to, in their order.
    Counters {
        /// At or below this.
        below: Key,
    },
    /// The store's time.
    Now,
}

impl Op {
    /// Reserves `amount` where every process that uses the store finds it; the answer is [`Answer::Granted`].
    ///
    /// [`Op::Reserve`] may be answered out of what this process has leased, and then nobody else knows of it. This is
    /// for a reservation that another process may end, or ask for again under the same id.
    pub const fn reserve_for_all(id: OpId, scopes: Arc<[Scope]>, amount: u64, ttl: Duration) -> Self {
        Self::Lease { id, scopes, least: amount, most: amount, share: 1_000, ttl }
    }
}

/// A member of a set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Of its entry.
    pub id: OpId,
    /// Who.
    pub name: Arc<str>,
    /// What is known about it: by whom, why.
    pub note: Arc<str>,
    /// Since when, by the store's time.
    pub since: Timestamp,
    /// Until when; for ever where absent. One whose time is up is still told for a day, so that somebody can ask why.
    pub until: Option<Timestamp>,
}

impl Member {
    /// Whether its time is up.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.until.is_some_and(|until| until <= now)
    }
}

/// What is charged to a counter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Charged {
    /// Which counter.
    pub key: Key,
    /// Its window.
    pub window: Window,
    /// What is charged, what is held included.
    pub used: u64,
    /// What of it is held by reservations that are still open.
    pub held: u64,
}

/// What a store answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Answer {
    /// Done, or done before by the same id.
    Done,
    /// So much was leased.
    Granted(u64),
    /// What was asked for under this id is over: the reservation has ended or expired, the entry was removed. Nothing
    /// is held, and nothing more is charged.
    Ended {
        /// What is charged for it; nothing where it was released.
        actual: u64,
    },
    /// There is not enough left.
    Refused {
        /// The first scope that does not suffice, by its place in the operation.
        scope: usize,
        /// What is charged to it.
        used: u64,
        /// What it may reach.
        limit: u64,
    },
    /// The reservation or entry is not known: it never was, or it ended too long ago.
    Unknown,
    /// What is charged to a counter.
    Used {
        /// What is charged, what is held included.
        used: u64,
        /// What of it is held by reservations that are still open.
        held: u64,
    },
    /// Not yet; in so long.
    Wait(Duration),
    /// Written; the revision it has now.
    Written(u64),
    /// A value and its revision; `None` where nothing is there.
    Value(Option<(Arc<str>, u64)>),
    /// Somebody wrote in between; the revision that stands, 0 where nothing does.
    Conflict(u64),
    /// Somebody of that name is in the set already.
    Present(Member),
    /// The members of a set.
    Members {
        /// In order of entry.
        members: Vec<Member>,
        /// The store's time, to tell whose time is up.
        now: Timestamp,
    },
    /// What was written, in order of its keys.
    Changes {
        /// Which values and sets.
        keys: Vec<Key>,
        /// The revision to go on from.
        revision: u64,
    },
    /// Counters, in their order.
    Counters(Vec<Charged>),
    /// The store's time.
    Now(Timestamp),
}
