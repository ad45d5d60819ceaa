//! What puts events on the record: a log, and how they are put down.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use hooks_core::{Event, HookError, HookRequest, Reason};

use super::settings::{AuditSettings, OnError};
use crate::append::{Entry, OpenError};
use crate::describe::{Described, Said};
use crate::log::{Gaps, Log, Missing, Ticket, Unwritten};
use crate::record::notes;

/// The name that reasons give it.
pub(super) const NAME: &str = "audit";

/// Puts events on the record. Clones share the log.
#[derive(Clone)]
pub struct Audit {
    log: Arc<LazyLog>,
    settings: Arc<AuditSettings>,
}

/// An [`Audit`] that keeps no log open.
#[derive(Clone)]
pub struct WeakAudit {
    log: Weak<LazyLog>,
    settings: Arc<AuditSettings>,
}

impl WeakAudit {
    /// Returns what writes to the log; `None` once nothing else does.
    pub fn upgrade(&self) -> Option<Audit> {
        Some(Audit { log: self.log.upgrade()?, settings: Arc::clone(&self.settings) })
    }
}

impl std::fmt::Debug for WeakAudit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WeakAudit").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// A log that is opened when there is something to put down.
struct LazyLog {
    log: OnceLock<Log>,
    open: Mutex<Box<OpenLog>>,
}

/// Opens a log.
type OpenLog = dyn Fn() -> Result<Log, OpenError> + Send;

impl Audit {
    /// Writes to `log`.
    pub fn new(log: Log, settings: AuditSettings) -> Self {
        let again = log.clone();
        let audit = Self::lazy(move || Ok(again.clone()), settings);
        audit.log.log.get_or_init(|| log);
        audit
    }

    /// Writes to what `open` opens once there is something to put down: whoever only reads a configuration leaves no
    /// trace. Where it cannot be opened, it is tried again with the next event.
    pub fn lazy(open: impl Fn() -> Result<Log, OpenError> + Send + 'static, settings: AuditSettings) -> Self {
        let log = LazyLog { log: OnceLock::new(), open: Mutex::new(Box::new(open)) };
        Self { log: Arc::new(log), settings: Arc::new(settings) }
    }

    /// Returns what writes to the same log, but does not keep it open.
    pub fn downgrade(&self) -> WeakAudit {
        WeakAudit { log: Arc::downgrade(&self.log), settings: Arc::clone(&self.settings) }
    }

    /// The log.
    ///
    /// # Errors
    /// Where it cannot be opened.
    pub fn log(&self) -> Result<&Log, Unwritten> {
        if let Some(log) = self.log.log.get() {
            return Ok(log);
        }
        let open = self.log.open.lock().unwrap_or_else(PoisonError::into_inner);
        if self.log.log.get().is_none() {
            let log = open().map_err(|error| Unwritten::Disk(error.to_string().into()))?;
            // Nobody else can have opened it meanwhile.
            drop(self.log.log.set(log));
        }
        self.log.log.get().ok_or(Unwritten::Closed)
    }

    /// The log, where it was opened.
    pub(super) fn opened(&self) -> Option<&Log> {
        self.log.log.get()
    }

    /// Puts down what was answered to `request`, without waiting. A counter, the reasons, and a place in the queue.
    ///
    /// # Errors
    /// Where the queue is full.
    pub fn put<E: Described>(&self, request: &HookRequest<E>, said: Said) -> Result<(), Unwritten> {
        self.log_for(request)?.put(self.entry(request, said))
    }

    /// Puts down what was answered to `request`, through to the device.
    ///
    /// # Errors
    /// Where the queue is full.
    pub fn put_through<E: Described>(
        &self,
        request: &HookRequest<E>,
        said: Said,
    ) -> Result<Ticket, Unwritten> {
        self.log_for(request)?.put_through(self.entry(request, said))
    }

    /// Waits until all that was put down is on the device: for a process that ends with its answer. The reason to refuse
    /// `request`, where something of it is not there and that is what it means.
    pub async fn settled<E: Described>(&self, request: &HookRequest<E>) -> Option<Reason> {
        let written = match self.log().and_then(Log::settled) {
            Ok(ticket) => ticket.await,
            Err(error) => Err(error),
        };
        written.err().and_then(|error| self.failed(request, &error))
    }

    /// Puts down, through to the device, that the tool of `request` is about to run.
    pub(super) fn put_intent<E: Described>(&self, request: &HookRequest<E>) -> Result<Ticket, Unwritten> {
        let entry = self.entry(request, Said::default());
        self.log_for(request)?.put_through(move || {
            let mut entry = entry();
            entry.record.event = notes::INTENT.to_owned();
            entry
        })
    }

    /// Whether the intent to run the tool of `event` has to be on the device before it runs.
    pub(super) fn is_irreversible<E: Described>(&self, event: &E) -> bool {
        let before = self.settings.before.as_ref();
        before.is_some_and(|is_irreversible| event.tool_to_run().is_some_and(|tool| is_irreversible(tool)))
    }

    /// The log, as long as it can be hoped that what is put down about `request` will be written; counted where it cannot.
    pub(super) fn sound_log_for<E: Event>(&self, request: &HookRequest<E>) -> Result<&Log, Unwritten> {
        let log = self.log_for(request)?;
        log.check().inspect_err(|why| log.refuse(why.clone()))?;
        Ok(log)
    }

    /// The log, to put one record about `request` down; the record is counted where that cannot be opened.
    fn log_for<E: Event>(&self, request: &HookRequest<E>) -> Result<&Log, Unwritten> {
        self.log().inspect_err(|error| {
            if let Some(gaps) = &self.settings.gaps {
                let now = request.context().environment.clock.now();
                gaps.add(Missing::lost(1, now, &error.to_string()));
                // What can be kept nowhere is in memory: whoever ends the process may ask for it.
                drop(gaps.keep());
            }
        })
    }

    /// Where it is kept what could not be put down.
    pub fn gaps(&self) -> Option<&Gaps> {
        self.settings.gaps.as_ref()
    }

    /// What a log that cannot be written means for `request`; the reason to refuse it, or none. Recorded either way as a
    /// failure of a hook, by the host's sink: the log itself may not be able to.
    pub(super) fn failed<E: Described>(&self, request: &HookRequest<E>, error: &Unwritten) -> Option<Reason> {
        let error = HookError::unavailable(error.to_string());
        let reason = Reason::failure(NAME, &error).unless(
            "make room for the log, or repair it; `audit.on_error` in the configuration says what goes on without it",
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

    /// What makes the record, for the log's thread: it keeps the event by a counter.
    fn entry<E: Described>(&self, request: &HookRequest<E>, said: Said) -> impl FnOnce() -> Entry + use<E> {
        let (request, settings) = (request.clone(), Arc::clone(&self.settings));
        move || settings.describe.entry(&request, said)
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

/// The event that `outcome` is about.
pub(super) fn judged<'a, E: Event>(
    request: &'a HookRequest<E>,
    outcome: &'a E::Outcome,
) -> &'a HookRequest<E> {
    E::effective(outcome).unwrap_or(request)
}
