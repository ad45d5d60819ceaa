//! Denies reading some files, by tools and by commands.
//!
//! Judges every file that a call reads or executes. These are the paths of file tools and of unknown tools, redirections and
//! operands of programs that read. They are also the files that git shows or that the text of an interpreter opens. The content
//! of a file is read if it goes to the output, to another file or to another host. A program that uses a file for itself, as
//! `ssh -i` uses a key, does not read it in this sense. Neither does one that only shows names, rights or digests.
//!
//! A pattern matches wherever the file is: `**/.env` outside of the root too, `~/.ssh/**` in the home of any user. A name that
//! is only partly known is denied if it may stand for a denied file, as far as it is specific. If a folder is read with
//! everything below it, its files are those on the disk.
//!
//! [`ReadSet::Secrets`](crate::config::ReadSet::Secrets) is a list of the places where programs keep keys and passwords.
//!
//! Programs that are not known may read the files that their words name; those are judged. What else they read is not known:
//! `unknown` decides about them, and `hooks explain` names them.
//!
//! ```
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::{HookContext, HookRequest, Policy, Strength, event::PreToolUse};
//! use hooks_facts::calls::CallReader;
//! use hooks_policies::ReadGuard;
//! use hooks_policies::config::ReadGuardConfig;
//! use serde_json::json;
//!
//! let config = ReadGuardConfig {
//!     deny: vec!["**/.env".into(), "~/.ssh/**".into()],
//!     except: vec!["~/.ssh/*.pub".into()],
//!     ..ReadGuardConfig::default()
//! };
//! let guard = ReadGuard::new(&config, &CallReader::default())?;
//!
//! let (environment, ..) = world(FakeFileSystem::default());
//! let context = HookContext::new("s", "Backend").in_dir("/repo").with_environment(environment);
//! let judge = |tool: &str, args| guard.judge(&HookRequest::new(context.clone(), PreToolUse::new(tool, args)));
//! let denied = judge("bash", json!({"command": "base64 < api/.env"}));
//! assert_eq!(denied.reasons()[0].message, "`api/.env` may not be read: it matches `**/.env`");
//! assert_eq!(judge("Read", json!({"file_path": "/home/ada/.ssh/id_rsa"})).strength(), Strength::Deny);
//! assert_eq!(judge("Read", json!({"file_path": "/home/ada/.ssh/id_rsa.pub"})).strength(), Strength::NoOpinion);
//! assert_eq!(judge("bash", json!({"command": "ls -la .env && echo .env >> .gitignore"})).strength(), Strength::NoOpinion);
//! # Ok::<(), hooks_core::PolicyErrors>(())
//! ```

mod sets;

use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::{Evidence, HookRequest, Policy, PolicyErrors, PolicyLayer, Reason, Verdict};
use hooks_facts::calls::{Call, CallReader, PathPatterns, PlaceMatch, ReadFile, ReadMatch};
use hooks_facts::commands::AccessKind;
use hooks_facts::tools::ToolKind;
use hooks_facts::{globs, names};

use crate::config::{OnUnknownReads, ReadGuardConfig};

const NAME: &str = "read-guard";

/// Rule for more files than are looked at.
const MANY: &str = "many";

/// Denies reading some files; see the [module](self) for an example.
#[derive(Clone, Debug)]
pub struct ReadGuard {
    reader: CallReader,
    limits: Limits,
    except: PathPatterns,
    /// Limits of single agents, by folded name.
    agents: Vec<(String, Limits)>,
    unknown: OnUnknownReads,
}

#[derive(Clone, Debug)]
struct Limits {
    deny: PathPatterns,
    allow: PathPatterns,
    /// Name of the list in the configuration.
    field: Arc<str>,
}

/// Read guard in front of an inner hook.
pub type ReadGuardLayer = PolicyLayer<Arc<ReadGuard>>;

