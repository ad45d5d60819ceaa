//! Keeps agents from lifting the decisions that govern them.

use std::path::Path;
use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::{HookRequest, Reason};
use hooks_facts::calls::CallReader;

use super::change::{Changes, Effect};
use super::ledger::{DecisionFiles, Decisions};
use super::policy::NAME;
use crate::team_files::TeamFiles;

/// Files with decisions that are in force, relative to the team folder.
const FILES: [&str; 2] = ["decisions.md", "decisions-archive.md"];

/// Guards the files with the decisions of a team.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    files: TeamFiles,
    /// Agents that may edit the files as they like.
    editors: Arc<[String]>,
}

impl Guard {
    /// Guards the files in the folder `team`.
    pub(super) fn new(team: &Path, reader: &CallReader) -> Self {
        Self { files: TeamFiles::new(team, &FILES, reader), editors: Arc::default() }
    }

    pub(super) fn with_editors(mut self, editors: &[String]) -> Self {
        self.editors = editors.into();
        self
    }

    /// Returns the reason to deny a call that lifts a decision, or that changes the files in a way that cannot be read.
    /// Adding a decision is right.
    pub(super) fn objection(
        &self,
        request: &HookRequest<PreToolUse>,
        reader: &CallReader,
        files: &DecisionFiles,
        decisions: &Decisions,
    ) -> Option<Reason> {
        let agent = &request.context().agent_name;
        if self.editors.iter().any(|editor| editor.eq_ignore_ascii_case(agent)) {
            return None;
        }
        let call = reader.read(request);
        let way_out = "write a file in `decisions/inbox`";
        let unread = |place: &str, _: &str| {
            let message = format!(
                "{place} holds the decisions of the team; only a plain edit can be compared with them"
            );
            Reason::new(NAME, "edits", message).instead(way_out)
        };
        let unread = self.files.objection(call, unread)?;
        let Some(after) = after(files, &Changes::new(call, &|_| None)) else { return Some(unread) };
        let after = Decisions::from_files(&after);
        let is_kept = |rule| after.all().iter().any(|decision| decision.rules.contains(rule));
        let lost = decisions.all().iter().find(|decision| !decision.rules.iter().all(is_kept))?;
        let message = format!("the call lifts the decision \"{}\", which governs the agent", lost.title);
        Some(Reason::new(NAME, "edits", message).instead(way_out))
    }
}

/// Returns the files after the edits of a call; `None` if they cannot be known.
fn after(files: &DecisionFiles, changes: &Changes) -> Option<DecisionFiles> {
    let is_removed = changes.touches.iter().any(|touch| touch.effect == Effect::Removed);
    if !changes.runs.is_empty() || is_removed || changes.edits.is_empty() {
        return None;
    }
    let mut files = files.clone();
    for edit in &changes.edits {
        let path = edit.path.replace('\\', "/");
        let Some(name) = FILES.iter().find(|name| path.rsplit('/').next() == Some(name)) else { continue };
        let old = files.text(name);
        let new = if edit.is_whole {
            edit.new.clone()
        } else if !edit.old.is_empty() && old.contains(&edit.old) {
            old.replacen(&edit.old, &edit.new, 1)
        } else {
            return None;
        };
        files.set(name, new);
    }
    Some(files)
}
