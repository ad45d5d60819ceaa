//! Denies writes outside of the allowed files.
//!
//! Judges every file that a tool call changes: the path arguments of file tools, patches and moves, and the
//! files that the redirections and plain file programs of a command write. A write is allowed if **every**
//! plausible reading of its path matches a pattern of `allow` and none matches one of `deny`; a path that
//! cannot be resolved is denied. A name with wildcards is allowed if one pattern of `allow` matches all names
//! that it may stand for, and no pattern of `deny` matches any of them. An allowed call of a file tool is an
//! allow; the guard has no opinion on other calls. The cost is one `lstat` for each component, and no
//! allocation except for the facts.
//!
//! ```
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::{HookContext, HookRequest, Policy, Strength, event::PreToolUse};
//! use hooks_policies::config::WriteGuardConfig;
//! use hooks_facts::calls::CallReader;
//! use hooks_policies::WriteGuard;
//! use serde_json::json;
//!
//! let config = WriteGuardConfig { allow: vec!["src/**".into()], ..WriteGuardConfig::default() };
//! let guard = WriteGuard::new(&config, &CallReader::default())?;
//!
//! let (environment, ..) = world(FakeFileSystem::default());
//! let context = HookContext::new("s", "Backend").in_dir("/repo").with_environment(environment);
//! let request = HookRequest::new(context, PreToolUse::new("edit", json!({"path": "src/../.env"})));
//! let verdict = guard.judge(&request);
//! assert_eq!(verdict.strength(), Strength::Deny);
//! assert_eq!(verdict.reasons()[0].message, "`src/../.env` stands for `.env`, which may not be written");
//! # Ok::<(), hooks_core::PolicyErrors>(())
//! ```
//!
//! Customised: an exception within the allowed files, and a question if a call names no file. The model reads
//! which files it may write instead.
//!
//! ```
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::{HookContext, HookRequest, Policy, Strength, event::PreToolUse};
//! use hooks_facts::calls::CallReader;
//! use hooks_policies::WriteGuard;
//! use hooks_policies::config::{OnUnknown, WriteGuardConfig};
//! use serde_json::json;
//!
//! let config = WriteGuardConfig {
//!     allow: vec!["src/**".into(), "docs/*.md".into()],
//!     deny: vec!["**/*.generated.rs".into()],
//!     missing_path: OnUnknown::Ask,
//!     ..WriteGuardConfig::default()
//! };
//! let guard = WriteGuard::new(&config, &CallReader::default())?;
//!
//! # let (environment, ..) = world(FakeFileSystem::default());
//! # let context = HookContext::new("session-1", "backend").in_dir("/repo").with_environment(environment);
//! let judge = |tool: &str, args| guard.judge(&HookRequest::new(context.clone(), PreToolUse::new(tool, args)));
//! assert_eq!(judge("edit", json!({"path": "src/main.rs"})).strength(), Strength::Allow);
//! assert_eq!(judge("edit", json!({"path": "src/api.generated.rs"})).reasons()[0].rule, "deny");
//! assert_eq!(judge("edit", json!({"text": "x"})).strength(), Strength::Ask);
//! let denied = judge("bash", json!({"command": "cargo test > log.txt"}));
//! assert_eq!(
//!     denied.reasons()[0].for_agent(),
//!     "`log.txt` may not be written; write to a file that matches `src/**`, `docs/*.md`",
//! );
//! # Ok::<(), hooks_core::PolicyErrors>(())
//! ```

use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::{Evidence, HookRequest, Policy, PolicyErrors, PolicyLayer, Reason, Verdict};
use hooks_facts::calls::{Call, CallReader, NamedPath, PathPatterns, PlaceMatch};
use hooks_facts::paths::{PathError, Reading};
use hooks_facts::tools::PathRole;
use hooks_facts::{globs, names};

use crate::config::{OnUnknown, WriteGuardConfig};

const NAME: &str = "write-guard";
/// Remedy for a file that no pattern allows.
const REMEDY: &str = "add a pattern to `write_guard.allow`";

/// Denies writes outside of the allowed files; see the [module](self) for an example.
#[derive(Clone, Debug)]
pub struct WriteGuard {
    reader: CallReader,
    limits: Limits,
    /// Limits of single agents, by folded name.
    agents: Vec<(String, Limits)>,
    missing: OnUnknown,
}

/// Files that an agent may write.
#[derive(Clone, Debug)]
struct Limits {
    allow: PathPatterns,
    deny: PathPatterns,
    /// Name of the list in the configuration.
    field: Arc<str>,
    /// Advice for an agent; `None` if it may write nothing.
    advice: Option<Arc<str>>,
}

