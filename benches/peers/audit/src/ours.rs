//! Ours: what the layer does for an event that is allowed.

use std::path::Path;
use std::sync::Arc;

use hooks::audit::describe::{Describe, Described};
use hooks::audit::verify::{Condition, verify as check};
use hooks::audit::{Log, LogSettings, Record};
use hooks::event::PreToolUse;
use hooks::{Decision, HookContext, HookRequest, StdFileSystem, SystemClock, Verdict};
use serde_json::json;

use crate::Error;

/// A log in a folder.
pub struct Ours {
    log: Log,
    describe: Arc<Describe>,
    request: HookRequest<PreToolUse>,
    put: std::cell::Cell<u32>,
}

impl Ours {
    /// Opens it.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let mut settings = LogSettings::new([1; 32]);
        settings.queue = 1 << 20;
        let context = HookContext::new("session", crate::theirs::AGENT).with_environment(hooks::system());
        let args = json!({"path": crate::theirs::PATH, "content": crate::theirs::CONTENT});
        Ok(Self {
            log: Log::open(Arc::new(StdFileSystem), folder, settings, Arc::new(SystemClock))?,
            describe: Arc::new(Describe::default()),
            request: HookRequest::new(context, PreToolUse::new("write_file", args)),
            put: std::cell::Cell::new(0),
        })
    }

    /// Puts the event down `count` times, and waits until the last is on the device.
    pub fn put(&self, count: u32) -> Result<(), Error> {
        for _ in 0..count {
            let (describe, request) = (Arc::clone(&self.describe), self.request.clone());
            let recorded = PreToolUse::recorded(&Decision::from(Verdict::ALLOW));
            self.log.put(move || describe.entry(&request, recorded))?;
        }
        self.log.put_through(|| Record::new("end", hooks::time::Timestamp(0)).into())?.wait()?;
        self.put.set(self.put.get() + count + 1);
        Ok(())
    }

    /// Closes it; how many records it has.
    pub fn close(self) -> Result<u32, Error> {
        Ok(self.put.get())
    }
}

/// Verifies the log in `folder`, which has `count` records.
pub fn verify(folder: &Path, count: u32) -> Result<(), Error> {
    let report = check(&StdFileSystem, folder, &[])?;
    let is_right = report.condition() == Condition::Clean && report.chains.iter().any(|chain| chain.seq == u64::from(count));
    if is_right { Ok(()) } else { Err("our log is not as it was written".into()) }
}
