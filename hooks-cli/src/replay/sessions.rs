//! The tool calls in transcripts, of all files together in the order of their times.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hooks::time::Timestamp;
use hooks_protocols::{Client, TranscriptCall, TranscriptCalls, TranscriptStep, decode};
use serde_json::Value;

use super::moment::{self, Moment, RecordPosition, Step};
use crate::failure::Failure;
use crate::output::err;
use crate::paint::OPEN;

/// Maximum length of a line; a longer one holds no call that a hook has seen.
const LONGEST_LINE: u64 = 64 << 20;
/// Lines at the start of a file that may show its client.
const FIRST_LINES: usize = 64;
/// Maximum depth of folders.
const DEEPEST: u32 = 16;
/// Steps of a batch, as many as of records.
const BATCH: usize = 256;

/// The transcripts below a folder, which are read in batches.
pub(super) struct SessionsSource {
    files: Vec<Transcript>,
    /// Files with lines that were not read, the one with the earliest next line first. Copies of a session begin later
    /// than their original.
    waiting: BinaryHeap<Reverse<(u64, u64, usize)>>,
    /// Folder of sessions that name none.
    cwd: Option<PathBuf>,
    seen: HashSet<u64>,
    /// Whether there was no time for all files.
    is_cut: bool,
}

impl SessionsSource {
    /// Finds all transcripts below `folder`, or those that are found before it `is_late`. `cwd` is the folder of sessions that name
    /// none.
    pub(super) fn new(
        folder: &Path,
        cwd: Option<&Path>,
        is_late: &dyn Fn() -> bool,
    ) -> Result<Self, Failure> {
        let cannot =
            |error: io::Error| Failure::message(format!("`{}` cannot be read: {error}", folder.display()));
        let mut paths = Vec::new();
        find(folder, 0, &mut paths).map_err(cannot)?;
        paths.sort();
        let (mut files, mut waiting) = (Vec::new(), BinaryHeap::new());
        let mut is_cut = false;
        for path in &paths {
            is_cut = is_late();
            if is_cut {
                break;
            }
            if let Some(file) = Transcript::find(folder, path)? {
                waiting.push(Reverse((file.start, file.start, files.len())));
                files.push(file);
            }
        }
        if files.is_empty() {
            return Err(Failure::message(format!(
                "there is no transcript of a known client below `{}`; name the folder that its client writes, such as \
                 `~/.claude/projects`",
                folder.display()
            )));
        }
        Ok(Self { files, waiting, cwd: cwd.map(Path::to_path_buf), seen: HashSet::new(), is_cut })
    }

    /// Whether there was no time to find all files.
    pub(super) const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The next calls and their ends; empty at the end.
    pub(super) fn next(&mut self) -> Result<Vec<Step>, Failure> {
        let mut batch = Vec::new();
        while batch.len() < BATCH
            && let Some(Reverse((_, start, index))) = self.waiting.pop()
        {
            let Some(file) = self.files.get_mut(index) else { continue };
            let Some(found) = file.next()? else { continue };
            self.waiting.push(Reverse((file.at, start, index)));
            for step in found {
                batch.extend(file.step(step, self.cwd.as_deref(), &mut self.seen));
            }
        }
        Ok(batch)
    }

    /// Files whose last line is not complete; each was printed.
    pub(super) fn unfinished(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter(|file| file.is_cut).map(|file| &*file.name)
    }
}

fn find(folder: &Path, depth: u32, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() && depth < DEEPEST {
            find(&path, depth + 1, paths)?;
        } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "jsonl") {
            paths.push(path);
        }
    }
    Ok(())
}

/// A file that is read line by line. It is open only while it is read.
struct Transcript {
    path: PathBuf,
    name: Arc<str>,
    client: Client,
    calls: TranscriptCalls,
    lines: Option<BufReader<File>>,
    is_over: bool,
    /// Whether its last line is not complete.
    is_cut: bool,
    line: u64,
    /// Time of the first line with a time, and of the last line that was read.
    start: u64,
    at: u64,
}

impl Transcript {
    /// The transcript at `path`; `None` if it is another file.
    fn find(folder: &Path, path: &Path) -> Result<Option<Self>, Failure> {
        let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy();
        let mut lines = BufReader::new(open(path)?);
        let (mut client, mut start, mut text) = (None, None, Vec::new());
        for _ in 0..FIRST_LINES {
            if next_line(&mut lines, &mut text).map_err(|error| unreadable(path, &error))? == NextLine::None {
                break;
            }
            let Ok(line) = serde_json::from_slice::<Value>(&text) else { continue };
            client = client.or_else(|| TranscriptCalls::client_of(&line));
            start = start.or_else(|| time(&line));
            if client.is_some() && start.is_some() {
                break;
            }
        }
        Ok(client.and_then(|client| {
            let start = start.map_or(0, |at| at.0);
            let calls = TranscriptCalls::new(client)?;
            let (path, name) = (path.to_path_buf(), name.as_ref().into());
            Some(Self {
                path,
                name,
                client,
                calls,
                lines: None,
                is_over: false,
                is_cut: false,
                line: 0,
                start,
                at: start,
            })
        }))
    }

