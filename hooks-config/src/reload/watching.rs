//! A thread that looks at the files of a configuration.

use std::fmt;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};

use tokio::runtime;

use super::live::{LiveConfig, Reloaded};

/// Looks at the files of a [`LiveConfig`] while it exists, in a thread of its own. If it is dropped, it waits for a check
/// that has begun.
pub struct Watching {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl LiveConfig {
    /// Looks at the files again and again, at the interval of the section `reload`, and calls `told` with what is new. If
    /// `told` panics, it is called with [`Reloaded::Panicked`], and the watch goes on.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    ///
    /// ```
    /// use hooks_config::{LiveConfig, Reloaded};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let file = folder.path().join("hooks.yaml");
    /// std::fs::write(&file, "version: 1\nreload: { every: 20ms }\n")?;
    /// let config = LiveConfig::read(&file)?;
    /// let (tell, told) = std::sync::mpsc::channel();
    /// let watching = config.watch(move |new| drop(tell.send(new)))?;
    ///
    /// std::fs::write(&file, "version: 1\nreload: { every: 20ms }\ncommand_guard: {}\n")?;
    /// assert!(matches!(told.recv()?, Reloaded::Swapped { .. }));
    /// drop(watching);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn watch(&self, mut told: impl FnMut(Reloaded) + Send + 'static) -> io::Result<Watching> {
        let (stop, stopped) = mpsc::channel();
        let config = self.clone();
        // What earlier rules leave behind may wait for the disk.
        let closing = runtime::Builder::new_current_thread().enable_time().build()?;
        let thread = thread::Builder::new().name("hooks-reload".to_owned()).spawn(move || {
            loop {
                match stopped.recv_timeout(config.current().reload().interval()) {
                    Err(RecvTimeoutError::Timeout) => {}
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
                }
                let panicked = round(&config, &closing, &mut told).err();
                if let Some(problem) = panicked {
                    // The host gets the report, unless its function panics again; the next round is tried in any case.
                    let new = config.broken_by(&problem);
                    drop(panic::catch_unwind(AssertUnwindSafe(|| told(new))));
                }
            }
        })?;
        Ok(Watching { stop: Some(stop), thread: Some(thread) })
    }
}

/// Looks at the files once, and calls `told` with what is new.
///
/// # Errors
/// Returns the text of a panic: a watcher that ended with it would leave old rules in force without a word.
fn round(
    config: &LiveConfig,
    closing: &runtime::Runtime,
    told: &mut impl FnMut(Reloaded),
) -> Result<(), String> {
    let round = AssertUnwindSafe(|| {
        if let Some(new) = config.check() {
            told(new);
        }
        // The Scribe finds what it left at its next run, and a log counts what it could not write.
        drop(closing.block_on(config.retire()));
    });
    panic::catch_unwind(round).map_err(|cause| {
        let text = cause.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| cause.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
    })
}

impl Drop for Watching {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) =
            self.thread.take().filter(|thread| thread.thread().id() != thread::current().id())
        {
            // Panics are caught in it.
            drop(thread.join());
        }
    }
}

impl fmt::Debug for Watching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watching")
    }
}