impl Limits {
    fn compile(
        allow: &[String],
        deny: &[String],
        field: &str,
        reader: &CallReader,
        errors: &mut PolicyErrors,
    ) -> Self {
        let allow = PathPatterns::allowing(allow, &format!("{field}.allow"), reader, errors);
        let deny = PathPatterns::compile(deny, &format!("{field}.deny"), reader, errors);
        let advice =
            (!allow.is_empty()).then(|| format!("write to a file that matches {}", allow.summary()).into());
        Self { allow, deny, field: field.into(), advice }
    }
}

/// Write guard in front of an inner hook.
pub type WriteGuardLayer = PolicyLayer<Arc<WriteGuard>>;

impl WriteGuard {
    /// Creates a guard that reads calls with `reader`.
    ///
    /// # Errors
    /// Returns an error for each pattern that cannot be used.
    ///
    /// ```
    /// use hooks_facts::calls::CallReader;
    /// use hooks_policies::WriteGuard;
    /// use hooks_policies::config::WriteGuardConfig;
    ///
    /// let config = WriteGuardConfig { allow: vec!["src/**".into(), "lib/{a".into()], ..WriteGuardConfig::default() };
    /// let errors = WriteGuard::new(&config, &CallReader::default()).expect_err("a brace is open");
    /// assert_eq!(errors.as_slice()[0].field, "write_guard.allow[1]");
    /// ```
    pub fn new(config: &WriteGuardConfig, reader: &CallReader) -> Result<Self, PolicyErrors> {
        let mut errors = PolicyErrors::default();
        let guard = Self::compile(config, reader, &mut errors);
        errors.or(guard)
    }

    /// Creates a guard that lets agents write the files that a glob of `globs` matches, and no others.
    ///
    /// # Errors
    /// Returns an error for each pattern that cannot be used.
    ///
    /// ```
    /// use hooks_policies::WriteGuard;
    ///
    /// assert!(WriteGuard::allowing(["notes/**", "src/*.rs"]).is_ok());
    /// assert!(WriteGuard::allowing(["src/{a"]).is_err());
    /// ```
    pub fn allowing(globs: impl IntoIterator<Item = impl Into<String>>) -> Result<Self, PolicyErrors> {
        let allow = globs.into_iter().map(Into::into).collect();
        Self::new(&WriteGuardConfig { allow, ..WriteGuardConfig::default() }, &CallReader::default())
    }

    /// Wraps the guard in a layer.
    ///
    /// ```
    /// use hooks_core::testing::{FakeFileSystem, VirtualTime, world};
    /// use hooks_core::{HookContext, HookRequest, Judged, Settle, event::PreToolUse};
    /// use hooks_policies::WriteGuard;
    /// use hooks_policies::config::WriteGuardConfig;
    /// use serde_json::json;
    /// use tower_layer::Layer;
    /// use tower_service::Service;
    ///
    /// let guard = WriteGuard::new(&WriteGuardConfig::default(), &Default::default())?;
    /// let mut stack = guard.layer().layer(Settle);
    /// # let (environment, ..) = world(FakeFileSystem::default());
    /// # let context = HookContext::new("session-1", "backend").in_dir("/repo").with_environment(environment);
    /// let call = HookRequest::new(context, PreToolUse::new("edit", json!({"path": "src/main.rs"})));
    /// # VirtualTime::default().block_on(async {
    /// let decision = stack.call(call).await?;
    /// assert!(decision.is_denied()); // without allowed files, no file may be written
    /// # Ok::<(), hooks_core::HookError>(())
    /// # }).expect("no hook waits")?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn layer(self) -> WriteGuardLayer {
        PolicyLayer::new(Arc::new(self))
    }

    pub(crate) fn compile(config: &WriteGuardConfig, reader: &CallReader, errors: &mut PolicyErrors) -> Self {
        let limits = Limits::compile(&config.allow, &config.deny, "write_guard", reader, errors);
        let mut agents = Vec::new();
        for (name, own) in &config.agents {
            let field = format!("write_guard.agents.{name}");
            if name.trim().is_empty() {
                errors.push(field.as_str(), "an agent has no name", "write the name of the agent");
            }
            let deny: Vec<String> = own.deny.iter().chain(&config.deny).cloned().collect();
            let limits = Limits::compile(&own.allow, &deny, &field, reader, errors);
            agents.push((names::folded(name).into_owned(), limits));
        }
        Self { reader: reader.clone(), limits, agents, missing: config.missing_path }
    }

    /// Returns the limits of the agent of a call.
    fn limits(&self, call: Call<'_>) -> &Limits {
        if self.agents.is_empty() {
            return &self.limits;
        }
        let agent = names::folded(&call.request().context().agent_name);
        self.agents.iter().find(|(name, _)| *name == *agent).map_or(&self.limits, |(_, limits)| limits)
    }

    /// Returns the reason to deny a write to a file, if there is one.
    fn objection(&self, call: Call<'_>, place: &NamedPath, limits: &Limits) -> Option<Reason> {
        let reason =
            |rule: &'static str, message: String| Reason::new(NAME, rule, message).on(&*place.pointer);
        let remedy = || match &*limits.field {
            "write_guard" => REMEDY.to_owned(),
            field => format!("add a pattern to `{field}.allow`"),
        };
        let is_outside = matches!(place.resolution, Err(PathError::OutsideRoot { .. }));
        let is_allowed = place.is_possible
            || limits.allow.allow_place(call, place)
            || place.fills && limits.allow.allow_all_below(call, place);
        match &place.resolution {
            Ok(_) => {}
            Err(_) if is_outside && is_allowed && place.known(call).is_some() => {}
            // The place that the write depends on is judged too: `b` of `b/a` in `cp a b`.
            Err(_) if place.is_possible => return None,
            Err(error) => {
                let text = error.to_string();
                return Some(match text.split_once("; ") {
                    Some((message, advice)) => reason("path", message.to_owned()).instead(advice),
                    None => reason("path", text).unless(remedy()),
                });
            }
        }
        let names = place.names(call).unwrap_or(1);
        if names > 1 && place.role != PathRole::Removed {
            let message = format!("`{}` has {names} names, and a write shows under all", place.given);
            return Some(reason("hard-link", message).instead("replace it by a copy of its own"));
        }
        let first = || {
            let readings = place.resolution.as_ref().ok().map(|found| found.readings.as_slice());
            let readings = readings.unwrap_or_default();
            let is_allowed = |reading: &&Reading| limits.allow.allow_reading(call, place, &reading.path);
            let outside = readings.iter().find(|reading| !is_allowed(reading)).or(readings.first());
            outside.map(|reading| reading.path.clone()).unwrap_or_default()
        };
        let evidence = |path: &str| Evidence::Path { given: place.given.clone(), resolved: path.to_owned() };
        if let Some(found) = denied(call, place, &limits.deny) {
            let (pattern, path) = (limits.deny.text(found.pattern), globs::shown(&found.reading));
            let message = format!("{} matches the denied pattern `{pattern}`", place.described(&path));
            let remedy = format!("take `{pattern}` out of `{}.deny`", limits.field);
            let reason = reason("deny", message).because(evidence(&path));
            return Some(reason.instead("write elsewhere").unless(remedy));
        }
        if is_allowed {
            return None;
        }
        let path = globs::shown(&first());
        let message = format!("{} may not be written", place.described(&path));
        let reason = reason("allow", message).because(evidence(&path)).unless(remedy());
        Some(match &limits.advice {
            Some(advice) => reason.instead(&**advice),
            None => reason,
        })
    }
}

