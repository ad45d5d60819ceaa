//! A call that a client reports through several lines of its settings counts once, and is recorded once.
//!
//! A client starts `hooks run` for every line that calls it: those of the user and of the project, and for Copilot
//! CLI those of Claude Code and VS Code too. Every process decides, so each can deny. The first process that lets
//! the call go ahead counts and records it.
//!
//! Each line takes part in every call. A file for each call has the number of times that the call was counted. It
//! also has the number of times that each line let it go ahead. A line counts if it is ahead of the first number. So a call that is made again counts again, and no line can take more calls than were counted. A process
//! that ends early changes no number.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hooks::config::places::Places;
use hooks::event::WireEvent;
use hooks::time::Clock;
use hooks::{HookContext, Strength, SystemClock};
use hooks_protocols::Decoded;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::private::{self, Digested};

/// Time after which a call is no longer the same one. A client starts its lines at once, or one after the other.
const WINDOW: Duration = Duration::from_secs(60);

/// Time to wait for the process of another line. It has decided already, and only counts and records.
const PATIENCE: Duration = Duration::from_secs(5);

/// Time between two tries.
const BETWEEN: Duration = Duration::from_millis(2);

/// Most files that are looked at when a new one is created.
const MOST_FILES: usize = 1_000;

/// Longest file in bytes: a few lines of settings have far less.
const MOST_BYTES: u64 = 64 << 10;

/// Most files that a process opens before it holds one that is still in its place.
const MOST_TRIES: u32 = 100;

/// A call, as every line of the client's settings reports it.
#[derive(Clone, Debug)]
pub(super) struct ReportedCall {
    place: PathBuf,
    line: String,
    is_denied: bool,
    /// Whether the call is counted only if the user is asked.
    is_only_asked: bool,
}

/// The turn of a line to count a call. The other lines wait until it is dropped.
#[derive(Debug)]
pub(super) struct CallTurn {
    file: File,
    counted: Counted,
    line: String,
    is_denied: bool,
}

/// The numbers of times that a call went ahead, or was denied, and was counted or recorded.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Counted {
    /// Time of the last change, in milliseconds.
    at: u64,
    /// Number of times that each line was done with the call.
    lines: BTreeMap<String, u64>,
    /// Number of times that the call was counted or recorded.
    calls: u64,
    /// Numbers of the calls that a person approved.
    #[serde(default)]
    approved: Vec<u64>,
}

impl ReportedCall {
    /// The call of an event that the rules in `config` govern; `None` if the event is not about a call, or there is
    /// no folder for state.
    ///
    /// Everything that decides where the call counts is part of its name, so that a process with other rules, or
    /// for another agent, cannot pay for it.
    pub(super) fn reported(decoded: &Decoded, context: &HookContext, config: &Path) -> Option<Self> {
        let (tool, arguments) = decoded.call()?;
        let dialect = decoded.client.dialect(&decoded.event_name);
        let tool = dialect.to_canonical(tool, Value::Null).name;
        let event = decoded.event.as_ref()?;
        let result = match event {
            WireEvent::PreToolUse(_) | WireEvent::PermissionRequest(_) => None,
            WireEvent::PostToolUse(done) => Some(done),
            _ => return None,
        };
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let config = config.canonicalize().unwrap_or_else(|_| config.to_path_buf());
        let mut name = Digested::default();
        for part in [
            decoded.client.name(),
            &path(&config),
            &event.kind().to_string(),
            context.tenant.as_deref().unwrap_or_default(),
            &context.session_id,
            context.parent_session_id.as_deref().unwrap_or_default(),
            &context.agent_name,
            context.call_id.as_deref().unwrap_or_default(),
            &path(&context.cwd),
            &path(context.root()),
            &tool,
        ] {
            name.add(part);
        }
        add_value(&mut name, arguments, &str::to_owned);
        if let Some(done) = result {
            add_value(&mut name, &done.tool_result, &folded);
            name.add(done.error.as_deref().unwrap_or_default());
        }
        let mut line = Digested::default();
        env::args_os().for_each(|word| line.add(&word.to_string_lossy()));
        Some(Self {
            place: Places::here().state()?.join("hooks/calls").join(name.end()),
            line: line.end(),
            is_denied: false,
            is_only_asked: false,
        })
    }

    /// The same call, which is counted only if the user is asked.
    pub(super) const fn if_asked(mut self) -> Self {
        self.is_only_asked = true;
        self
    }

    /// The call as it was decided; `None` if it is not counted then.
    pub(super) fn decided(self, strength: Strength) -> Option<Self> {
        match strength {
            Strength::Ask => Some(self),
            _ if self.is_only_asked => None,
            Strength::Deny => Some(self.denied()),
            _ => Some(self),
        }
    }

    /// The same call if it is denied. It only has to be recorded once, and does not pay for one that goes ahead.
    fn denied(mut self) -> Self {
        self.place.set_extension("denied");
        self.is_denied = true;
        self
    }

