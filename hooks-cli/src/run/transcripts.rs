//! Counts the answers of the model for clients that have no hook for a model call.
//!
//! Such a client writes each answer to the transcript of its session. Before an event is decided, the answers
//! that are new there are sent to the hooks as `after_model_call`, so that budgets, limits, metrics and the
//! record see them. How far the transcripts were read is kept in `hooks/transcripts` in the user's state, one
//! file for each session; processes that answer events of one session at once take turns.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hooks::EventKind;
use hooks::config::places::Places;
use hooks::event::{AfterModelCall, Message, ModelReply, Role, WireEvent};
use hooks::time::Timestamp;
use hooks_protocols::{Client, Decoded, TranscriptAnswer, TranscriptLedger};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Failure;
use crate::private::{self, digest};

/// Time after the end of a session in which clients write its last answer. It was seen up to 75 ms later.
pub(super) const WRITTEN_AFTER: Duration = Duration::from_millis(200);

/// Bytes of a file that are read at a time, and the longest line.
const MOST_BYTES: u64 = 16 << 20;

/// Tries to take a turn, and the time between them.
const TRIES: u32 = 1_000;
const BETWEEN: Duration = Duration::from_millis(5);

#[expect(
    clippy::disallowed_methods,
    reason = "this waits for another process, which no clock of ours can stop"
)]
fn pause() {
    std::thread::sleep(BETWEEN);
}

/// Tries to find a transcript before its session counts as one without. Copilot CLI begins it after the first tools, if
/// its model answers at once.
const LATE_TRIES: u32 = 200;

/// Waits for a file, and returns whether it appeared.
fn appears(file: &Path) -> bool {
    (0..LATE_TRIES).any(|_| {
        pause();
        file.is_file()
    })
}

/// Time after which a session that was not continued is forgotten.
const FORGOTTEN: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// Most sessions of a project that are looked at for the original of a copy.
const MOST_BESIDE: usize = 64;

/// Most files below the folder of a session's subagents, and the deepest of these folders.
const MOST_ENTRIES: usize = 20_000;
const MOST_DEEP: u32 = 32;

/// Tools that may end before the transcript is there. Copilot CLI begins it up to a second after its first tool.
const MOST_WITHOUT: u32 = 3;

/// State of a session between its events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Kept {
    ledger: TranscriptLedger,
    /// Names of agents, by the file of their answers and by their id.
    agents: BTreeMap<String, String>,
    /// Ids of subagents, by the file of their answers.
    #[serde(default)]
    ids: BTreeMap<String, String>,
    /// Tools that ended while there was no transcript.
    ended_without: u32,
}

/// The new answers of a session, of which no other process counts any until this value is dropped.
pub(super) struct Unread {
    kept: Kept,
    is_changed: bool,
    place: PathBuf,
    _turn: File,
    answers: Vec<UncountedAnswer>,
}

/// An answer, and the agent that it answered.
pub(super) struct UncountedAnswer {
    pub(super) agent: String,
    /// Id of the agent, if it is a subagent.
    pub(super) agent_id: Option<String>,
    answer: TranscriptAnswer,
}

impl UncountedAnswer {
    /// The event, and the id of the call. The text of the answer is not read.
    pub(super) fn event(&self) -> (String, AfterModelCall) {
        let TranscriptAnswer { id, model, usage, .. } = &self.answer;
        let reply = ModelReply { response: Message::text(Role::Assistant, ""), usage: *usage, cost: None };
        (id.clone(), AfterModelCall::new(model.clone(), 0, &reply).unannounced())
    }

    /// Time of the answer, if the transcript names it.
    pub(super) fn at(&self) -> Option<Timestamp> {
        self.answer.at
    }
}

/// Whether the answers of this client are counted in its transcripts.
pub(super) fn has(client: Client) -> bool {
    TranscriptLedger::new(client).is_some()
}