    /// The steps of the next line; `None` at the end.
    fn next(&mut self) -> Result<Option<Vec<TranscriptStep>>, Failure> {
        if self.is_over {
            return Ok(None);
        }
        let mut lines = match self.lines.take() {
            Some(lines) => lines,
            None => BufReader::new(open(&self.path)?),
        };
        let mut text = Vec::new();
        let read = next_line(&mut lines, &mut text).map_err(|error| unreadable(&self.path, &error))?;
        let line = serde_json::from_slice(&text);
        match read {
            NextLine::Whole => self.lines = Some(lines),
            NextLine::WithoutEnd if line.is_ok() => self.is_over = true,
            NextLine::WithoutEnd => {
                (self.is_over, self.is_cut) = (true, true);
                let path = self.path.display();
                writeln!(
                    err(),
                    "{OPEN}warning{OPEN:#}: the last line of `{path}` is not complete, and is left out: the client is writing it, \
                     or was interrupted"
                )?;
                return Ok(None);
            }
            NextLine::None => {
                self.is_over = true;
                return Ok(None);
            }
        }
        self.line += 1;
        let line = line.unwrap_or(Value::Null);
        self.at = time(&line).map_or(self.at, |at| at.0.max(self.at));
        Ok(Some(self.calls.read(&line)))
    }

    /// A step as it is judged. Calls that another file has too are left out.
    fn step(&self, step: TranscriptStep, cwd: Option<&Path>, seen: &mut HashSet<u64>) -> Option<Step> {
        // Ids are unique in a file at most: some clients count from 0 in each session.
        let id = |id: &str| -> Arc<str> { format!("{}/{id}", self.name).into() };
        match step {
            TranscriptStep::Called(call) => {
                // A fork copies calls and their times, under another session.
                let arguments = ["tool_input", "toolArgs"].map(|key| call.payload.get(key));
                let copy = format!("{}/{}/{:?}/{arguments:?}", self.client.name(), call.id, call.at);
                seen.insert(digest(&copy)).then(|| self.called(id(&call.id), &call, cwd))
            }
            TranscriptStep::Ended(end) => Some(Step::Ended(id(&end.id), end.is_denied)),
            _ => None,
        }
    }

    fn called(&self, id: Arc<str>, call: &TranscriptCall, cwd: Option<&Path>) -> Step {
        let place = RecordPosition::Line(Arc::clone(&self.name), self.line);
        let Ok(decoded) = decode(self.client, Some(call.event), call.payload.to_string().as_bytes()) else {
            return Step::Passed;
        };
        let tool = decoded.call().map(|(tool, _)| tool.to_owned());
        let mut context = decoded.context;
        context.timestamp = call.at.unwrap_or(Timestamp(self.at));
        context.call_id = context.call_id.or_else(|| Some(call.id.clone()));
        let agent = call.payload.get("agent_id").and_then(Value::as_str);
        context.agent_id = context.agent_id.or_else(|| agent.map(str::to_owned));
        if context.cwd.as_os_str().is_empty() {
            context.cwd = cwd.map(Path::to_path_buf).unwrap_or_default();
        }
        let not_known = context.cwd.as_os_str().is_empty().then_some("the transcript names no folder");
        let Some(event) = decoded.event else { return Step::Passed };
        Step::Called(
            id,
            Box::new(Moment {
                place,
                kind: event.kind(),
                subject: moment::subject(&event),
                event: Some(event),
                new: None,
                old: None,
                context: Arc::new(context),
                tool,
                recorded: None,
                client: Some(self.client),
                not_known: not_known.into_iter().collect(),
            }),
        )
    }
}

fn time(line: &Value) -> Option<Timestamp> {
    line.get("timestamp").or_else(|| line.get("startTime"))?.as_str()?.parse().ok()
}

fn digest(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

fn open(path: &Path) -> Result<File, Failure> {
    File::open(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::message(format!("`{}` cannot be read: {error}", path.display()))
}

/// Result of reading a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NextLine {
    Whole,
    /// The end of the file comes before the end of the line, which may still be written.
    WithoutEnd,
    None,
}

/// Reads the next line. One that is too long is empty.
fn next_line(lines: &mut BufReader<File>, line: &mut Vec<u8>) -> io::Result<NextLine> {
    line.clear();
    lines.by_ref().take(LONGEST_LINE).read_until(b'\n', line)?;
    if line.last() == Some(&b'\n') {
        return Ok(NextLine::Whole);
    }
    if line.len() as u64 >= LONGEST_LINE {
        line.clear();
        lines.skip_until(b'\n')?;
        return Ok(NextLine::Whole);
    }
    Ok(if line.is_empty() { NextLine::None } else { NextLine::WithoutEnd })
}