impl ReadGuard {
    /// Creates a guard that reads calls with `reader`.
    ///
    /// # Errors
    /// Returns an error for each pattern that cannot be used.
    ///
    /// ```
    /// use hooks_facts::calls::CallReader;
    /// use hooks_policies::ReadGuard;
    /// use hooks_policies::config::ReadGuardConfig;
    ///
    /// let config = ReadGuardConfig { deny: vec!["!**/.env".into()], ..ReadGuardConfig::default() };
    /// let errors = ReadGuard::new(&config, &CallReader::default()).expect_err("`!` excludes nothing");
    /// assert_eq!(errors.as_slice()[0].field, "read_guard.deny[0]");
    /// ```
    pub fn new(config: &ReadGuardConfig, reader: &CallReader) -> Result<Self, PolicyErrors> {
        let mut errors = PolicyErrors::default();
        let guard = Self::compile(config, reader, &mut errors);
        errors.or(guard)
    }

    /// Wraps the guard in a layer.
    pub fn layer(self) -> ReadGuardLayer {
        PolicyLayer::new(Arc::new(self))
    }

    pub(crate) fn compile(config: &ReadGuardConfig, reader: &CallReader, errors: &mut PolicyErrors) -> Self {
        let mut limits = |deny: &[String], allow: &[String], field: &str| Limits {
            deny: PathPatterns::compile(deny, &format!("{field}.deny"), reader, errors),
            allow: PathPatterns::allowing(allow, &format!("{field}.allow"), reader, errors),
            field: field.into(),
        };
        let of_sets = config.sets.iter().flat_map(|set| set.deny()).map(str::to_owned);
        let denied: Vec<String> = config.deny.iter().cloned().chain(of_sets).collect();
        let all = limits(&denied, &config.allow, "read_guard");
        let mut agents = Vec::new();
        for (name, own) in &config.agents {
            let deny: Vec<String> = own.deny.iter().chain(&denied).cloned().collect();
            let allow = if own.allow.is_empty() { &config.allow } else { &own.allow };
            agents.push((
                names::folded(name).into_owned(),
                limits(&deny, allow, &format!("read_guard.agents.{name}")),
            ));
        }
        for name in config.agents.keys().filter(|name| name.trim().is_empty()) {
            let field = format!("read_guard.agents.{name}");
            errors.push(field, "an agent has no name", "write the name of the agent");
        }
        let of_sets = config.sets.iter().flat_map(|set| set.except()).map(str::to_owned);
        let except: Vec<String> = config.except.iter().cloned().chain(of_sets).collect();
        let except = PathPatterns::compile(&except, "read_guard.except", reader, errors);
        Self { reader: reader.clone(), limits: all, except, agents, unknown: config.unknown }
    }

    fn limits(&self, call: Call<'_>) -> &Limits {
        if self.agents.is_empty() {
            return &self.limits;
        }
        let agent = names::folded(&call.request().context().agent_name);
        self.agents.iter().find(|(name, _)| *name == *agent).map_or(&self.limits, |(_, limits)| limits)
    }

