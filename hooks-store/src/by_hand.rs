//! Changes by hand, each with its record: the person, the time, the change, the reason.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::state::{Charged, Key, Member, Op, OpId, StateStore, StepResult, StoreError, Window};
use hooks_core::time::{Random, Timestamp};
use serde::{Deserialize, Serialize};

/// Time that records are kept: more than a year, so that yearly reviews find them.
const KEPT: Duration = Duration::from_secs(400 * 24 * 60 * 60);

/// Reads the state of a tenant and changes it by hand. Each change is recorded in the store before it is
/// made: a change without a record would be worse than the record of a change that then failed.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::state::{Key, Memory, Window};
/// use hooks_core::time::{SeededRandom, StoppedClock};
/// use hooks_store::ByHand;
///
/// # futures_util::FutureExt::now_or_never(async {
/// let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
/// let by_hand = ByHand::new(store, Arc::new(SeededRandom::new(1)), Some("acme"), "Ada");
/// let key = Key::new(Some("acme"), &["tokens"]);
/// by_hand.correct(&key, Window::Always, 40, Some("a failed run")).await?;
/// assert_eq!(by_hand.counters().await?[0].used, 40);
///
/// let change = &by_hand.changes().await?[0];
/// assert_eq!((change.by.as_str(), change.to.as_str()), ("Ada", "spent 40"));
/// assert_eq!(change.why.as_deref(), Some("a failed run"));
/// # Ok::<(), hooks_core::state::StoreError>(())
/// # }).expect("memory answers at once").expect("it has room");
/// ```
pub struct ByHand {
    store: Arc<dyn StateStore>,
    random: Arc<dyn Random>,
    tenant: Option<String>,
    by: String,
}

/// The record of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Change {
    /// Person or program that made the change.
    pub by: String,
    /// Time of the change, by the store's clock.
    pub at: Timestamp,
    /// Counter or set that was changed.
    pub what: String,
    /// New state, in words.
    pub to: String,
    /// Reason for the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A set with its members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Listed {
    /// Key of the set.
    pub set: Key,
    /// Members of the set, in order of entry.
    pub members: Arc<Vec<Member>>,
}

impl ByHand {
    /// The state of `tenant` in `store`, to be changed by `by`.
    pub fn new(
        store: Arc<dyn StateStore>,
        random: Arc<dyn Random>,
        tenant: Option<&str>,
        by: impl Into<String>,
    ) -> Self {
        Self { store, random, tenant: tenant.map(str::to_owned), by: by.into() }
    }