    /// Waits for the turn of this line. `None` if that takes too long or the file cannot be used: then the line
    /// counts the call itself.
    pub(super) async fn turn(&self) -> Option<CallTurn> {
        tokio::time::timeout(PATIENCE, self.take_turn()).await.ok()?.ok()
    }

    async fn take_turn(&self) -> io::Result<CallTurn> {
        let folder = self.place.parent().unwrap_or(Path::new("."));
        private::folder(folder)?;
        if !self.place.exists() {
            remove_old(folder);
        }
        for _ in 0..MOST_TRIES {
            let mut options = File::options();
            options.create(true).truncate(false).read(true).write(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let mut file = options.open(&self.place)?;
            loop {
                match file.try_lock() {
                    Ok(()) => break,
                    Err(TryLockError::WouldBlock) => tokio::time::sleep(BETWEEN).await,
                    Err(TryLockError::Error(error)) => return Err(error),
                }
            }
            // Another process may have removed the file as an old one.
            if is_in_place(&file, &self.place) {
                let mut text = Vec::new();
                (&mut file).take(MOST_BYTES).read_to_end(&mut text)?;
                let counted: Counted = serde_json::from_slice(&text).unwrap_or_default();
                let now = SystemClock.now().0;
                let is_new = now.abs_diff(counted.at) > u64::try_from(WINDOW.as_millis()).unwrap_or_default();
                let counted = if is_new { Counted::default() } else { counted };
                return Ok(CallTurn { file, counted, line: self.line.clone(), is_denied: self.is_denied });
            }
        }
        Err(io::Error::other("the file is removed again and again"))
    }
}

impl CallTurn {
    /// Whether this is the turn of a denied call.
    pub(super) const fn is_denied(&self) -> bool {
        self.is_denied
    }

    /// Whether another line counted or recorded this call.
    pub(super) fn is_counted(&self) -> bool {
        self.number() <= self.counted.calls
    }

    /// The number of this call, as this line counts.
    fn number(&self) -> u64 {
        self.counted.lines.get(&self.line).copied().unwrap_or_default().saturating_add(1)
    }

    /// Whether a person approved this call, for all lines.
    pub(super) fn is_approved(&self) -> bool {
        self.counted.approved.contains(&self.number())
    }

    /// Stores with [`CallTurn::keep`] that a person approved this call.
    pub(super) fn approve(&mut self) {
        let number = self.number();
        if !self.counted.approved.contains(&number) {
            self.counted.approved.push(number);
        }
    }

    /// Keeps that this line is done with the call. If that cannot be written, the next line counts the call again.
    pub(super) fn keep(mut self) {
        let number = self.number();
        self.counted.calls = self.counted.calls.max(number);
        self.counted.lines.insert(std::mem::take(&mut self.line), number);
        self.counted.at = SystemClock.now().0;
        let Ok(text) = serde_json::to_vec(&self.counted) else { return };
        let written = self.file.rewind().and_then(|()| self.file.set_len(0));
        if let Err(_unwritten) = written.and_then(|()| self.file.write_all(&text)) {
            // Half of a file is invalid, and counts as empty.
        }
    }
}

/// Removes files of calls that are long over, at most once for each new call.
fn remove_old(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_FILES);
    for path in entries.map(|entry| entry.path()) {
        let age = fs::metadata(&path).and_then(|file| file.modified()).ok();
        let is_old =
            age.and_then(|time| time.elapsed().ok()).is_some_and(|age| age > WINDOW.saturating_mul(2));
        if is_old {
            // Another process may have removed it.
            drop(fs::remove_file(path));
        }
    }
}

#[cfg(unix)]
fn is_in_place(file: &File, place: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(opened), Ok(there)) = (file.metadata(), fs::metadata(place)) else { return false };
    opened.ino() == there.ino() && opened.dev() == there.dev()
}

#[cfg(not(unix))]
fn is_in_place(_file: &File, place: &Path) -> bool {
    // An open file cannot be removed here.
    place.exists()
}

/// Adds a value, with sorted keys. A result can be long, so it is not copied.
fn add_value(digested: &mut Digested, value: &Value, key: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => {
            digested.add("text");
            digested.add(text);
        }
        Value::Array(items) => {
            digested.add(&format!("{} items", items.len()));
            for item in items {
                add_value(digested, item, key);
            }
        }
        Value::Object(members) => {
            digested.add(&format!("{} members", members.len()));
            let mut members: Vec<_> = members.iter().map(|(name, value)| (key(name), value)).collect();
            members.sort_unstable_by(|(name, _), (other, _)| name.cmp(other));
            for (name, value) in members {
                digested.add(&name);
                add_value(digested, value, key);
            }
        }
        value => digested.add(&value.to_string()),
    }
}

/// A key of a result, which Copilot CLI writes in two spellings.
fn folded(key: &str) -> String {
    key.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
}
