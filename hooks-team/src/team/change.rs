//! Changes of single files.

use super::read::skill_name;
use super::{Team, layout};
use crate::error::TeamError;
use crate::files::{History, MemorySection, NewDecision, NewMember, NewSkill, Now, Roster, Wisdom};
use crate::folder::TeamPath;
use crate::name::slug;
use crate::text::Document;
use crate::when;

impl Team {
    /// Writes a decision to a file of its own in the inbox, and returns its place.
    ///
    /// # Errors
    /// Returns `Invalid` if the decision has no author or summary, or an error if it cannot be written.
    pub fn decide(&self, decision: &NewDecision) -> Result<TeamPath, TeamError> {
        let text = decision.to_markdown(self.clock.now())?;
        self.writer()?.publish_new(&layout::inbox(), &decision.stem(), text.as_bytes())
    }

    /// Writes `text` unchanged to a file of its own in the inbox, and returns its place. The file name begins
    /// with `stem` (`copilot-directive`, for example) and the time.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn add_to_inbox(&self, stem: &str, text: &str) -> Result<TeamPath, TeamError> {
        let stem = self.timed_after(stem);
        self.writer()?.publish_new(&layout::inbox(), &stem, text.as_bytes())
    }

    /// Place of a decision in the inbox, without the random part of its name.
    pub(crate) fn decision_place(decision: &NewDecision) -> TeamPath {
        layout::inbox().listed(&format!("{}.md", decision.stem()))
    }

    /// Place of an agent's history.
    pub(crate) fn history_place(&self, agent: &str) -> Result<TeamPath, TeamError> {
        Ok(layout::history(&self.agent(agent)?))
    }

    /// Place of a skill that is written.
    pub(crate) fn skill_place(name: &str) -> Result<TeamPath, TeamError> {
        Ok(layout::skills().join(&skill_name(name)?).listed("SKILL.md"))
    }

    /// Adds a note to an agent's history, which is created if it does not exist.
    ///
    /// # Errors
    /// Returns `Missing` if there is no such agent; `Invalid` if the note is empty; or an error if it cannot
    /// be written.
    pub fn remember(&self, agent: &str, section: MemorySection, note: &str) -> Result<TeamPath, TeamError> {
        if note.trim().is_empty() {
            return Err(TeamError::invalid("content", "it is empty; write what to remember"));
        }
        let place = self.history_place(agent)?;
        let now = self.clock.now();
        self.writer()?.update(&place, |current| {
            let begun = format!("# {agent}\n\n", agent = crate::text::one_line(agent));
            let history = History::new(Document::parse(current.unwrap_or(begun.as_bytes())));
            Ok(history.with_note(section, note, now))
        })?;
        Ok(place)
    }

    /// Writes a skill. The previous version is kept in the folder `previous` next to it.
    ///
    /// # Errors
    /// Returns an error if the name is invalid, the content is empty, or the file cannot be written. Returns
    /// `Invalid` if the project has a skill of that name in a folder that is read first.
    pub fn write_skill(&self, skill: &NewSkill) -> Result<TeamPath, TeamError> {
        let name = skill_name(&skill.name)?;
        let text = skill.to_markdown(self.clock.now())?;
        for (within, place) in self.skill_folders() {
            let place = place.join(&name).listed("SKILL.md");
            if within.root() != self.root() && within.exists(&place)? {
                let reason = format!(
                    "`{place}` has a skill of this name, which is read first; change that file, or choose another name"
                );
                return Err(TeamError::invalid("skillName", reason));
            }
        }
        let folder = layout::skills().join(&name);
        let place = Self::skill_place(&skill.name)?;
        let stem = when::in_name(self.clock.now());
        let writer = self.writer()?;
        let mut kept: Option<Vec<u8>> = None;
        writer.update(&place, |current| {
            if let Some(current) =
                current.filter(|current| kept.as_deref() != Some(*current) && *current != text.as_bytes())
            {
                writer.publish_new(&folder.listed("previous"), &stem, current)?;
                kept = Some(current.to_vec());
            }
            Ok(text.clone().into_bytes())
        })?;
        Ok(place)
    }

    /// Writes a summary of a session to a file of its own in `log/`, and returns its place.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn log_session(&self, topic: &str, text: &str) -> Result<TeamPath, TeamError> {
        self.writer()?.publish_new(&layout::session_log(), &self.timed_before(topic), text.as_bytes())
    }

    /// Sets values in the front matter of `identity/now.md`, and the time of the update.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn set_now(&self, values: &[(&str, &str)]) -> Result<(), TeamError> {
        let at = self.clock.now().to_string();
        let values: Vec<_> = values.iter().copied().chain([("updated_at", &*at)]).collect();
        let change =
            |current: Option<&[u8]>| Ok(Now::new(Document::parse(current.unwrap_or_default())).with(&values));
        self.writer()?.update(&layout::now(), change).map(drop)
    }

    /// Adds a pattern to `identity/wisdom.md`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn add_wisdom(&self, text: &str, context: &str) -> Result<(), TeamError> {
        let change = |current: Option<&[u8]>| {
            Ok(Wisdom::new(Document::parse(current.unwrap_or_default())).with_pattern(text, context))
        };
        self.writer()?.update(&layout::wisdom(), change).map(drop)
    }

    /// Adds a member to the table of members, with a folder of its own.
    ///
    /// # Errors
    /// Returns an error if the name is invalid or taken, or a file cannot be written.
    pub fn add_member(&self, member: &NewMember) -> Result<(), TeamError> {
        let writer = self.writer()?;
        let changed = |current: Option<&[u8]>| {
            Roster::new(Document::parse(current.unwrap_or_default())).with_member(member)
        };
        // The folder is created first, so that every member in the table has one. Existing files in it stay.
        changed(self.folder.read(&layout::roster())?.as_deref())?;
        super::init::create_agent(&writer, member, &super::NewCharter::default())?;
        writer.update(&layout::roster(), changed).map(drop)
    }

    /// Changes the status of the member `name`.
    ///
    /// # Errors
    /// Returns `Missing` if there is no such member, or an error if the file cannot be written.
    pub fn set_status(&self, name: &str, status: &str) -> Result<(), TeamError> {
        let change = |current: Option<&[u8]>| {
            Roster::new(Document::parse(current.unwrap_or_default())).with_status(name, status)
        };
        self.writer()?.update(&layout::roster(), change).map(drop)
    }

    fn timed_before(&self, topic: &str) -> String {
        let topic = slug(topic, 60);
        let time = when::in_name(self.clock.now());
        if topic.is_empty() { time } else { format!("{time}-{topic}") }
    }

    fn timed_after(&self, stem: &str) -> String {
        let stem = slug(stem, 60);
        let time = when::in_name(self.clock.now());
        if stem.is_empty() { time } else { format!("{stem}-{time}") }
    }
}
