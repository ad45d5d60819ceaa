//! Place of one event in a limit: given back on drop, taken for good after the event went ahead.
//!
//! A call may be reported twice, for example by two hook processes of one client. Both reports share one
//! place, whose id is derived from the call. The report that claimed the call first owns the place, and only
//! its holder gives the place back. The claim is an entry in a set of the session for as long as the call is
//! open. If a call goes ahead although its place was given back, it is counted then.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hooks_core::state::{Key, Op, OpId, Scope, StateStore, StepResult, StoreError, both};
use hooks_core::{Background, Hold, HookContext, HookError, HookFuture, Reason, Reservation, later};

use crate::counting_store::beyond_limits;

/// Time after which the holder of an open event is presumed lost. The place stays taken in that case.
const OPEN: Duration = Duration::from_secs(24 * 60 * 60);

/// Most times that one call may take a place and give it back: each time costs one more request to the store.
pub(crate) const MOST_GIVEN_BACK: usize = 32;

/// A place in one or several limits.
pub(crate) struct LimitPlace {
    /// Derived from the call and from the number of times its place was given back.
    id: OpId,
    scopes: Arc<[Scope]>,
    store: Arc<dyn StateStore>,
    background: Option<Arc<dyn Background>>,
    refuse: Box<dyn Fn(NoPlace) -> Reason + Send + Sync>,
    /// Claim on the place; `None` if no other report can know of the call.
    claim: Option<Claim>,
    /// Whether the store may have a place that dropping this value gives back.
    open: bool,
}

/// Id of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlaceId {
    pub(crate) id: OpId,
    /// Whether the id is derived from the call, which other processes may report too.
    is_of_call: bool,
}

/// Claim on a place.
struct Claim {
    set: Key,
    /// Name of the entry: the first id of the call.
    name: Arc<str>,
    entry: Entry,
    fresh: OpId,
}

/// State of the entry that names the owner of the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// The claim has no entry: none was requested, it was removed, or another claim has the name.
    None,
    /// The entry was requested, and the result is not known.
    Asked,
    Own,
}

/// Reason why no place was taken.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NoPlace {
    /// A limit is reached.
    Refused {
        /// Index of the limit among the scopes.
        scope: usize,
        used: u64,
        limit: u64,
    },
    /// The call took a place and gave it back more than [`MOST_GIVEN_BACK`] times.
    TooOften,
}

impl LimitPlace {
    /// Creates a place for one event in `scopes`; `refuse` builds the reason if a limit is reached.
    pub(crate) fn new(
        id: PlaceId,
        scopes: Arc<[Scope]>,
        store: Arc<dyn StateStore>,
        context: &HookContext,
        refuse: impl Fn(NoPlace) -> Reason + Send + Sync + 'static,
    ) -> Self {
        let claim = id.is_of_call.then(|| Claim {
            set: Key::new(context.tenant.as_deref(), &["places", &context.session_id]),
            name: format!("{:032x}", id.id.0).into(),
            entry: Entry::None,
            fresh: fresh_id("places", context),
        });
        let background = context.environment.background.clone();
        Self { id: id.id, scopes, store, background, refuse: Box::new(refuse), claim, open: false }
    }

    /// Takes the place, or the call's next one if it was given back. Ready at once if the store answers at
    /// once.
    pub(crate) fn take(self) -> HookFuture<'static, Result<Reservation, HookError>> {
        later::begin(async move {
            let mut place = self;
            match place.taken().await {
                Ok(Taken::Place) => Ok(Reservation::Held(Box::new(place))),
                Ok(Taken::Before) => {
                    place.leave().await;
                    Ok(Reservation::NotNeeded)
                }
                Ok(Taken::Nothing(why)) => {
                    place.leave().await;
                    Ok(Reservation::Refused((place.refuse)(why)))
                }
                Err(error) => Err(error),
            }
        })
    }

    async fn taken(&mut self) -> Result<Taken, HookError> {
        for _ in 0..=MOST_GIVEN_BACK {
            match self.ask().await? {
                StepResult::Done | StepResult::Granted(_) => return Ok(Taken::Place),
                StepResult::Refused { scope, used, limit } => {
                    self.open = false;
                    return Ok(Taken::Nothing(NoPlace::Refused { scope, used, limit }));
                }
                // This place was given back before: try the next place of the call.
                StepResult::Ended { actual: 0 } => self.id = again(self.id),
                // The event went ahead before and is counted.
                StepResult::Ended { .. } => {
                    self.open = false;
                    return Ok(Taken::Before);
                }
                other => return Err(bad(&other)),
            }
            self.open = false;
        }
        Ok(Taken::Nothing(NoPlace::TooOften))
    }

    /// Requests the place, and claims it for this value, unless another one has claimed it.
    async fn ask(&mut self) -> Result<StepResult, HookError> {
        // From here on the store may have a place, even if its answer is lost.
        self.open = true;
        let store = Arc::clone(&self.store);
        let (id, scopes) = (self.id, Arc::clone(&self.scopes));
        let Some(claim) = &mut self.claim else {
            // It may be taken from a local lease.
            let reserve = Op::Reserve { id, scopes, amount: 1, ttl: OPEN };
            return store.apply(reserve).await.map_err(HookError::other);
        };
        // A place that other processes may request is reserved in the shared store.
        let reserve = Op::reserve_for_all(id, scopes, 1, OPEN);
        if claim.entry == Entry::Own {
            return store.apply(reserve).await.map_err(HookError::other);
        }
        claim.entry = Entry::Asked;
        let [claimed, answer] = both(&*store, [claim.insert(), reserve]).await.map_err(HookError::other)?;
        claim.entry = match claimed {
            StepResult::Done => Entry::Own,
            StepResult::Present(_) => Entry::None,
            other => return Err(bad(&other)),
        };
        Ok(answer)
    }

    /// Releases the claim and gives no place back.
    async fn leave(&mut self) {
        self.open = false;
        if let Some(remove) = self.unclaim() {
            // If the store fails, later reports of the call give nothing back: the limit errs on the safe
            // side.
            let _removed = self.store.apply(remove).await;
        }
    }

    fn unclaim(&mut self) -> Option<Op> {
        self.claim.as_mut().and_then(Claim::remove)
    }

    /// Counts the event for good. After it, no value owns the place.
    async fn settle(&mut self) -> Result<(), StoreError> {
        let store = Arc::clone(&self.store);
        let mut remove = self.unclaim();
        for _ in 0..=MOST_GIVEN_BACK {
            let settle = Op::Settle { id: self.id, actual: 1 };
            let answer = match remove.take() {
                Some(remove) => {
                    let [answer, _removed] = both(&*store, [settle, remove]).await?;
                    answer
                }
                None => store.apply(settle).await?,
            };
            match answer {
                // The first report gave the place back meanwhile, or the store forgot it. The event goes
                // ahead all the same and counts.
                StepResult::Ended { actual: 0 } | StepResult::Unknown => {}
                _ => return Ok(()),
            }
            self.id = again(self.id);
            let scopes = beyond_limits(&self.scopes);
            store.apply(Op::reserve_for_all(self.id, scopes, 1, OPEN)).await?;
        }
        Ok(())
    }
}

