//! A program that is started repeatedly.

use std::io::{PipeReader, Write as _, pipe};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::cost::{Cost, Costs};
use crate::error::{Error, Result};
use crate::processor::ProcessorWatch;
use crate::stopwatch::Stopwatch;

/// A program, and the costs of its starts.
#[derive(Debug)]
pub(super) struct Contestant {
    pub(super) name: String,
    line: Vec<String>,
    payload: Value,
    /// Number of calls so far.
    calls: AtomicU64,
    /// Folder of the program's state.
    state: String,
    /// Folder that it starts in and the home of its user, if they are not those of this process.
    places: Option<[PathBuf; 2]>,
    /// Costs of one process after the other.
    pub(super) alone: Costs,
    /// Costs of many processes at once.
    pub(super) at_once: Costs,
}

impl Contestant {
    pub(super) fn new(name: impl Into<String>, line: &[&str], payload: Value, folder: &Path) -> Self {
        Self {
            name: name.into(),
            line: line.iter().map(|word| (*word).to_owned()).collect(),
            payload,
            calls: AtomicU64::new(0),
            state: folder.join("state").to_string_lossy().into_owned(),
            places: None,
            alone: Costs::default(),
            at_once: Costs::default(),
        }
    }

    /// Starts it in a folder, as a user with this home.
    #[must_use]
    pub(super) fn in_folder(mut self, folder: &Path, home: &Path) -> Self {
        self.places = Some([folder, home].map(Path::to_path_buf));
        self
    }

    /// Starts one process with the payload, and waits until it ends.
    ///
    /// # Errors
    /// Returns an error if the process cannot be started, or fails.
    pub(super) fn start(&self) -> Result<Cost> {
        let processor = ProcessorWatch::start()?;
        let wall = self.wall()?;
        Ok(Cost { wall: milliseconds(wall), cpu: milliseconds(processor.elapsed()?) })
    }

    /// Starts `count` processes at the same moment, and waits until all have ended. The processor time of
    /// each is the mean.
    ///
    /// # Errors
    /// Returns an error if a process cannot be started, or fails.
    pub(super) fn start_at_once(&self, count: u32) -> Result<Vec<Cost>> {
        let processor = ProcessorWatch::start()?;
        let gate = Barrier::new(count.try_into().unwrap_or(usize::MAX));
        let walls: Vec<Duration> = thread::scope(|scope| {
            let start = || {
                gate.wait();
                self.wall()
            };
            let running: Vec<_> = (0..count).map(|_| scope.spawn(start)).collect();
            let died = |_| Error::new("a thread that started a process died");
            running.into_iter().map(|thread| thread.join().map_err(died)?).collect::<Result<_>>()
        })?;
        let cpu = milliseconds(processor.elapsed()? / count);
        Ok(walls.into_iter().map(|wall| Cost { wall: milliseconds(wall), cpu }).collect())
    }

    /// Time from the start of one process to its end.
    fn wall(&self) -> Result<Duration> {
        let (program, arguments) =
            self.line.split_first().ok_or_else(|| Error::new("there is no program"))?;
        #[expect(clippy::disallowed_methods, reason = "starting processes is what is measured here")]
        let mut command = Command::new(program);
        command.args(arguments).stdin(self.payload()?).stdout(Stdio::null()).stderr(Stdio::null());
        command.env("XDG_STATE_HOME", &self.state);
        if let Some([folder, home]) = &self.places {
            command.current_dir(folder).env("HOME", home);
        }
        let watch = Stopwatch::start();
        let status = command
            .status()
            .map_err(|cause| Error::doing(format!("`{program}` cannot be started"), cause))?;
        let wall = watch.elapsed();
        if !status.success() {
            return Err(Error::new(format!("`{}` failed ({status})", self.line.join(" "))));
        }
        Ok(wall)
    }

    /// The payload of the next call. All of it is in a pipe before the program starts.
    fn payload(&self) -> Result<PipeReader> {
        let mut payload = self.payload.clone();
        if let Some(id) = payload.get_mut("tool_use_id") {
            *id = json!(format!("toolu_{}", self.calls.fetch_add(1, Ordering::Relaxed)));
        }
        let (reader, mut writer) = pipe()?;
        writer.write_all(payload.to_string().as_bytes())?;
        Ok(reader)
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