    /// Returns the reason to deny reading a file, if there is one.
    fn objection(&self, call: Call<'_>, read: &ReadFile<'_>, limits: &Limits) -> Option<Reason> {
        let place = read.place;
        let reason =
            |rule: &'static str, message: String| Reason::new(NAME, rule, message).on(&*place.pointer);
        if place.known(call).is_none() {
            // A text of an unknown tool, or a word of a program, is not judged if it cannot be a path.
            let is_path = call.kind() != ToolKind::Unknown && !call.kind().runs_commands();
            let is_unplaced = place.given.starts_with('~') || call.resolved_root().is_err();
            // A name such as `x:/../.env` is a path for the system, and no URL.
            let is_unplaced = is_unplaced || !place.given.contains("://");
            let is_denied = || {
                let is_excepted =
                    !place.given.contains("..") && self.except.find_given(call, place).is_some();
                limits.deny.find_given(call, place).is_some() && !is_excepted
            };
            let is_path = is_path || is_unplaced && is_denied();
            let message = format!("`{}` may be a file that may not be read", place.given);
            return is_path.then(|| reason("path", message).instead("write the path relative to the root"));
        }
        match limits.deny.find_read(call, read, &self.except) {
            None => {}
            Some(ReadMatch::Found(found)) => return Some(denied(call, read, limits, &found)),
            Some(ReadMatch::TooMany) => {
                let message = format!("`{}` has more files than are looked at", place.given);
                return Some(reason(MANY, message).instead("read a smaller folder, or single files"));
            }
        }
        if limits.allow.is_empty() || limits.allow.allow_place(call, place) {
            return None;
        }
        // A word of a program that is not known may be no file at all.
        let is_certain =
            !call.kind().runs_commands() || place.is_file(call) || read.kind == AccessKind::Executed;
        if !is_certain && !place.is_known_to_exist(call) {
            return None;
        }
        let message = format!("`{}` may not be read", place.given);
        let reason = reason("allow", message).unless(format!("add a pattern to `{}.allow`", limits.field));
        Some(reason.instead(format!("read a file that matches {}", limits.allow.summary())))
    }
}

/// Returns the reason to deny reading a file that a pattern matches, or a folder with such a file.
fn denied(call: Call<'_>, read: &ReadFile<'_>, limits: &Limits, found: &PlaceMatch) -> Reason {
    let place = read.place;
    let pattern = limits.deny.text(found.pattern);
    let inner = globs::shown(&found.reading);
    // The file that the disk has below the folder.
    let is_below = read.is_tree(call) && found.reading.starts_with('/');
    let message = match (place.is_partial(), read.is_tree(call)) {
        _ if is_below => {
            format!("`{}` has `{inner}`, which may not be read: it matches `{pattern}`", place.given)
        }
        (true, _) => {
            format!("`{}` may stand for a file that may not be read: it matches `{pattern}`", place.given)
        }
        (_, true) => {
            format!("`{}` has, or may have, files that may not be read: it matches `{pattern}`", place.given)
        }
        (_, false) => format!("`{}` may not be read: it matches `{pattern}`", place.given),
    };
    let reason = Reason::new(NAME, "deny", message).on(&*place.pointer);
    let reason = reason.because(Evidence::Path { given: place.given.clone(), resolved: inner });
    let advice = match is_below {
        true => "leave the file out (`--exclude`), or name a folder without it",
        false => "a person has to look at it, outside of the agent",
    };
    reason
        .instead(advice)
        .unless(format!("add the file to `read_guard.except`, or take `{pattern}` out of `{}`", limits.field))
}

impl Policy<PreToolUse> for ReadGuard {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        let call = self.reader.read(request);
        let limits = self.limits(call);
        let reads = call.reads();
        let mut too_many = None;
        for read in reads.each(call).filter(|read| read.kind != AccessKind::Used) {
            match self.objection(call, &read, limits) {
                // Searches leave out hidden and ignored files, so the folder may be as large as a project.
                Some(reason) if reason.rule == MANY && read.kind != AccessKind::ReadBelow => {
                    too_many = Some(reason);
                }
                Some(reason) => return Verdict::deny(reason),
                None => {}
            }
        }
        if reads.is_cut() {
            let reason = Reason::new(NAME, MANY, "the call names more files than are looked at");
            return Verdict::deny(reason.instead("name fewer files in one call"));
        }
        if let Some(reason) = too_many {
            return Verdict::ask(reason);
        }
        let Some(first) = reads.unknown().first().filter(|_| self.unknown != OnUnknownReads::Allow) else {
            return Verdict::NO_OPINION;
        };
        let reason =
            Reason::new(NAME, "unknown", first.clone()).unless("set `read_guard.unknown` to `allow`");
        match self.unknown {
            OnUnknownReads::Ask => Verdict::ask(reason),
            _ => Verdict::deny(reason),
        }
    }
}

#[cfg(test)]
mod tests;
