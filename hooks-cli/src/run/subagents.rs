//! The session that a subagent of Copilot CLI belongs to.
//!
//! Claude Code and Codex CLI send the id of the session with the events of its subagents. Copilot CLI sends the id
//! of the subagent in its place, and a new id when a subagent starts another one. Counters and pinned rules of the
//! session would not apply there, so the session is found by other fields: the path of the transcript, which a few
//! events name, or the parent. What was found is kept in the user's state, one file for each subagent.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hooks::config::places::Places;
use hooks_protocols::{Client, Decoded};
use serde_json::Value;

use super::{Failure, transcripts};
use crate::private::{self, digest};

/// Number of files beyond which those of old subagents are removed, and their age.
const MANY: usize = 1_024;
const OLD: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Longest id of a session.
const LONGEST: usize = 200;

/// Replaces the session of an event by the one that its subagent belongs to. Without effect for other clients and
/// for the agent of a session.
pub(super) fn join(decoded: &mut Decoded) -> Result<(), Failure> {
    if decoded.client != Client::Copilot {
        return Ok(());
    }
    let Some(agent) = transcripts::agent_id(decoded) else { return Ok(()) };
    let session = match of_transcript(decoded) {
        Some(session) => session,
        None if agent != decoded.context.session_id => return Ok(()),
        None => of_parent(decoded, &agent)?,
    };
    remember(&agent, &session)
        .map_err(|error| format!("the session of subagent `{agent}` cannot be kept: {error}"))?;
    decoded.context.session_id = session;
    Ok(())
}

/// The session in the path of the transcript that the payload names: `session-state/SESSION/events.jsonl`.
fn of_transcript(decoded: &Decoded) -> Option<String> {
    let path =
        ["transcriptPath", "transcript_path"].into_iter().find_map(|key| decoded.extra.get(key)?.as_str())?;
    let session = Path::new(path).parent()?.file_name()?.to_str()?;
    is_id(session).then(|| session.to_owned())
}

fn of_parent(decoded: &Decoded, agent: &str) -> Result<String, Failure> {
    let unknown = || {
        format!(
            "the session of subagent `{agent}` is not known, so its answers cannot be counted; let `hooks init copilot` \
             write the settings again, which report the start of subagents"
        )
    };
    let known = |agent: &str| {
        let text = fs::read_to_string(place(agent)?).ok()?;
        is_id(&text).then_some(text)
    };
    if let Some(session) = known(agent) {
        return Ok(session);
    }
    let parent = ["parentAgentId", "parent_agent_id"];
    let parent = parent.into_iter().find_map(|key| decoded.extra.get(key).and_then(Value::as_str));
    let parent = parent.filter(|parent| is_id(parent)).ok_or_else(unknown)?;
    let is_session = || transcripts::of_copilot(parent).is_some_and(|path| path.is_file());
    known(parent).or_else(|| is_session().then(|| parent.to_owned())).ok_or_else(unknown)
}

fn is_id(text: &str) -> bool {
    !text.is_empty() && text.len() <= LONGEST && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

fn place(agent: &str) -> Option<PathBuf> {
    Some(Places::here().state()?.join("hooks/transcripts/copilot/subagents").join(digest(agent)))
}

fn remember(agent: &str, session: &str) -> io::Result<()> {
    let place = place(agent).ok_or_else(|| io::Error::other("there is no folder for state; set `HOME`"))?;
    if fs::read(&place).is_ok_and(|text| text == session.as_bytes()) {
        return Ok(());
    }
    private::replace(&place, session.as_bytes())?;
    let entries =
        || place.parent().and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    if entries().take(MANY).count() == MANY {
        let is_old = |path: &PathBuf| {
            let modified = fs::metadata(path).and_then(|about| about.modified());
            modified.is_ok_and(|modified| modified.elapsed().is_ok_and(|age| age > OLD))
        };
        entries().map(|entry| entry.path()).filter(is_old).for_each(|path| drop(fs::remove_file(path)));
    }
    Ok(())
}
