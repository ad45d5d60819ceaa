//! Approvals in a store.

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hooks_core::drivers::{Approval, ApprovalRequest};
use hooks_core::state::{Key, Op, OpId, StateStore, StepResult, both};
use hooks_core::time::{Random, Timestamp};
use hooks_core::{HookError, HookFuture};
use hooks_redaction::Scrubber;
use tower_service::Service;

use super::code::ApprovalCode;
use super::digest::digest;
use super::error::ApprovalError;
use super::waiting::{Entry, EntryState, WaitingCall};

/// Time for which an approval is valid.
const APPROVED_FOR: Duration = Duration::from_secs(10 * 60);
/// Time for which a call waits after it was made last.
const WAITS_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// Time after which a call that is made again is written again.
const REFRESHED_AFTER: Duration = Duration::from_secs(60 * 60);
/// Time for which a used approval is kept.
const USED_FOR: Duration = Duration::from_secs(60);
/// Most calls of a tenant that wait.
const MOST_WAITING: usize = 64;
/// Time until a replaced call expires. Redis accepts no shorter one.
const AT_ONCE: Duration = Duration::from_millis(1);
/// Attempts to change a call that other processes change as well.
const ATTEMPTS: usize = 8;

/// Folder of the calls in the store.
const FOLDER: &str = "approvals";

/// Calls that wait for an approval, and approvals that were not used yet, in a store. Clones share the store.
/// See the [module](super) for an example.
///
/// Each question costs one read of the store, and one write if the call does not wait yet. If the store fails,
/// no call passes. At most 64 calls of a tenant wait; a further one replaces the oldest.
#[derive(Clone)]
pub struct Approvals {
    store: Arc<dyn StateStore>,
    random: Arc<dyn Random>,
    scrubber: Option<Scrubber>,
    client: Option<String>,
}

/// A call in the store, as it was read.
enum StoredCall {
    Nothing,
    Entry(Box<Entry>),
}

impl Approvals {
    /// Keeps calls in `store`. Ids of writes come from `random`.
    pub fn new(store: Arc<dyn StateStore>, random: Arc<dyn Random>) -> Self {
        Self { store, random, scrubber: None, client: None }
    }

    /// Removes secrets from the texts that are stored for a person. The code still depends on the whole call.
    #[must_use]
    pub fn redacted_by(mut self, scrubber: Scrubber) -> Self {
        self.scrubber = Some(scrubber);
        self
    }

    /// Names the client that the calls come from.
    #[must_use]
    pub fn from_client(mut self, client: impl Into<String>) -> Self {
        self.client = Some(client.into());
        self
    }

    /// Lets an approved call pass and uses up its approval. Otherwise the call waits, and the code for its
    /// approval is returned. Of several processes that make the call, one passes.
    ///
    /// # Errors
    /// Returns `Store` or `BadAnswer` if the store fails. Returns `CodeInUse` if another call with the same code waits,
    /// `TooDeep` if the call has no code, `Full` if there is no room for another call. Nothing passes then.
    pub async fn pass_or_wait(&self, question: &ApprovalRequest) -> Result<Approval, ApprovalError> {
        let digest = digest(&question.request).ok_or(ApprovalError::TooDeep)?;
        let code = ApprovalCode::from_digest(&digest);
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let tenant = question.request.context().tenant.as_deref();
        let key = key(tenant, &code);
        for _ in 0..ATTEMPTS {
            let (found, revision, now) = self.read(&key).await?;
            let same = match &found {
                StoredCall::Entry(entry) if entry.digest == digest => Some(entry.as_ref()),
                StoredCall::Entry(entry) if entry.state != EntryState::Used => {
                    return Err(ApprovalError::CodeInUse);
                }
                StoredCall::Entry(_) | StoredCall::Nothing => None,
            };
            match same.map(|entry| (entry, &entry.state)) {
                Some((entry, EntryState::Approved { until, .. })) if *until > now => {
                    let used = Entry { state: EntryState::Used, ..entry.clone() };
                    if self.write(&key, revision, &used, USED_FOR).await? {
                        return Ok(Approval::Approved);
                    }
                    // Another process was first; it may have used the approval.
                    continue;
                }
                Some((entry, EntryState::Waiting)) if now.since(entry.since) < REFRESHED_AFTER => {
                    return Ok(Approval::Pending(code.to_string()));
                }
                _ => {}
            }
            if matches!(found, StoredCall::Nothing) {
                self.make_room(tenant).await?;
            }
            let client = self.client.as_deref();
            let entry = Entry::new(question, digest.clone(), client, self.scrubber.as_ref(), now);
            if self.write(&key, revision, &entry, WAITS_FOR).await? {
                return Ok(Approval::Pending(code.to_string()));
            }
        }
        Err(ApprovalError::Changed)
    }

    /// Returns the calls of a tenant that wait, and those that were approved and not made yet, in the order
    /// in which they were made.
    ///
    /// # Errors
    /// Returns `Store` or `BadAnswer` if the store fails.
    pub async fn waiting(&self, tenant: Option<&str>) -> Result<Vec<WaitingCall>, ApprovalError> {
        let mut calls = Vec::new();
        for key in self.keys(tenant).await? {
            let code = key.parts().last().and_then(|code| code.parse().ok());
            if let Some(code) = code
                && let Some(call) = self.find(tenant, &code).await?
            {
                calls.push(call);
            }
        }
        calls.sort_by_key(|call| call.since);
        Ok(calls)
    }