/// Returns the denied pattern that a place matches or may match. If the call changes everything below the place, patterns for
/// something below it count too.
fn denied(call: Call<'_>, place: &NamedPath, deny: &PathPatterns) -> Option<PlaceMatch> {
    if deny.is_empty() {
        return None;
    }
    deny.find_place(call, place)
        .or_else(|| place.reaches_below().then(|| deny.find_below_place(call, place)).flatten())
}

impl Policy<PreToolUse> for WriteGuard {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        let call = self.reader.read(request);
        if !call.writes_files() && !call.kind().runs_commands() {
            return Verdict::NO_OPINION;
        }
        let (places, limits) = (call.places(), self.limits(call));
        if let Some(pointer) = places.unusable.first() {
            let message = format!("the path at `{pointer}` is not a string");
            let reason = Reason::new(NAME, "unusable-path", message).on(&**pointer);
            return Verdict::deny(reason.instead("give the path as a text"));
        }
        let anywhere = places.partial.iter().find(|place| place.is_anywhere() && !place.is_possible);
        if let Some(pointer) =
            places.unknown.first().map(String::as_str).or(anywhere.map(|place| &*place.pointer))
        {
            let message = "the command writes to a file whose name is not known before it runs";
            let reason = Reason::new(NAME, "unknown-target", message).on(pointer);
            return Verdict::deny(reason.instead("write the name out"));
        }
        if let Some(reason) = places
            .found
            .iter()
            .chain(&places.partial)
            .filter(|place| place.is_written())
            .find_map(|place| self.objection(call, place, limits))
        {
            return Verdict::deny(reason);
        }
        if !call.writes_files() {
            return Verdict::NO_OPINION;
        }
        if places.is_missing {
            let message = format!("the call of `{}` names no file", request.event().tool_name);
            return unknown(self.missing, || {
                Reason::new(NAME, "missing-path", message).instead("name the file, as in `path`")
            });
        }
        Verdict::ALLOW
    }
}

/// Returns the configured judgement on something that cannot be known.
pub(crate) fn unknown(setting: OnUnknown, reason: impl FnOnce() -> Reason) -> Verdict {
    match setting {
        OnUnknown::Deny => Verdict::deny(reason()),
        OnUnknown::Ask => Verdict::ask(reason()),
        OnUnknown::Allow => Verdict::NO_OPINION,
    }
}

#[cfg(test)]
mod tests;
