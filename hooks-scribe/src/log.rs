//! The session's file in `log/`: a line for each noted event.

use std::borrow::Cow;
use std::collections::BTreeMap;

use hooks_core::event::{ChildStatus, EndReason};
use hooks_core::time::Timestamp;
use hooks_team::folder::{Left, TeamPath};
use hooks_team::{Delivery, Team, TeamError};

use super::note::{Note, What, key, name, short, stem, time};
use super::work::Pen;

/// Deliveries for the notes in the queue.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) deliveries: Vec<Delivery>,
}

/// Notes with the same key.
struct Matter {
    at: Timestamp,
    note: Note,
    from: Vec<Left>,
}

impl Plan {
    /// Assigns each note to a file. The note of a call that began and has not ended stays until `given_up`. A
    /// note whose file is obstructed stays as well, and the obstacle is added to `problems`.
    pub(super) fn for_notes(
        team: &Team,
        left: Vec<Left>,
        given_up: Timestamp,
        pen: &Pen,
        problems: &mut Vec<TeamError>,
    ) -> Result<Self, TeamError> {
        let mut plan = Self::default();
        // By session, then by key.
        let mut sessions: BTreeMap<String, BTreeMap<String, Matter>> = BTreeMap::new();
        for left in left {
            let Some(note) = Note::read(left.content()) else { continue };
            if let What::Spawned { name: file, title, text } = &note.what {
                plan.add(
                    spawned(team, file, &pen.clean(title.clone()), pen.clean(text.clone()), left.clone()),
                    problems,
                )?;
                continue;
            }
            let matters = sessions.entry(note.session.clone()).or_default();
            let matter = matters.entry(note.key.clone()).or_insert_with(|| Matter {
                at: note.at,
                note: note.clone(),
                from: Vec::new(),
            });
            // A note of the end replaces a note of the beginning.
            if matches!(matter.note.what, What::Begun { .. }) {
                matter.note = note;
            }
            matter.from.push(left);
        }
        for (session, mut matters) in sessions {
            matters.retain(|_, matter| {
                !matches!(matter.note.what, What::Begun { .. }) || matter.note.at <= given_up
            });
            if !matters.is_empty() {
                plan.add(logged(team, &session, matters, pen), problems)?;
            }
        }
        Ok(plan)
    }