    /// Returns the call of a tenant that waits under `code`, or that was approved and not made yet.
    ///
    /// # Errors
    /// Returns `Store` or `BadAnswer` if the store fails.
    pub async fn find(
        &self,
        tenant: Option<&str>,
        code: &ApprovalCode,
    ) -> Result<Option<WaitingCall>, ApprovalError> {
        let (found, revision, now) = self.read(&key(tenant, code)).await?;
        let StoredCall::Entry(entry) = found else { return Ok(None) };
        match &entry.state {
            EntryState::Used => return Ok(None),
            EntryState::Approved { until, .. } if *until <= now => return Ok(None),
            EntryState::Approved { .. } | EntryState::Waiting => {}
        }
        Ok(Some(entry.shown(code.clone(), tenant, revision)))
    }

    /// Approves the call as it was read, for ten minutes. Returns the end of that time.
    ///
    /// # Errors
    /// Returns `Changed` if the call was changed or made meanwhile; `Store` or `BadAnswer` if the store
    /// fails.
    pub async fn approve(&self, call: &WaitingCall, by: &str) -> Result<Timestamp, ApprovalError> {
        let until = self.now().await?.after(APPROVED_FOR);
        let state = EntryState::Approved { by: by.to_owned(), until };
        let entry = Entry { state, ..call.entry.clone() };
        let key = key(call.tenant.as_deref(), &call.code);
        match self.write(&key, call.revision, &entry, APPROVED_FOR).await? {
            true => Ok(until),
            false => Err(ApprovalError::Changed),
        }
    }

    /// Removes the oldest call that waits if there are too many.
    async fn make_room(&self, tenant: Option<&str>) -> Result<(), ApprovalError> {
        if self.keys(tenant).await?.len() < MOST_WAITING {
            return Ok(());
        }
        let calls = self.waiting(tenant).await?;
        if calls.len() < MOST_WAITING {
            // The others were used.
            return Ok(());
        }
        let oldest = calls.iter().find(|call| call.approved.is_none()).ok_or(ApprovalError::Full)?;
        let used = Entry { state: EntryState::Used, ..oldest.entry.clone() };
        // If another process changes the call at this moment, it makes room or needs it.
        self.write(&key(tenant, &oldest.code), oldest.revision, &used, AT_ONCE).await.map(drop)
    }

    async fn keys(&self, tenant: Option<&str>) -> Result<Vec<Key>, ApprovalError> {
        match self.store.apply(Op::Changes { below: Key::new(tenant, &[FOLDER]), after: 0 }).await? {
            StepResult::Changes { keys, .. } => Ok(keys),
            other => Err(unexpected(&other)),
        }
    }

    /// Reads a call, its revision, and the store's time. A call that cannot be parsed counts as missing.
    async fn read(&self, key: &Key) -> Result<(StoredCall, u64, Timestamp), ApprovalError> {
        match both(&self.store, [Op::Get { key: key.clone() }, Op::Now]).await? {
            [StepResult::Value(None), StepResult::Now(now)] => Ok((StoredCall::Nothing, 0, now)),
            [StepResult::Value(Some((text, revision))), StepResult::Now(now)] => {
                let entry = serde_json::from_str(&text).map(Box::new);
                Ok((entry.map_or(StoredCall::Nothing, StoredCall::Entry), revision, now))
            }
            [other, _] => Err(unexpected(&other)),
        }
    }

    /// Writes a call unless it was changed since `revision`. Returns whether it was written.
    async fn write(
        &self,
        key: &Key,
        revision: u64,
        entry: &Entry,
        ttl: Duration,
    ) -> Result<bool, ApprovalError> {
        let value =
            serde_json::to_string(entry).map_err(|error| ApprovalError::BadAnswer(error.to_string()))?;
        let (id, ttl) = (OpId(self.random.next_u128()), Some(ttl));
        let write = Op::CompareAndSet { id, key: key.clone(), revision, value: value.into(), ttl };
        match self.store.apply(write).await? {
            StepResult::Written(_) => Ok(true),
            StepResult::Conflict(_) => Ok(false),
            other => Err(unexpected(&other)),
        }
    }

    async fn now(&self) -> Result<Timestamp, ApprovalError> {
        match self.store.apply(Op::Now).await? {
            StepResult::Now(now) => Ok(now),
            other => Err(unexpected(&other)),
        }
    }
}

impl Service<ApprovalRequest> for Approvals {
    type Response = Approval;
    type Error = HookError;
    type Future = HookFuture<'static, Result<Approval, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, question: ApprovalRequest) -> Self::Future {
        let approvals = self.clone();
        HookFuture::later(async move {
            approvals.pass_or_wait(&question).await.map_err(|error| HookError::unavailable(error.to_string()))
        })
    }
}

impl fmt::Debug for Approvals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Approvals").field("client", &self.client).finish_non_exhaustive()
    }
}

fn key(tenant: Option<&str>, code: &ApprovalCode) -> Key {
    Key::new(tenant, &[FOLDER, code.as_str()])
}

fn unexpected(answer: &StepResult) -> ApprovalError {
    ApprovalError::BadAnswer(format!("{answer:?}"))
}
