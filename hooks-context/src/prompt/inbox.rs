//! Standing wishes in a team's inbox.

use hooks_core::HookContext;
use hooks_team::files::{InboxFile, NewDecision};
use hooks_team::folder::Place;
use hooks_team::{Digest, Team, TeamError};

use super::meaning::{Meaning, Relation};
use crate::directive::Detected;

/// What became of a wish.
#[derive(Debug)]
pub(super) enum Kept {
    /// It is in the inbox now, in this file.
    New(Place),
    /// It was there already, in these words.
    Known(String),
}

/// A wish, what became of it, and the decisions that say the contrary.
#[derive(Debug)]
pub(super) struct Capture {
    pub(super) kept: Kept,
    pub(super) contrary: Vec<String>,
}

/// What the team has decided, once for all wishes of a message.
struct Standing {
    title: String,
    meaning: Meaning,
}

/// Puts each wish into the inbox unless the team decided the same already; all of it under the folder's lock, so that
/// two sessions that hear the same wish keep it once.
pub(super) fn capture(
    team: &Team,
    author: &str,
    context: &HookContext,
    wishes: &[Detected],
) -> Result<Vec<Capture>, TeamError> {
    let writer = team.writer()?;
    let mut standing = standing(team)?;
    let mut captures = Vec::with_capacity(wishes.len());
    for wish in wishes {
        let meaning = Meaning::of(&wish.text);
        let contrary = standing
            .iter()
            .filter(|one| meaning.to(&one.meaning) == Relation::Contrary)
            .map(|one| one.title.clone());
        let contrary = contrary.collect();
        let same =
            standing.iter().find(|one| one.title == wish.text || meaning.to(&one.meaning) == Relation::Same);
        let kept = match same {
            Some(same) => Kept::Known(same.title.clone()),
            None => {
                let place = Place::new(&format!("decisions/inbox/user-directive-{}.md", name(&wish.text)))?;
                let mut text =
                    decision(author, context, wish).to_markdown(context.environment.clock.now())?;
                // What tells it from other decisions, also once it is merged.
                text.push_str(&format!("**Mode:** {}\n", wish.mode));
                // Where the name is taken, it is by the same words.
                writer.publish(&place, text.as_bytes())?;
                Kept::New(place)
            }
        };
        standing.push(Standing { title: wish.text.clone(), meaning });
        captures.push(Capture { kept, contrary });
    }
    Ok(captures)
}

/// What is in force: the decisions, and those in the inbox.
fn standing(team: &Team) -> Result<Vec<Standing>, TeamError> {
    let (decisions, inbox) = (team.decisions()?, team.inbox()?);
    let entries = decisions.entries().chain(inbox.iter().flat_map(InboxFile::entries));
    Ok(entries
        .filter(|entry| !entry.field(&["status", "state"]).is_some_and(|status| is_over(&status)))
        .map(|entry| {
            let title = entry.title().into_owned();
            let what = entry.field(&["what"]);
            let meaning = Meaning::of(what.as_deref().unwrap_or(&title));
            Standing { title, meaning }
        })
        .collect())
}

/// Whether a decision of that status holds no longer, or not yet.
fn is_over(status: &str) -> bool {
    const OVER: [&str; 8] =
        ["superseded", "rejected", "deprecated", "withdrawn", "expired", "obsolete", "proposed", "draft"];
    let status = status.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    OVER.iter().any(|word| status.starts_with(word))
}

fn decision(author: &str, context: &HookContext, wish: &Detected) -> NewDecision {
    // A summary has its limits; the whole of it stands below.
    let summary: String =
        wish.text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect();
    let whole = if summary.len() < wish.text.len() { format!("\n\n{}", wish.text) } else { String::new() };
    let session = context.session_id.replace(['`', '\n', '\r'], " ");
    let body = format!("A standing wish of the user, given in session `{session}`.{whole}");
    NewDecision { author: author.to_owned(), summary, body, references: Vec::new() }
}

/// A name that the same words always have.
fn name(text: &str) -> String {
    Digest::of_text(text.trim_end_matches(['.', '!']).to_lowercase().as_bytes())
        .to_string()
        .chars()
        .take(16)
        .collect()
}
