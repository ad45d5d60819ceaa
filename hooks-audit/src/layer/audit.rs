//! The recorder of events: a log, and settings for records.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use hooks_core::{Event, HookError, HookRequest, Reason};

use super::settings::{AuditSettings, OnError};
use crate::append::{Entry, OpenError};
use crate::describe::{Described, RecordedOutcome};
use crate::log::{Gaps, Log, Missing, Ticket, Unwritten};
use crate::record::{RecordedAnswer, notes};

/// Name in reasons.
pub(super) const NAME: &str = "audit";

/// Records events. Clones share the log.
#[derive(Clone)]
pub struct Audit {
    log: Arc<LazyLog>,
    settings: Arc<AuditSettings>,
}

/// An [`Audit`] that does not keep the log open.
#[derive(Clone)]
pub struct WeakAudit {
    log: Weak<LazyLog>,
    settings: Arc<AuditSettings>,
}

impl WeakAudit {
    /// Returns the `Audit`; `None` once every other handle of the log is dropped.
    pub fn upgrade(&self) -> Option<Audit> {
        Some(Audit { log: self.log.upgrade()?, settings: Arc::clone(&self.settings) })
    }
}

impl std::fmt::Debug for WeakAudit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WeakAudit").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// A log that is opened with its first record.
struct LazyLog {
    log: OnceLock<Log>,
    open: Mutex<Box<OpenLog>>,
    /// Entries that wait for the answer to their event; `None` unless [`Audit::defer`] was called.
    deferred: Mutex<Option<Vec<Entry>>>,
}

/// Opens a log.
type OpenLog = dyn Fn() -> Result<Log, OpenError> + Send;

impl Audit {
    /// Creates an `Audit` that writes to `log`.
    pub fn new(log: Log, settings: AuditSettings) -> Self {
        let again = log.clone();
        let audit = Self::lazy(move || Ok(again.clone()), settings);
        audit.log.log.get_or_init(|| log);
        audit
    }

    /// Creates an `Audit` that calls `open` with the first record, so that a program that only reads a
    /// configuration creates no files. If the log cannot be opened, the next event tries again.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_audit::{Audit, AuditLayer, AuditSettings, Log, LogSettings};
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_core::time::StoppedClock;
    /// use hooks_core::{HookContext, HookRequest, Judged, Settle};
    /// use tower::{Layer, ServiceExt};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// // A file is in the place of the folder, so the log cannot be opened.
    /// let disk = Arc::new(FakeDisk::default().with_file("/log", ""));
    /// let clock = Arc::new(StoppedClock::default());
    /// let open = move || Log::open(disk.clone(), "/log", LogSettings::new([7; 32]), clock.clone());
    /// let stack = AuditLayer::new(Audit::lazy(open, AuditSettings::default())).layer(Settle);
    /// let ask = |tool: &str| {
    ///     let call = PreToolUse::new(tool, serde_json::json!({}));
    ///     stack.clone().oneshot(HookRequest::new(HookContext::default(), call))
    /// };
    /// // Without a log, nothing is changed, and reads go ahead.
    /// let denied = ask("Write").await?;
    /// let reason = denied.shown_reason().ok_or("a denial has a reason")?;
    /// assert!(denied.is_denied() && reason.for_agent().contains("the log in `/log` cannot be opened"));
    /// assert!(!ask("Read").await?.is_denied());
    /// # Ok(())
    /// # }
    /// ```
    pub fn lazy(open: impl Fn() -> Result<Log, OpenError> + Send + 'static, settings: AuditSettings) -> Self {
        let log =
            LazyLog { log: OnceLock::new(), open: Mutex::new(Box::new(open)), deferred: Mutex::new(None) };
        Self { log: Arc::new(log), settings: Arc::new(settings) }
    }