/// Reads the answers that are new since the last event of the session. `None` if this client reports model
/// calls itself, or if there is no transcript and its answers need not be counted.
pub(super) fn unread(decoded: &Decoded, is_needed: bool) -> Result<Option<Unread>, Failure> {
    let Some(ledger) = TranscriptLedger::new(decoded.client) else { return Ok(None) };
    let path = transcript(decoded);
    if !is_needed && !path.as_ref().is_some_and(|path| path.is_file()) {
        return Ok(None);
    }
    let place = place_of(decoded, path.as_deref()).ok_or("there is no folder for state; set `HOME`")?;
    let cannot = |error: io::Error| {
        let what = path.as_deref().unwrap_or(&place).display();
        format!("the answers in the transcript `{what}` cannot be counted: {error}")
    };
    let turn = turn(decoded.client, &place).map_err(cannot)?;
    let mut kept = match fs::read(&place) {
        Ok(text) => serde_json::from_slice(&text).map_err(|error| cannot(error.into()))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => begun(ledger, &place),
        Err(error) => return Err(cannot(error)),
    };
    let before = kept.clone();
    // Its file may be missing while those of its subagents exist.
    let main = path.as_deref();
    let ends_tool = decoded.event.as_ref().map(WireEvent::kind) == Some(EventKind::PostToolUse);
    let without = kept.ended_without.saturating_add(ends_tool.into());
    let is_last = kept.ended_without < MOST_WITHOUT && without >= MOST_WITHOUT;
    let is_there = main.is_some_and(|main| main.is_file() || is_last && appears(main));
    kept.ended_without = if is_there { 0 } else { without };
    let acting = Acting::in_event(decoded, main);
    acting.remember(&mut kept);
    let mut answers = Vec::new();
    for file in files(decoded.client, main, &kept).map_err(cannot)? {
        answers.extend(kept.read(decoded.client, &file, main).map_err(cannot)?);
    }
    Ok(Some(Unread { is_changed: kept != before, kept, place, _turn: turn, answers }))
}

impl Unread {
    /// The new answers, in the order of their files.
    pub(super) fn answers(&self) -> &[UncountedAnswer] {
        &self.answers
    }

    /// Returns the reason why answers cannot be counted: tools ended and there is no transcript, or a line of it
    /// cannot be read.
    pub(super) fn missing(&self) -> Option<Failure> {
        if self.kept.ended_without >= MOST_WITHOUT {
            let reason = "this client writes no transcript, and its model calls can only be counted there; \
                start it so that it keeps its sessions, or remove `budget` and `limits.iterations` from the rules";
            return Some(reason.to_owned());
        }
        let (file, at) = self.kept.ledger.unreadable()?;
        Some(format!(
            "the line at byte {at} of the transcript `{file}` cannot be read, so an answer of the model may not be \
             counted; begin another session"
        ))
    }

    /// Keeps how far the transcripts were read. Call this after the answers were counted: what is counted twice
    /// has the same id, and what is not counted would be lost.
    pub(super) fn keep(self) -> Result<(), Failure> {
        if !self.is_changed {
            return Ok(());
        }
        let written = serde_json::to_vec(&self.kept).map_err(io::Error::from);
        written
            .and_then(|text| private::replace(&self.place, &text))
            .map_err(|error| format!("`{}` cannot be written: {error}", self.place.display()))
    }
}