    /// Returns the amounts charged to the tenant's counters.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn counters(&self) -> Result<Vec<Charged>, StoreError> {
        match self.store.apply(Op::Counters { below: self.key(&[]) }).await? {
            StepResult::Counters(counters) => Ok(counters),
            other => Err(unexpected(&other)),
        }
    }

    /// Returns the tenant's sets that have members, and the store's time.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn sets(&self) -> Result<(Vec<Listed>, Timestamp), StoreError> {
        let keys = match self.store.apply(Op::Changes { below: self.key(&[]), after: 0 }).await? {
            StepResult::Changes { keys, .. } => keys,
            other => return Err(unexpected(&other)),
        };
        let (mut sets, mut time) = (Vec::new(), Timestamp(0));
        for set in keys.into_iter().filter(|key| *key != self.records()) {
            let (members, now) = self.members(&set).await?;
            time = now;
            if !members.is_empty() {
                sets.push(Listed { set, members });
            }
        }
        Ok((sets, time))
    }

    /// Sets the spent amount of a counter in its current window. Reservations that are still held are not
    /// affected.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn correct(
        &self,
        key: &Key,
        window: Window,
        spent: u64,
        why: Option<&str>,
    ) -> Result<(), StoreError> {
        let id = self.record(key, format!("spent {spent}"), why).await?;
        self.store.apply(Op::Correct { id, key: key.clone(), window, spent }).await.map(drop)
    }

    /// Removes a member from a set.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_core::state::{Key, Memory, Op, OpId, StateStore};
    /// use hooks_core::time::{SeededRandom, StoppedClock};
    /// use hooks_store::ByHand;
    ///
    /// # futures_util::FutureExt::now_or_never(async {
    /// let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
    /// let set = Key::new(Some("acme"), &["lockout"]);
    /// let insert = Op::Insert { id: OpId(7), set: set.clone(), name: "ada".into(), note: "".into(), ttl: None };
    /// store.apply(insert).await?;
    ///
    /// let by_hand = ByHand::new(store, Arc::new(SeededRandom::new(1)), Some("acme"), "Bob");
    /// let (sets, _now) = by_hand.sets().await?;
    /// by_hand.remove(&set, &sets[0].members[0], None).await?;
    /// assert!(by_hand.sets().await?.0.is_empty());
    /// assert_eq!(by_hand.changes().await?[0].to, "without `ada`");
    /// # Ok::<(), hooks_core::state::StoreError>(())
    /// # }).expect("memory answers at once").expect("it has room");
    /// ```
    pub async fn remove(&self, set: &Key, member: &Member, why: Option<&str>) -> Result<(), StoreError> {
        self.record(set, format!("without `{}`", member.name), why).await?;
        self.store.apply(Op::Remove { id: member.id, set: set.clone() }).await.map(drop)
    }

    /// Records a change that the caller makes itself. Returns a new id for that change.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_core::state::{Key, Memory, Op, StateStore};
    /// use hooks_core::time::{SeededRandom, StoppedClock};
    /// use hooks_store::ByHand;
    ///
    /// # futures_util::FutureExt::now_or_never(async {
    /// let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
    /// let by_hand = ByHand::new(store.clone(), Arc::new(SeededRandom::new(1)), Some("acme"), "Ada");
    /// let (set, name, note) = (Key::new(Some("acme"), &["lockout"]), "main.rs".into(), "until Monday".into());
    /// // First the record, then the change under the returned id.
    /// let id = by_hand.record(&set, "with `main.rs`".to_owned(), Some("release week")).await?;
    /// store.apply(Op::Insert { id, set, name, note, ttl: None }).await?;
    /// assert_eq!(by_hand.changes().await?[0].why.as_deref(), Some("release week"));
    /// assert_eq!(&*by_hand.sets().await?.0[0].members[0].note, "until Monday");
    /// # Ok::<(), hooks_core::state::StoreError>(())
    /// # }).expect("memory answers at once").expect("it has room");
    /// ```
    pub async fn record(&self, what: &Key, to: String, why: Option<&str>) -> Result<OpId, StoreError> {
        let at = match self.store.apply(Op::Now).await? {
            StepResult::Now(now) => now,
            other => return Err(unexpected(&other)),
        };
        let (by, what) = (self.by.clone(), what.to_string());
        let change = Change { by, at, what, to, why: why.map(str::to_owned) };
        let note =
            serde_json::to_string(&change).map_err(|error| StoreError::Unavailable(error.to_string()))?;
        let id = OpId(self.random.next_u128());
        let name = format!("{:032x}", id.0).into();
        let insert = Op::Insert { id, set: self.records(), name, note: note.into(), ttl: Some(KEPT) };
        match self.store.apply(insert).await? {
            StepResult::Done => Ok(OpId(self.random.next_u128())),
            other => Err(unexpected(&other)),
        }
    }

    /// Returns the records of all changes, in order.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn changes(&self) -> Result<Vec<Change>, StoreError> {
        let (members, _) = self.members(&self.records()).await?;
        Ok(members.iter().filter_map(|member| serde_json::from_str(&member.note).ok()).collect())
    }

    async fn members(&self, set: &Key) -> Result<(Arc<Vec<Member>>, Timestamp), StoreError> {
        match self.store.apply(Op::Members { set: set.clone() }).await? {
            StepResult::Members { members, now } => Ok((members, now)),
            other => Err(unexpected(&other)),
        }
    }

    fn key(&self, parts: &[&str]) -> Key {
        Key::new(self.tenant.as_deref(), parts)
    }

    fn records(&self) -> Key {
        self.key(&["changes-by-hand"])
    }
}

fn unexpected(answer: &StepResult) -> StoreError {
    StoreError::Unavailable(format!("it answered {answer:?}"))
}

impl fmt::Debug for ByHand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByHand").field("tenant", &self.tenant).field("by", &self.by).finish_non_exhaustive()
    }
}
