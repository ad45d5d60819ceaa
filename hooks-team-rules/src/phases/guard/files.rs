//! Writes in read-only phases, and writes to state files.

use hooks_core::{Evidence, Reason, Verdict};
use hooks_facts::calls::{Call, NamedPath, NamedPaths};
use hooks_facts::globs;
use hooks_facts::tools::{PathRole, ToolKind};
use std::path::Path;

use super::{Governing, NAME, PhaseGuard, uncertain};
use crate::phases::git::{Certainty, GitCommand};
use crate::phases::pipeline::Pipeline;

impl PhaseGuard {
    /// Judges the files that a call writes in a phase that is read-only.
    pub(super) fn judge_writes(&self, call: Call<'_>, governing: Governing<'_>) -> Verdict {
        if let Some(verdict) = self.judge_tree(call, governing) {
            return verdict;
        }
        let of_commands = (call.kind() == ToolKind::Unknown).then(|| call.places_of_commands());
        let of_call = (call.writes_files() || call.kind().runs_commands()).then(|| call.places());
        let Some(allowed) = resolved(call, &governing.pipeline.workspace) else {
            return of_call
                .map_or(Verdict::NO_OPINION, |_| self.forbidden(governing, unknown(governing, "")));
        };
        let mut verdict = Verdict::NO_OPINION;
        for places in of_call.into_iter().chain(&of_commands) {
            verdict.merge(self.judge_places(call, places, &allowed, governing));
        }
        if call.writes_files() && call.places().is_missing {
            verdict.merge(self.forbidden(governing, unknown(governing, "")));
        }
        verdict
    }

    fn judge_places(
        &self,
        call: Call<'_>,
        places: &NamedPaths,
        allowed: &[String],
        governing: Governing<'_>,
    ) -> Verdict {
        if let Some(pointer) = places.unusable.first().or(places.unknown.first()) {
            return self.forbidden(governing, unknown(governing, pointer));
        }
        let written = places.found.iter().chain(&places.partial);
        let mut written = written.filter(|place| place.is_written() && !place.is_possible);
        let outside = written.find(|place| !is_below(call, place, allowed));
        outside
            .map_or(Verdict::NO_OPINION, |place| self.forbidden(governing, outside_reason(governing, place)))
    }

    /// Judges git commands that change files without naming them.
    fn judge_tree(&self, call: Call<'_>, governing: Governing<'_>) -> Option<Verdict> {
        let commands = call.commands().found.iter();
        commands.into_iter().find_map(|command| {
            let changing = command.analysis.invocations.iter().find(|invocation| {
                let git = command.analysis.git_words(invocation).and_then(GitCommand::new);
                git.is_some_and(|git| git.changes_tree() == Certainty::Yes)
            })?;
            let argv: Vec<_> = changing.argv.iter().map(|word| globs::shown(&word.outline())).collect();
            let message =
                format!("{} is read-only, and `{}` changes files", governing.phase(), argv.join(" "));
            let reason = Reason::new(NAME, "read-only", message).on(&*command.pointer);
            let reason = reason.because(Evidence::Command { argv }).instead("leave it to a later phase");
            Some(self.forbidden(governing, reason))
        })
    }

    /// Judges writes to the files that govern the agents.
    pub(super) fn judge_state_files(&self, call: Call<'_>, pipelines: &[Pipeline]) -> Verdict {
        let is_unknown = call.kind() == ToolKind::Unknown;
        if self.phases.state_files().is_none()
            || !(call.writes_files() || call.kind().runs_commands() || is_unknown)
        {
            return Verdict::NO_OPINION;
        }
        let of_commands = is_unknown.then(|| call.places_of_commands());
        let of_call = (call.writes_files() || call.kind().runs_commands()).then(|| call.places());
        let Some(states) = StatePlaces::new(self, call, pipelines) else {
            return of_call.map_or(Verdict::NO_OPINION, |_| uncertain(self.unreadable, folder_reason));
        };
        for places in of_call.into_iter().chain(&of_commands) {
            let unknown = places.unknown.first().filter(|_| pipelines.iter().any(Pipeline::is_active));
            if let Some(pointer) = unknown {
                let message = "the call may write a state file: its target is not known before it runs";
                let reason = Reason::new(NAME, "state", message).on(&**pointer).instead("write the name out");
                return Verdict::deny(reason);
            }
            let written = places.found.iter().chain(&places.partial);
            let mut written = written.filter(|place| place.is_written() && !place.is_nameless);
            if let Some(place) = written.find(|place| states.meet(call, place)) {
                let message = format!("`{}` is, or holds, a state file that governs the agents", place.given);
                let reason = Reason::new(NAME, "state", message).on(&*place.pointer);
                return Verdict::deny(
                    reason.instead("leave it to the program that drives the pipeline, or to a person"),
                );
            }
        }
        Verdict::NO_OPINION
    }
}

/// Locations of the state files of a project, from the top of the file system, without the first slash.
struct StatePlaces<'a> {
    guard: &'a PhaseGuard,
    bases: Vec<String>,
    known: Vec<String>,
    folds: bool,
    /// Whether the call runs nothing but git, which fills a folder with what the repository has.
    is_git_alone: bool,
}