impl Kept {
    /// Reads what is new in a file.
    fn read(&mut self, client: Client, path: &Path, main: Option<&Path>) -> io::Result<Vec<UncountedAnswer>> {
        let name = path.to_string_lossy().into_owned();
        let mut file = match File::open(path) {
            Ok(file) => file,
            // A file that was read before can be removed by its client.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let (mut answers, mut bytes) = (Vec::new(), Vec::new());
        let (read_before, compared) = (self.ledger.offset(&name), self.ledger.compared(&name));
        file.seek(SeekFrom::Start(read_before.saturating_sub(compared)))?;
        (&mut file).take(compared).read_to_end(&mut bytes)?;
        if file.metadata()?.len() < read_before || !self.ledger.continues(&name, &bytes) {
            self.ledger.start_over(&name);
        }
        loop {
            let before = self.ledger.offset(&name);
            file.seek(SeekFrom::Start(before))?;
            bytes.clear();
            let read = (&mut file).take(MOST_BYTES).read_to_end(&mut bytes)?;
            answers.extend(self.ledger.read(&name, &bytes));
            if u64::try_from(read).is_ok_and(|read| read < MOST_BYTES) {
                break;
            }
            if self.ledger.offset(&name) == before {
                return Err(io::Error::other(format!("a line is longer than {} MiB", MOST_BYTES >> 20)));
            }
        }
        if answers.is_empty() {
            return Ok(Vec::new());
        }
        // In an event of a subagent, Codex CLI names its file in place of that of the session.
        let is_main = main == Some(path) && !self.ids.contains_key(&name);
        let of_file = self.ids.get(&name).cloned().or_else(|| id_of_file(client, path)).filter(|_| !is_main);
        let described = if is_main { None } else { agent_of_file(client, path) };
        let named = |answer: TranscriptAnswer| {
            let agent_id = answer.agent_id.clone().or_else(|| of_file.clone());
            let known = |key: &String| self.agents.get(key).cloned();
            let agent = match &agent_id {
                // An agent without a known name is not the main agent, so its id is its name.
                Some(id) => known(id).or_else(|| described.clone()).unwrap_or_else(|| id.clone()),
                None => known(&name).or_else(|| described.clone()).unwrap_or_default(),
            };
            UncountedAnswer { agent, agent_id, answer }
        };
        Ok(answers.into_iter().map(named).collect())
    }
}

/// The transcript that the payload names. Copilot CLI names it at few events, but its place is known.
fn transcript(decoded: &Decoded) -> Option<PathBuf> {
    let named = |key: &str| decoded.extra.get(key).and_then(Value::as_str).map(PathBuf::from);
    let built = || of_copilot(&decoded.context.session_id);
    let path = named("transcript_path").or_else(|| named("transcriptPath"));
    path.or_else(|| (decoded.client == Client::Copilot).then(built).flatten())
        .filter(|path| path.is_absolute())
        .map(|path| whole(&path))
}

/// The transcript of a session of Copilot CLI.
pub(super) fn of_copilot(session: &str) -> Option<PathBuf> {
    let is_name = !session.is_empty() && session.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let folder = Places::here().of_client(".copilot")?;
    is_name.then(|| folder.join("session-state").join(session).join("events.jsonl"))
}

/// The agent of an event.
struct Acting {
    name: String,
    id: Option<String>,
    /// The file of its answers, if the payload names it. The answers of Copilot CLI name their agent.
    file: Option<String>,
}

impl Acting {
    /// Codex CLI names the file of the subagent in place of that of its session, except at its end.
    fn in_event(decoded: &Decoded, main: Option<&Path>) -> Self {
        let id = agent_id(decoded);
        let named = decoded.extra.get("agent_transcript_path").and_then(Value::as_str);
        let own = named.map(|named| whole(Path::new(named)));
        let is_in_main = id.is_none() || decoded.client == Client::Codex;
        let file = own.or_else(|| main.filter(|_| is_in_main).map(Path::to_path_buf));
        let file = file.map(|file| file.to_string_lossy().into_owned());
        Self { name: decoded.context.agent_name.clone(), id, file }
    }

