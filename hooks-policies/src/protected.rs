//! Denies writes to files that no agent may write, whatever else is allowed: the configuration itself, the
//! settings of clients.
//!
//! Patterns are relative to the root or absolute. A folder stands for everything below it. Names are compared
//! without regard to case. A path that cannot be resolved is denied. A call that removes, fills or links a
//! folder that contains a protected file, or would contain it, is denied too. A name with wildcards is denied
//! if it may stand for a protected file; a completely unknown name, such as an unset variable, is left to the
//! write guard. A write to another name (hard link) of a protected file is denied.
//!
//! The usual list: the configuration of the hooks and the settings of the client. Reading them is not judged.
//!
//! ```
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::{HookContext, HookRequest, Policy, Strength, event::PreToolUse};
//! use hooks_facts::calls::CallReader;
//! use hooks_policies::ProtectedFiles;
//! use serde_json::json;
//!
//! let protected = ProtectedFiles::new(&["hooks.yaml", ".claude"], &CallReader::default())?;
//!
//! let (environment, ..) = world(FakeFileSystem::default());
//! let context = HookContext::new("session-1", "backend").in_dir("/repo").with_environment(environment);
//! let judge = |tool: &str, args| protected.judge(&HookRequest::new(context.clone(), PreToolUse::new(tool, args)));
//! let denied = judge("edit", json!({"path": "./Hooks.yaml"}));
//! assert_eq!(
//!     denied.reasons()[0].for_agent(),
//!     "`./Hooks.yaml` stands for `Hooks.yaml`, which is protected by `hooks.yaml`; \
//!      a person has to change it, outside of the agent",
//! );
//! assert_eq!(judge("bash", json!({"command": "cat hooks.yaml"})).strength(), Strength::NoOpinion);
//! # Ok::<(), hooks_core::PolicyErrors>(())
//! ```
//!
//! Customised: a pattern and an absolute folder. A folder that contains a protected file cannot be removed.
//!
//! ```
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::{HookContext, HookRequest, Policy, Strength, event::PreToolUse};
//! use hooks_facts::calls::CallReader;
//! use hooks_policies::ProtectedFiles;
//! use serde_json::json;
//!
//! let protected = ProtectedFiles::new(&["deploy/*.lock", "/home/dev/.ssh"], &CallReader::default())?;
//! # let (environment, ..) = world(FakeFileSystem::default());
//! # let context = HookContext::new("session-1", "backend").in_dir("/repo").with_environment(environment);
//! let run = |command: &str| {
//!     let event = PreToolUse::new("bash", json!({ "command": command }));
//!     protected.judge(&HookRequest::new(context.clone(), event)).strength()
//! };
//! assert_eq!(run("cp key /home/dev/.ssh/id_ed25519"), Strength::Deny);
//! assert_eq!(run("rm -r deploy"), Strength::Deny);
//! assert_eq!(run("rm deploy/notes.md"), Strength::NoOpinion);
//! # Ok::<(), hooks_core::PolicyErrors>(())
//! ```

use std::sync::{Arc, OnceLock};

use hooks_core::event::PreToolUse;
use hooks_core::{Evidence, HookRequest, Policy, PolicyErrors, PolicyLayer, Reason, Verdict};
use hooks_facts::calls::{Call, CallReader, NamedPath};

use crate::artifacts::Artifacts;
use crate::other_names::{OtherName, OtherNames};

const NAME: &str = "protected-files";

/// Denies writes to files that no agent may write; see the [module](self).
#[derive(Clone, Debug)]
pub struct ProtectedFiles {
    reader: CallReader,
    patterns: Vec<String>,
    /// Compiled at the first call that writes: most calls do not write, and a process may judge only one
    /// call.
    files: OnceLock<Artifacts>,
}

/// Protected files in front of an inner hook.
pub type ProtectedFilesLayer = PolicyLayer<Arc<ProtectedFiles>>;

impl ProtectedFiles {
    /// Protects the files that match `patterns`.
    ///
    /// # Errors
    /// Returns an error for each pattern that cannot be used.
    pub fn new<S: AsRef<str>>(patterns: &[S], reader: &CallReader) -> Result<Self, PolicyErrors> {
        let mut errors = PolicyErrors::default();
        let policy = Self::compile(patterns, reader, &mut errors);
        errors.or(policy)
    }

    /// Wraps the policy in a layer.
    pub fn layer(self) -> ProtectedFilesLayer {
        PolicyLayer::new(Arc::new(self))
    }

