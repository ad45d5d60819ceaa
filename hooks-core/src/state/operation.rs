//! What can be asked of a store, and what it answers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// The name of a counter, a flag or a set. Tenant and scope come first, the window is part of it
/// (`acme/spend/day/2026-11-21`): nothing spans tenants by accident, and a new window needs no reset.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Key(Arc<str>);

impl Key {
    /// The key of `name` for `tenant`. The parts cannot run into each other: a slash in one is escaped.
    pub fn new(tenant: Option<&str>, parts: &[&str]) -> Self {
        let mut key = escaped(tenant.unwrap_or_default());
        for part in parts {
            key.push('/');
            key.push_str(&escaped(part));
        }
        Self(key.into())
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn escaped(part: &str) -> String {
    part.replace('%', "%25").replace('/', "%2F")
}

impl From<String> for Key {
    fn from(key: String) -> Self {
        Self(key.into())
    }
}

impl From<Key> for String {
    fn from(key: Key) -> Self {
        key.0.as_ref().to_owned()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The id of an operation, chosen by its client: the same id, the same effect, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct OpId(pub u128);

impl OpId {
    /// An id that follows from text: what a client does twice about one call gets the same id (FNV-1a, 128
    /// bits, as its authors give it).
    pub fn of(parts: &[&str]) -> Self {
        const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let mut hash = BASIS;
        for part in parts {
            // The length keeps the parts apart.
            for byte in part.len().to_le_bytes().into_iter().chain(part.bytes()) {
                hash = (hash ^ u128::from(byte)).wrapping_mul(PRIME);
            }
        }
        Self(hash)
    }
}

/// A counter and what it may reach.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// Which counter.
    pub key: Key,
    /// What it may reach: zero means none at all.
    pub limit: u64,
}

/// An operation. Amounts are integers: places, tokens, millionths of a US dollar.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Op {
    /// Takes `amount` from all scopes or from none. An id is for one reservation: sent again, it takes nothing more,
    /// and once that has ended the answer says so.
    Reserve {
        /// Of this reservation.
        id: OpId,
        /// What to take it from.
        scopes: Arc<[Scope]>,
        /// How much.
        amount: u64,
        /// When the holder is taken for lost: the amount stays charged then, it is not given back.
        ttl: Duration,
    },
    /// Raises what a reservation holds to `to`, in all its scopes or in none.
    Extend {
        /// Of the reservation.
        id: OpId,
        /// The new amount.
        to: u64,
    },
    /// Ends a reservation with what was really used; also one that had expired.
    Settle {
        /// Of the reservation.
        id: OpId,
        /// What was used.
        actual: u64,
    },
    /// Ends a reservation that used nothing.
    Release {
        /// Of the reservation.
        id: OpId,
    },
    /// How much is charged to a counter.
    Used {
        /// Which counter.
        key: Key,
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
    /// Puts a member into a set; one that is there stays as it is.
    Insert {
        /// Which set.
        set: Key,
        /// Who, since when, why.
        member: Member,
    },
    /// Takes a member out of a set.
    Remove {
        /// Which set.
        set: Key,
        /// Who.
        name: Arc<str>,
    },
    /// Who is in a set, in order of entry.
    Members {
        /// Which set.
        set: Key,
    },
    /// The store's time.
    Now,
}

/// A member of a set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Who.
    pub name: Arc<str>,
    /// What is known about it: by whom, why.
    pub note: Arc<str>,
    /// Since when; set by the store.
    pub since: Timestamp,
}

/// What a store answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Answer {
    /// Done, or done before by the same id.
    Done,
    /// The reservation was ended before it was asked for again: nothing is held, and nothing more is charged.
    Ended {
        /// What it was ended with; nothing where it was released.
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
    /// The reservation is not known: it never was, or it ended too long ago.
    Unknown,
    /// How much is charged.
    Used(u64),
    /// Not yet; in so long.
    Wait(Duration),
    /// A value and its revision; `None` where nothing is there.
    Value(Option<(Arc<str>, u64)>),
    /// Somebody wrote in between; the revision that stands.
    Conflict(u64),
    /// The members of a set.
    Members(Vec<Member>),
    /// The store's time.
    Now(Timestamp),
}