    fn add(
        &mut self,
        delivery: Result<Delivery, TeamError>,
        problems: &mut Vec<TeamError>,
    ) -> Result<(), TeamError> {
        match delivery {
            Ok(delivery) => self.deliveries.push(delivery),
            Err(error) if error.is_in_the_way() => problems.push(error),
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

fn logged(
    team: &Team,
    session: &str,
    matters: BTreeMap<String, Matter>,
    pen: &Pen,
) -> Result<Delivery, TeamError> {
    let (target, content) = session_log(team, session, matters.values().map(|matter| matter.at).min(), pen)?;
    let content = String::from_utf8_lossy(&content);
    let mut lines = Vec::new();
    let mut from = Vec::new();
    for (key, matter) in matters {
        // A note that was left again after its line was written adds nothing.
        if !content.contains(&mark(&key)) {
            lines.push((
                matter.at,
                format!("- {} {} {}\n", matter.at, pen.clean(sentence(&matter.note)), mark(&key)),
            ));
        }
        from.extend(matter.from);
    }
    lines.sort();
    let text = lines.into_iter().map(|(_, line)| line).collect();
    let title = pen.clean(format!("# Session {}", plain(session)));
    Ok(Delivery { target, title, text, from })
}

/// Path of the session's file, existing or new, and its content.
fn session_log(
    team: &Team,
    session: &str,
    since: Option<Timestamp>,
    pen: &Pen,
) -> Result<(TeamPath, Vec<u8>), TeamError> {
    let folder = TeamPath::new("log")?;
    let ending = format!("-{}.md", key(&["session", session]));
    let known = team.session_logs()?.into_iter().find(|file| file.ends_with(&ending));
    let file = known.unwrap_or_else(|| {
        let session = stem(&pen.clean(session.to_owned()));
        format!("{}-scribe-{session}{ending}", time(since.unwrap_or_default()))
    });
    let target = folder.join(&name(&file)?);
    let content = team.folder().read(&target)?.unwrap_or_default();
    Ok((target, content))
}

/// Delivers the file in `orchestration-log/`, unless it exists.
fn spawned(team: &Team, file: &str, title: &str, text: String, left: Left) -> Result<Delivery, TeamError> {
    let target = TeamPath::new("orchestration-log")?.join(&name(file)?);
    let text = if team.folder().exists(&target)? { String::new() } else { text };
    Ok(Delivery { target, title: title.to_owned(), text, from: vec![left] })
}

/// Mark by which a line is recognized.
fn mark(key: &str) -> String {
    format!("· {key}")
}

fn sentence(note: &Note) -> String {
    let who = who(&note.agent);
    match &note.what {
        What::Begun { tool, files } => {
            format!("{who} began to write {} with {}, and its end was not reported", list(files), code(tool))
        }
        What::Done { tool, files, failed: false } => {
            format!("{who} wrote {} with {}", list(files), code(tool))
        }
        What::Done { tool, files, failed: true } => {
            format!("{who} failed to write {} with {}", list(files), code(tool))
        }
        What::Spawned { name, .. } => format!("{who} started {}", code(name)),
        What::NotSpawned { child } => format!("{who} did not get **{}** started", plain(child)),
        What::Ended { child, status, duration_ms, tokens, calls } => format!(
            "{who} got the end of **{}**: {}{}{}",
            plain(child),
            match status {
                ChildStatus::Completed => "completed",
                ChildStatus::Timeout => "timed out",
                _ => "failed",
            },
            after(*duration_ms),
            used(*tokens, *calls),
        ),
        What::Told { whom, file } => {
            let whom: Vec<_> = whom.iter().map(|agent| format!("**{}**", plain(agent))).collect();
            format!("{} will get the notice that {who} wrote {}", whom.join(", "), code(file))
        }
        What::Over { reason, tokens, calls } => format!(
            "{who} ended the session ({}){}",
            match reason {
                EndReason::Complete => "complete",
                EndReason::Error => "error",
                EndReason::Timeout => "timeout",
                EndReason::UserExit => "the user left",
                _ => "aborted",
            },
            used(*tokens, *calls),
        ),
    }
}

/// Duration, if the client reports it.
fn after(duration_ms: u64) -> String {
    if duration_ms == 0 { String::new() } else { format!(", after {} s", duration_ms / 1_000) }
}

/// Usage, if the client reports it.
fn used(tokens: u64, calls: u64) -> String {
    if (tokens, calls) == (0, 0) { String::new() } else { format!(", {tokens} tokens, {calls} tool calls") }
}

fn list(files: &[String]) -> String {
    if files.is_empty() {
        return "to the team's folder".to_owned();
    }
    files.iter().map(|file| code(file)).collect::<Vec<_>>().join(", ")
}

/// Formats text from outside as code on one line.
fn code(text: &str) -> String {
    format!("`{}`", plain(text).replace('`', "'"))
}

/// Formats the name of an agent.
fn who(agent: &str) -> String {
    let agent = named(agent);
    format!("**{agent}**")
}

/// Name of an agent; a client's main agent may have no name.
pub(super) fn named(agent: &str) -> Cow<'static, str> {
    let agent = plain(agent);
    if agent.is_empty() { "main agent".into() } else { agent }
}

/// Removes comment marks from text from outside, because a comment could hide the rest of the file.
pub(super) fn plain(text: &str) -> Cow<'static, str> {
    short(text).replace("<!--", "<! --").replace("-->", "-- >").into()
}