impl<'a> StatePlaces<'a> {
    fn new(guard: &'a PhaseGuard, call: Call<'_>, pipelines: &[Pipeline]) -> Option<Self> {
        let files = guard.phases.state_files()?;
        let bases = resolved(call, &files.base_in(call.request().context().root()))?;
        let known = pipelines.iter().filter_map(|pipeline| pipeline.state_file.as_deref());
        let known = known.filter_map(|file| resolved(call, file)).flatten().collect();
        Some(Self { guard, bases, known, folds: call.ignores_case(), is_git_alone: is_git_alone(call) })
    }

    /// Returns whether a written place is a state file, may be one, or holds one.
    fn meet(&self, call: Call<'_>, place: &NamedPath) -> bool {
        let Some(readings) = place.from_top(call) else {
            return !place.is_possible && place.resolution.is_err();
        };
        readings.iter().any(|reading| {
            if place.is_partial() { self.may_be(place, reading) } else { self.is_one(place, reading) }
        })
    }

    fn is_one(&self, place: &NamedPath, reading: &str) -> bool {
        let Some(files) = self.guard.phases.state_files() else { return false };
        let rest_below = |folder: &str| below(reading, folder, self.folds);
        let is_state = self.bases.iter().any(|base| {
            rest_below(base).is_some_and(|rest| {
                let parts = || rest.split('/').filter(|part| !part.is_empty());
                let is_folder = place.reaches_below() && files.may_hold_states(parts().count());
                files.is_state_below_base(parts(), self.folds) || is_folder
            })
        });
        // `git checkout -- .` restores a whole project, and is not about its state files.
        let is_restored = self.is_git_alone && place.role != PathRole::Removed;
        let holds = |file: &String| below(file, reading.trim_matches('/'), self.folds).is_some();
        is_state || place.reaches_below() && !is_restored && self.known.iter().any(holds)
    }

    fn may_be(&self, place: &NamedPath, outline: &str) -> bool {
        self.known.iter().any(|file| {
            let folders = file.match_indices('/').filter_map(|(at, _)| file.get(..at));
            globs::may_be(outline, file)
                || place.reaches_below() && folders.into_iter().any(|folder| globs::may_be(outline, folder))
        })
    }
}

/// Resolves a file of the project as the paths of a call are resolved.
fn resolved(call: Call<'_>, path: &Path) -> Option<Vec<String>> {
    let path = call.request().context().root().join(path);
    let named = NamedPath::named(call, "", path.to_str()?.to_owned(), PathRole::Read, false);
    Some(named.from_top(call)?.iter().map(|reading| reading.trim_matches('/').to_owned()).collect())
}

/// Returns whether every reading of a place is below one of the folders.
fn is_below(call: Call<'_>, place: &NamedPath, folders: &[String]) -> bool {
    let Some(readings) = place.from_top(call).filter(|readings| !readings.is_empty()) else { return false };
    let is_inside = |reading: &String| {
        // The workspace itself is a folder: what is copied to it goes into it.
        let is_enough = |rest: &str| !rest.is_empty() || !place.reaches_below();
        folders.iter().any(|folder| below(reading, folder, false).is_some_and(is_enough))
    };
    !place.is_anywhere() && readings.iter().all(is_inside)
}

/// Returns the rest of a path below a folder; empty for the folder itself.
fn below<'p>(path: &'p str, folder: &str, folds: bool) -> Option<&'p str> {
    let path = path.trim_matches('/');
    let head = path.get(..folder.len())?;
    let is_same = head == folder || folds && head.to_lowercase() == folder.to_lowercase();
    let rest = path.get(folder.len()..).filter(|_| is_same)?;
    if rest.is_empty() || folder.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

fn is_git_alone(call: Call<'_>) -> bool {
    call.commands().found.iter().all(|command| {
        let analysis = &command.analysis;
        let is_cd = |invocation| analysis.program_name(invocation).as_deref() == Some("cd");
        analysis
            .invocations
            .iter()
            .all(|invocation| analysis.git_words(invocation).is_some() || is_cd(invocation))
    })
}

fn outside_reason(governing: Governing<'_>, place: &NamedPath) -> Reason {
    let workspace = governing.pipeline.name(governing.root);
    let message = format!(
        "{} is read-only, and `{}` is not below its workspace",
        governing.phase(),
        globs::shown(&place.given)
    );
    Reason::new(NAME, "read-only", message).on(&*place.pointer).instead(format!("write below `{workspace}`"))
}

fn unknown(governing: Governing<'_>, pointer: &str) -> Reason {
    let message =
        format!("{} is read-only, and the call writes to a file that it does not name", governing.phase());
    Reason::new(NAME, "read-only", message).on(pointer).instead("name the file as a text")
}

fn folder_reason() -> Reason {
    let message = "the folder of the state files cannot be resolved";
    Reason::new(NAME, "unread", message).instead("ask a person to look at the folder")
}