    /// Keeps the names of the agent's file and id. The agent of a session can have a name, too.
    fn remember(self, kept: &mut Kept) {
        let Self { name, id, file } = self;
        match (&id, file) {
            (Some(id), Some(file)) => drop(kept.ids.insert(file, id.clone())),
            (None, Some(file)) if name.is_empty() => drop(kept.agents.remove(&file)),
            (None, Some(file)) => drop(kept.agents.insert(file, name.clone())),
            (_, None) => {}
        }
        if let Some(id) = id.filter(|_| !name.is_empty()) {
            kept.agents.insert(id, name);
        }
    }
}

/// The id of the subagent that an event is of; `None` for the agent of the session, and for other clients.
pub(super) fn agent_id(decoded: &Decoded) -> Option<String> {
    if !has(decoded.client) {
        return None;
    }
    let text = |key: &str| decoded.extra.get(key).and_then(Value::as_str);
    let child = match &decoded.event {
        Some(WireEvent::SubagentStart(child)) => child.child_id.as_deref(),
        Some(WireEvent::SubagentSpawned(child)) => child.child_id.as_deref(),
        Some(WireEvent::SubagentStop(child)) => child.child_id.as_deref(),
        _ => None,
    };
    let id = text("agent_id").or_else(|| text("agentId")).or(child);
    id.filter(|id| !id.is_empty()).map(str::to_owned)
}

/// The path by which a file is known: absolute, without links, as far as it exists. So each file has one name.
fn whole(path: &Path) -> PathBuf {
    for above in path.ancestors() {
        if let Ok(found) = fs::canonicalize(above) {
            let rest = path.strip_prefix(above).unwrap_or(Path::new(""));
            // `join` of an empty path would add a separator.
            return if rest.as_os_str().is_empty() { found } else { found.join(rest) };
        }
    }
    path.to_path_buf()
}

/// The id of the subagent in the name of its file: Claude Code writes `agent-ID.jsonl`.
fn id_of_file(client: Client, path: &Path) -> Option<String> {
    let name = path.file_stem()?.to_str()?;
    let id = name.strip_prefix("agent-").unwrap_or(name);
    (client == Client::Claude).then(|| id.to_owned())
}

/// The agent of a file that the client describes in a file beside it.
fn agent_of_file(client: Client, path: &Path) -> Option<String> {
    if client != Client::Claude {
        return None;
    }
    let about = path.with_extension("meta.json");
    let text = about.is_file().then(|| fs::read(about).ok()).flatten()?;
    let about: Value = serde_json::from_slice(&text).ok()?;
    about.get("agentType")?.as_str().map(str::to_owned)
}

/// The files of a session, those of subagents first.
fn files(client: Client, main: Option<&Path>, kept: &Kept) -> io::Result<Vec<PathBuf>> {
    let known = kept.ledger.files().chain(kept.ids.keys().map(String::as_str));
    let mut files: Vec<PathBuf> = known.map(PathBuf::from).filter(|path| path.is_absolute()).collect();
    if let Some(main) = main {
        if client == Client::Claude {
            below(&main.with_extension("").join("subagents"), &mut files)?;
        }
        files.retain(|file| file != main);
    }
    files.sort();
    files.dedup();
    files.extend(main.map(Path::to_path_buf));
    Ok(files)
}

/// Adds the transcripts in a folder and in the folders below it.
fn below(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut left = vec![(folder.to_path_buf(), 0_u32)];
    let mut entries = 0_usize;
    while let Some((folder, depth)) = left.pop() {
        let found = match fs::read_dir(&folder) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        for entry in found {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            entries = entries.saturating_add(1);
            if entries > MOST_ENTRIES || depth > MOST_DEEP {
                return Err(io::Error::other("there are more files of subagents than can be read"));
            }
            if kind.is_dir() {
                left.push((path, depth.saturating_add(1)));
            } else if is_transcript(&path) {
                files.push(path);
            }
        }
    }
    Ok(())
}

fn is_transcript(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jsonl") && path.is_file()
}

/// The file in which a session is kept. Sessions of one folder of transcripts share a folder, as one can be a
/// copy of another. The agents of Codex CLI share the session and have a file each.
fn place_of(decoded: &Decoded, transcript: Option<&Path>) -> Option<PathBuf> {
    let folder = match (decoded.client, transcript.and_then(Path::parent)) {
        (Client::Claude, Some(folder)) => digest(&folder.to_string_lossy()),
        _ => "sessions".to_owned(),
    };
    let session = digest(&decoded.context.session_id);
    let name = decoded.client.name();
    let state = Places::here().state()?.join("hooks/transcripts");
    Some(state.join(name).join(folder).join(format!("{session}.json")))
}

/// Waits until no other process counts answers of this session, or, for Claude Code, of this folder, in which one
/// session can be a copy of another.
fn turn(client: Client, place: &Path) -> io::Result<File> {
    let folder = place.parent().unwrap_or(Path::new("."));
    private::folder(folder)?;
    let session = place.file_name().map(|name| name.to_string_lossy().chars().take(2).collect::<String>());
    // A few sessions share a lock, so that there are at most 256.
    let lock = match session {
        Some(session) if client != Client::Claude => format!("turn-{session}.lock"),
        _ => "turn.lock".to_owned(),
    };
    let file = File::options().create(true).truncate(false).write(true).open(folder.join(lock))?;
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => pause(),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Err(io::Error::other("another process has been counting for too long"))
}

/// A session that is new here: it knows what the sessions beside it found, and those that ended long ago are
/// removed.
fn begun(mut ledger: TranscriptLedger, place: &Path) -> Kept {
    let entries = place.parent().and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let mut beside: Vec<(SystemTime, PathBuf)> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
        .collect();
    beside.sort_unstable_by(|one, other| other.cmp(one));
    for (modified, path) in beside.split_off(beside.len().min(MOST_BESIDE)) {
        if modified.elapsed().is_ok_and(|age| age > FORGOTTEN) {
            drop(fs::remove_file(path));
        }
    }
    for (_, path) in beside {
        let other = fs::read(path).ok().and_then(|text| serde_json::from_slice::<Kept>(&text).ok());
        if let Some(other) = other {
            ledger.beside(&other.ledger);
        }
    }
    Kept { ledger, agents: BTreeMap::new(), ids: BTreeMap::new(), ended_without: 0 }
}