    /// Returns an `Audit` with other settings that writes to the same log: for rules that are read again while the
    /// log stays open.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_audit::{Audit, AuditSettings, Log, LogReader, LogSettings, Positions};
    /// use hooks_core::event::SessionEnd;
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_core::time::StoppedClock;
    /// use hooks_core::{HookContext, HookRequest};
    ///
    /// let (disk, clock) = (Arc::new(FakeDisk::default()), Arc::new(StoppedClock::default()));
    /// let log = Log::open(disk.clone(), "/log", LogSettings::new([7; 32]), clock)?;
    /// let first = Audit::new(log.clone(), AuditSettings::default());
    /// let mut settings = AuditSettings::default();
    /// settings.describe.rules = Some("v2".into());
    /// let second = first.with_settings(settings);
    /// assert!(second.is_same_log(&first));
    ///
    /// let request = HookRequest::new(HookContext::default(), SessionEnd::default());
    /// first.put(&request, Default::default())?;
    /// second.put(&request, Default::default())?;
    /// log.close().wait()?;
    /// let records = LogReader::new(disk, "/log", Positions::default()).read(10)?;
    /// let rules: Vec<_> = records.iter().map(|read| read.record.rules.as_deref()).collect();
    /// assert_eq!(rules, [None, Some("v2")]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_settings(&self, settings: AuditSettings) -> Self {
        Self { log: Arc::clone(&self.log), settings: Arc::new(settings) }
    }

    /// Whether both write to the same log.
    pub fn is_same_log(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.log, &other.log)
    }

    /// Returns a handle of the same log that does not keep it open.
    ///
    /// ```
    /// use hooks_audit::{Audit, AuditSettings, OpenError};
    ///
    /// let audit = Audit::lazy(|| Err(OpenError::Prefix("W".to_owned())), AuditSettings::default());
    /// let weak = audit.downgrade();
    /// assert!(weak.upgrade().is_some());
    /// drop(audit);
    /// assert!(weak.upgrade().is_none(), "the last handle that keeps the log open is dropped");
    /// ```
    pub fn downgrade(&self) -> WeakAudit {
        WeakAudit { log: Arc::downgrade(&self.log), settings: Arc::clone(&self.settings) }
    }

    /// The log; opens it if necessary.
    ///
    /// # Errors
    /// Returns `Unwritten::Disk` if the log cannot be opened.
    pub fn log(&self) -> Result<&Log, Unwritten> {
        if let Some(log) = self.log.log.get() {
            return Ok(log);
        }
        let open = self.log.open.lock().unwrap_or_else(PoisonError::into_inner);
        if self.log.log.get().is_none() {
            let log = open().map_err(|error| Unwritten::Disk(error.to_string().into()))?;
            // The lock is held, so no other thread can have opened it meanwhile.
            drop(self.log.log.set(log));
        }
        self.log.log.get().ok_or(Unwritten::Closed)
    }

    /// The log, if it is open.
    pub(super) fn opened(&self) -> Option<&Log> {
        self.log.log.get()
    }

    /// Records the outcome of `request` without waiting. Costs a reference count, a copy of the reasons, and
    /// a place in the queue.
    ///
    /// # Errors
    /// Returns an error if the queue is full or the log cannot be opened.
    pub fn put<E: Described>(
        &self,
        request: &HookRequest<E>,
        recorded: RecordedOutcome,
    ) -> Result<(), Unwritten> {
        self.log_for(request)?.put(self.entry(request, recorded))
    }

    /// Records the outcome of `request` and has it synced; the ticket is ready then.
    ///
    /// # Errors
    /// Returns an error if the queue is full or the log cannot be opened.
    ///
    /// A host records an event without a stack or a set, and waits for the sync:
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_audit::{Audit, AuditSettings, Log, LogSettings, Positions, LogReader};
    /// use hooks_core::event::SessionEnd;
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_core::time::StoppedClock;
    /// use hooks_core::{HookContext, HookRequest};
    ///
    /// let disk = Arc::new(FakeDisk::default());
    /// let clock = Arc::new(StoppedClock::default());
    /// let log = Log::open(disk.clone(), "/log", LogSettings::new([7; 32]), clock)?;
    /// let audit = Audit::new(log.clone(), AuditSettings::default());
    ///
    /// let request = HookRequest::new(HookContext::new("session-1", "backend"), SessionEnd::default());
    /// audit.put_through(&request, Default::default())?.wait()?;
    ///
    /// log.close().wait()?;
    /// let records = LogReader::new(disk, "/log", Positions::default()).read(10)?;
    /// let record = &records[0].record;
    /// assert_eq!((&*record.event, &*record.session), ("session_end", "session-1"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn put_through<E: Described>(
        &self,
        request: &HookRequest<E>,
        recorded: RecordedOutcome,
    ) -> Result<Ticket, Unwritten> {
        self.log_for(request)?.put_through(self.entry(request, recorded))
    }

    /// Waits until all records so far are synced: for a process that ends after its answer. Returns the
    /// reason to deny `request` if a record was lost and the settings demand a denial.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_audit::{Audit, AuditSettings, Log, LogSettings};
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_core::time::StoppedClock;
    /// use hooks_core::{HookContext, HookRequest};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (disk, clock) = (Arc::new(FakeDisk::default()), Arc::new(StoppedClock::default()));
    /// let log = Log::open(disk, "/log", LogSettings::new([7; 32]), clock)?;
    /// let audit = Audit::new(log.clone(), AuditSettings::default());
    /// let call = PreToolUse::new("bash", serde_json::json!({"command": "make"}));
    /// let request = HookRequest::new(HookContext::default(), call);
    /// audit.put(&request, Default::default())?;
    /// assert!(audit.settled(&request).await.is_none(), "the record is synced");
    ///
    /// log.close().await?;
    /// let reason = audit.settled(&request).await.ok_or("the log takes no more records")?;
    /// assert!(reason.for_agent().contains("the audit log was closed"));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn settled<E: Described>(&self, request: &HookRequest<E>) -> Option<Reason> {
        let written = match self.log().and_then(Log::settled) {
            Ok(ticket) => ticket.await,
            Err(error) => Err(error),
        };
        written.err().and_then(|error| self.failed(request, &error))
    }

    /// Holds back the records of events that hooks observe from now on, until [`Audit::answered`] adds the
    /// answer: for a program that answers one event of a client, and encodes the answer after the decision.
    pub fn defer(&self) {
        self.log.deferred.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default();
    }

    /// Adds the `answer` to the records that were held back, writes them, and waits as [`Audit::settled`]
    /// does. Later records are not held back.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_audit::{Audit, AuditSettings, Log, LogReader, LogSettings, Positions, RecordedAnswer};
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_core::time::StoppedClock;
    /// use hooks_core::{Ending, HookContext, HookRequest, Hooks, conclude};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (disk, clock) = (Arc::new(FakeDisk::default()), Arc::new(StoppedClock::default()));
    /// let log = Log::open(disk.clone(), "/log", LogSettings::new([7; 32]), clock)?;
    /// let audit = Audit::new(log.clone(), AuditSettings::default());
    /// let hooks = Hooks::builder().config(audit.clone())?.build();
    ///
    /// audit.defer();
    /// let call = PreToolUse::new("bash", serde_json::json!({"command": "make"}));
    /// let request = HookRequest::new(HookContext::default(), call);
    /// conclude(&hooks, request.clone(), Ending::Open).await;
    /// // The program encodes the answer here.
    /// let denied = audit.answered(&request, &RecordedAnswer::new("none", [])).await;
    /// assert!(denied.is_none(), "the record is synced");
    ///
    /// log.close().await?;
    /// let records = LogReader::new(disk, "/log", Positions::default()).read(10)?;
    /// assert_eq!(records[0].record.answered.as_deref(), Some("none"));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn answered<E: Described>(
        &self,
        request: &HookRequest<E>,
        answer: &RecordedAnswer,
    ) -> Option<Reason> {
        let mut put = Ok(());
        for mut entry in self.take_deferred() {
            answer.describe(&mut entry.record);
            put = put.and(self.log_for(request).and_then(|log| log.put(move || entry)));
        }
        let written = match put.and_then(|()| self.log()?.settled()) {
            Ok(ticket) => ticket.await,
            Err(error) => Err(error),
        };
        written.err().and_then(|error| self.failed(request, &error))
    }

    /// Makes the record of an event now and holds it back, if records are held back; otherwise returns
    /// `recorded`. The event is not kept.
    pub(super) fn hold_back<E: Described>(
        &self,
        request: &HookRequest<E>,
        recorded: RecordedOutcome,
    ) -> Option<RecordedOutcome> {
        match &mut *self.log.deferred.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(deferred) => {
                deferred.push(self.settings.describe.entry(request, recorded));
                None
            }
            None => Some(recorded),
        }
    }

    /// Takes the entries that were held back; later ones are not.
    pub(super) fn take_deferred(&self) -> Vec<Entry> {
        self.log.deferred.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
    }

    /// Records the intent to run the tool of `request`, and has it synced.
    pub(super) fn put_intent<E: Described>(&self, request: &HookRequest<E>) -> Result<Ticket, Unwritten> {
        let entry = self.entry(request, RecordedOutcome::default());
        self.log_for(request)?.put_through(move || {
            let mut entry = entry();
            entry.record.event = notes::INTENT.to_owned();
            entry
        })
    }

    /// Whether the intent to run the tool of `event` has to be synced before the tool runs.
    pub(super) fn is_irreversible<E: Described>(&self, event: &E) -> bool {
        let before = self.settings.before.as_ref();
        before.is_some_and(|is_irreversible| event.tool_to_run().is_some_and(|tool| is_irreversible(tool)))
    }

    /// The log, if it is expected to write a record about `request`; otherwise the record is counted as
    /// missing.
    pub(super) fn sound_log_for<E: Event>(&self, request: &HookRequest<E>) -> Result<&Log, Unwritten> {
        let log = self.log_for(request)?;
        log.check().inspect_err(|why| log.refuse(why.clone()))?;
        Ok(log)
    }

    /// The log, for one record about `request`; if the log cannot be opened, the record is counted as
    /// missing.
    fn log_for<E: Event>(&self, request: &HookRequest<E>) -> Result<&Log, Unwritten> {
        self.log().inspect_err(|error| {
            if let Some(gaps) = &self.settings.gaps {
                let now = request.context().environment.clock.now();
                gaps.add(Missing::lost(1, now, &error.to_string()));
                // If no place can be written, the count stays in memory, where the host may ask for it.
                drop(gaps.keep());
            }
        })
    }

    /// Store of the numbers of records that could not be written.
    pub fn gaps(&self) -> Option<&Gaps> {
        self.settings.gaps.as_ref()
    }

    /// Handles a failed write of a record about `request`; returns the reason to deny it, if the settings
    /// demand a denial. The failure is always reported as a failed hook to the host's failure sink, because
    /// the log may be unable to record it.
    pub(super) fn failed<E: Described>(&self, request: &HookRequest<E>, error: &Unwritten) -> Option<Reason> {
        let error = HookError::unavailable(error.to_string());
        let reason = Reason::failure(NAME, &error).unless(
            "make room for the log, or repair it; `audit.on_error` in the configuration defines which calls run without it",
        );
        let context = request.context();
        context.environment.failures.record(context, E::KIND, &reason);
        let event = request.event();
        let on_error = match event.tool_to_run() {
            None => return None,
            Some(_) if event.changes_something() => self.settings.on_error_writing,
            Some(_) => self.settings.on_error_reading,
        };
        (on_error == OnError::Deny).then_some(reason)
    }

    /// Returns the function that makes the record in the log's thread; it shares the event by reference
    /// count.
    fn entry<E: Described>(
        &self,
        request: &HookRequest<E>,
        recorded: RecordedOutcome,
    ) -> impl FnOnce() -> Entry + use<E> {
        let (request, settings) = (request.clone(), Arc::clone(&self.settings));
        move || settings.describe.entry(&request, recorded)
    }
}

impl std::fmt::Debug for Audit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Audit")
            .field("log", &self.log.log.get())
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// The event that was judged: the rewritten one, if there is one.
pub(super) fn judged<'a, E: Event>(
    request: &'a HookRequest<E>,
    outcome: &'a E::Outcome,
) -> &'a HookRequest<E> {
    E::effective(outcome).unwrap_or(request)
}