    pub(crate) fn compile<S: AsRef<str>>(
        patterns: &[S],
        reader: &CallReader,
        errors: &mut PolicyErrors,
    ) -> Self {
        for (index, pattern) in patterns.iter().enumerate() {
            if let Some((problem, hint)) = Artifacts::problem_of(pattern.as_ref(), reader.dialect()) {
                errors.push(format!("protected[{index}]"), problem, hint);
            }
        }
        let patterns = patterns.iter().map(|pattern| pattern.as_ref().to_owned()).collect();
        Self { reader: reader.clone(), patterns, files: OnceLock::new() }
    }

    fn files(&self) -> &Artifacts {
        let patterns = self.patterns.iter().map(String::as_str);
        self.files.get_or_init(|| Artifacts::new(patterns, self.reader.dialect(), false))
    }

    fn objection(&self, call: Call<'_>, place: &NamedPath, others: &OtherNames<'_>) -> Option<Reason> {
        let reason =
            |rule: &'static str, message: String| Reason::new(NAME, rule, message).on(&*place.pointer);
        let Some(known) = place.known(call) else {
            let message = format!("`{}` may be a protected file", place.given);
            return Some(reason("path", message).instead("write the path relative to the root"));
        };
        // All of the repository is stashed, wherever the command runs, but nothing of git's own folder.
        if place.is_untracked {
            let there = self.files().on_disk_in_root(call)?;
            let message = format!("`{there}`, which is protected, is stashed too if git does not track it");
            return Some(reason("write", message).instead("name the files to stash, or leave out `-u`"));
        }
        let Some(found) = self.files().find(call, place, &known) else {
            return self.objection_to_another_name(place, others);
        };
        let verb = if place.is_partial() { "may be" } else { "is" };
        let given = place.described(&found.reading);
        let there =
            if place.reaches_any_below(call) { self.files().on_disk_below(call, place) } else { None };
        let message = if let Some(there) = there {
            format!("`{}` is above `{there}`, which is protected", place.given)
        } else if place.reaches_any_below(call)
            && found.artifact.starts_with("**/")
            && place.holds_the_root(call)
        {
            format!("`{}` may be above protected files, such as those of `{}`", place.given, found.artifact)
        } else if place.reaches_any_below(call) {
            format!("{given} {verb} protected, or above what is protected, by `{}`", found.artifact)
        } else {
            format!("{given} {verb} protected by `{}`", found.artifact)
        };
        let evidence = Evidence::Path { given: place.given.clone(), resolved: found.reading };
        Some(
            reason("write", message)
                .because(evidence)
                .instead("a person has to change it, outside of the agent"),
        )
    }

    /// Returns the reason to deny a write to another name (hard link) of a protected file.
    fn objection_to_another_name(&self, place: &NamedPath, others: &OtherNames<'_>) -> Option<Reason> {
        let reason = |message| Reason::new(NAME, "hard-link", message).on(&*place.pointer);
        match others.find(self.files(), place) {
            Ok(None) => None,
            Ok(Some(OtherName { path, artifact })) => {
                let path = path.to_string_lossy().into_owned();
                let message = format!(
                    "`{}` is another name of `{path}`, which is protected by `{artifact}`",
                    place.given
                );
                let evidence = Evidence::Path { given: place.given.clone(), resolved: path };
                let advice = "a person has to change it, outside of the agent";
                Some(reason(message).because(evidence).instead(advice))
            }
            Err(why) => {
                let message = format!(
                    "`{}` has several names, and one of them may be a protected file ({why})",
                    place.given
                );
                Some(reason(message).instead("replace it by a copy of its own"))
            }
        }
    }
}

impl Policy<PreToolUse> for ProtectedFiles {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        let call = self.reader.read(request);
        if self.patterns.is_empty() || !(call.writes_files() || call.kind().runs_commands()) {
            return Verdict::NO_OPINION;
        }
        let places = call.places();
        let unknown = places.unknown.first().filter(|_| places.has_unknown());
        if let Some(pointer) = places.unusable.first().or(unknown) {
            let message = "the call may write a protected file: its path is unknown before it runs";
            let reason = Reason::new(NAME, "unknown-path", message).on(&**pointer);
            return Verdict::deny(reason.instead("write the path out"));
        }
        let places = places.found.iter().chain(&places.partial).chain(&places.redirected);
        let written = places.filter(|place| place.is_written() && !place.is_nameless);
        let others = OtherNames::new(call);
        let mut awaited = None;
        for place in written {
            match self.objection(call, place, &others) {
                // What an archive has that does not exist yet, a person may know.
                Some(reason) if place.is_awaited => awaited = Some(reason),
                Some(reason) => return Verdict::deny(reason),
                None => {}
            }
        }
        awaited.map_or(Verdict::NO_OPINION, Verdict::ask)
    }
}

#[cfg(test)]
mod tests;