impl Claim {
    fn insert(&self) -> Op {
        let (set, name) = (self.set.clone(), Arc::clone(&self.name));
        Op::Insert { id: self.fresh, set, name, note: "".into(), ttl: Some(OPEN) }
    }

    /// Returns the operation that removes the entry, if there may be one.
    fn remove(&mut self) -> Option<Op> {
        let entry = std::mem::replace(&mut self.entry, Entry::None);
        (entry != Entry::None).then(|| Op::Remove { id: self.fresh, set: self.set.clone() })
    }
}

/// Result of a request for a place.
enum Taken {
    /// The place is reserved now.
    Place,
    /// The call had the place before, and it is counted.
    Before,
    Nothing(NoPlace),
}

impl Hold for LimitPlace {
    fn commit(self: Box<Self>) {
        let background = self.background.clone();
        let mut place = *self;
        // Without a background, the place stays taken: the limit errs on the safe side.
        place.open = false;
        later::run(background.as_ref(), async move {
            // If the store fails, the place is charged when its time is up.
            let _settled = place.settle().await;
        });
    }
}

impl Drop for LimitPlace {
    fn drop(&mut self) {
        let entry = self.claim.as_ref().map_or(Entry::Own, |claim| claim.entry);
        let release = (self.open && entry != Entry::None).then_some(Op::Release { id: self.id });
        // An insert with an unknown result is sent once more, so that the place of another claim is not given
        // back.
        let insert = self.claim.as_ref().filter(|_| entry == Entry::Asked).map(Claim::insert);
        let remove = self.unclaim();
        if release.is_none() && remove.is_none() {
            return;
        }
        let store = Arc::clone(&self.store);
        later::run(self.background.as_ref(), async move {
            let is_own = match insert {
                Some(insert) => matches!(store.apply(insert).await, Ok(StepResult::Done)),
                None => true,
            };
            // In this order: after the entry is removed, another report may claim the place, and then it must
            // not be released.
            for op in release.filter(|_| is_own).into_iter().chain(remove) {
                let _ended = store.apply(op).await;
            }
        });
    }
}

/// Returns the id of the place of `call` in the limit `key`: derived from the client's id, or unique.
///
/// `what` is the content of the call. Clients restart their numbers with each turn, so the same number with
/// another content is another call. An empty id counts as missing.
pub(crate) fn place_id(key: &str, call: Option<&str>, what: &str, context: &HookContext) -> PlaceId {
    match call.filter(|call| !call.trim().is_empty()) {
        Some(call) => PlaceId { id: OpId::from_parts(&[key, "call", call, what]), is_of_call: true },
        None => PlaceId { id: fresh_id(key, context), is_of_call: false },
    }
}

/// Returns a unique id.
pub(crate) fn fresh_id(key: &str, context: &HookContext) -> OpId {
    // Keeps ids apart if two contexts, also of different sets, have the same random numbers.
    static ASKED: AtomicU64 = AtomicU64::new(0);
    let number = ASKED.fetch_add(1, Ordering::Relaxed).to_string();
    let random = context.environment.random.next_u128().to_string();
    OpId::from_parts(&[key, "random", &random, &number])
}

/// Returns the id that follows one whose reservation has ended.
pub(crate) fn again(id: OpId) -> OpId {
    OpId::from_parts(&[&id.0.to_string(), "again"])
}

fn bad(answer: &StepResult) -> HookError {
    HookError::bad_answer(format!("the state store answered {answer:?} to a reservation"))
}
