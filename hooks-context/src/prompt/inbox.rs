//! Writes standing wishes to a team's inbox.

use hooks_core::HookContext;
use hooks_team::files::{InboxFile, NewDecision};
use hooks_team::folder::{TeamPath, Writer};
use hooks_team::ledger::Entry;
use hooks_team::{Digest, Team, TeamError};

use super::meaning::{Meaning, Relation};
use crate::directive::Detected;

/// Result of keeping a wish.
#[derive(Debug)]
pub(super) enum Kept {
    /// The wish was written to this file of the inbox.
    New(TeamPath),
    /// The team already has this decision, with this title.
    Known(String),
}

/// Result for one wish, with the titles of the decisions that contradict it.
#[derive(Debug)]
pub(super) struct Capture {
    pub(super) kept: Kept,
    pub(super) contrary: Vec<String>,
}

/// Results for the wishes of a message, in order, up to the first failure.
#[derive(Debug, Default)]
pub(super) struct Captured {
    pub(super) done: Vec<Capture>,
    /// Error that stopped the work, if there was one.
    pub(super) failed: Option<TeamError>,
}

/// A decision in force, read once for all wishes of a message.
struct Standing {
    title: String,
    meaning: Meaning,
}

/// The most times that the same wish can be withdrawn and made again.
const AGAIN: u32 = 100;

/// Writes each wish to the inbox, unless the team already has the same decision. The folder's lock is held
/// throughout, so that two sessions that get the same wish keep it once. The first failure stops the work.
pub(super) fn capture(team: &Team, author: &str, context: &HookContext, wishes: &[Detected]) -> Captured {
    let mut captured = Captured::default();
    captured.failed = capture_each(team, author, context, wishes, &mut captured.done).err();
    captured
}

fn capture_each(
    team: &Team,
    author: &str,
    context: &HookContext,
    wishes: &[Detected],
    done: &mut Vec<Capture>,
) -> Result<(), TeamError> {
    let writer = team.writer()?;
    let mut standing = standing(team)?;
    for wish in wishes {
        let meaning = Meaning::parse(&wish.text);
        let contrary = standing
            .iter()
            .filter(|one| meaning.to(&one.meaning) == Relation::Contrary)
            .map(|one| one.title.clone());
        let contrary = contrary.collect();
        let same =
            standing.iter().find(|one| one.title == wish.text || meaning.to(&one.meaning) == Relation::Same);
        let kept = match same {
            Some(same) => Kept::Known(same.title.clone()),
            None => Kept::New(publish(&writer, author, context, wish)?),
        };
        standing.push(Standing { title: wish.text.clone(), meaning });
        done.push(Capture { kept, contrary });
    }
    Ok(())
}

/// Writes a wish to a file of its own.
fn publish(
    writer: &Writer<'_>,
    author: &str,
    context: &HookContext,
    wish: &Detected,
) -> Result<TeamPath, TeamError> {
    let mut text = decision(author, context, wish).to_markdown(context.environment.clock.now())?;
    // The mode marks the decision as a directive, also after it is merged.
    text.push_str(&format!("**Mode:** {}\n", wish.mode));
    let mut place = place(wish, 1)?;
    for time in 2..=AGAIN {
        if writer.publish(&place, text.as_bytes())? {
            return Ok(place);
        }
        // The file has the same words but is not in force: the wish was withdrawn, and is now made again.
        place = self::place(wish, time)?;
    }
    Err(TeamError::Contended { place: place.to_string() })
}

fn place(wish: &Detected, time: u32) -> Result<TeamPath, TeamError> {
    let again = if time > 1 { format!("-{time}") } else { String::new() };
    TeamPath::new(&format!("decisions/inbox/user-directive-{}{again}.md", name(&wish.text)))
}

/// Returns the decisions in force, those in the inbox included.
fn standing(team: &Team) -> Result<Vec<Standing>, TeamError> {
    let (decisions, inbox) = (team.decisions()?, team.inbox()?);
    let entries = decisions.entries().chain(inbox.iter().flat_map(InboxFile::entries));
    Ok(entries
        .filter(Entry::is_in_force)
        .map(|entry| {
            let title = entry.title().into_owned();
            let what = entry.field(&["what"]);
            let meaning = Meaning::parse(what.as_deref().unwrap_or(&title));
            Standing { title, meaning }
        })
        .collect())
}

fn decision(author: &str, context: &HookContext, wish: &Detected) -> NewDecision {
    // A summary has a length limit; the body has the whole text.
    let summary: String =
        wish.text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect();
    let whole = if summary.len() < wish.text.len() { format!("\n\n{}", wish.text) } else { String::new() };
    let session = context.session_id.replace(['`', '\n', '\r'], " ");
    let body = format!("A standing wish of the user, given in session `{session}`.{whole}");
    NewDecision { author: author.to_owned(), summary, body, references: Vec::new() }
}

/// Returns a name that is always the same for the same words.
fn name(text: &str) -> String {
    Digest::of_text(text.trim_end_matches(['.', '!']).to_lowercase().as_bytes())
        .to_string()
        .chars()
        .take(16)
        .collect()
}
