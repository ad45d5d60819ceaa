//! Keeps commands from the hooks' own state: the log, its keys and checkpoints, the store, the configuration.
//!
//! [`ProtectedFiles`](crate::ProtectedFiles) denies commands that are known to write. For the hooks' own
//! files this policy goes further: it also denies a program with an unknown effect that names such a file or
//! a folder of them, or that runs in such a folder. Known programs, which only read or whose written files
//! are known, may name them, unless an option, a variable or a script in a file makes them run another
//! program.
//!
//! A folder *above* these files may be named by all programs except those that change everything below it
//! (`chmod -R`, `rmtree`) or pass it to a container. Two everyday uses of the project's root, and of no
//! folder above it, are allowed: passing it to a container, and a `chmod` that only gives rights to the owner
//! or the group.
//!
//! For an unknown tool, the files in its arguments are checked, every other text in them that is such a path,
//! and the commands in its arguments. If the tool's name shows that it only reads, only the commands are
//! checked.
//!
//! Commands of `hooks` that change this state are for the operator, under whatever name the program runs. So
//! are commands that start an agent client without its hooks, or without approval by a person. Commands that end the
//! processes of the hooks (`pkill hooks`, `kill $(pgrep hooks)`) are denied too.
//!
//! A word that is neither a path nor the name of such a file is not looked up on the disk. A link without a
//! dot or a slash in its name is therefore not followed. A program can reach files that none of its words
//! name; no rule about paths can prevent that. The cost is linear in the length of the command, with one file
//! system look-up for each word of an unknown program that may be a path.
//!
//! A program with an unknown effect may not name the files; a program that only reads may. The commands that
//! change limits, hooks or the record are for the operator.
//!
//! ```
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::{HookContext, HookRequest, Policy, Strength, event::PreToolUse};
//! use hooks_facts::calls::CallReader;
//! use hooks_policies::OwnState;
//! use serde_json::json;
//!
//! let own = OwnState::new(&["/repo/.hooks/state.db", "/repo/hooks.yaml"], &CallReader::default())?;
//!
//! let (environment, ..) = world(FakeFileSystem::default());
//! let context = HookContext::new("session-1", "backend").in_dir("/repo").with_environment(environment);
//! let run = |command: &str| {
//!     let event = PreToolUse::new("bash", json!({ "command": command }));
//!     own.judge(&HookRequest::new(context.clone(), event))
//! };
//! assert_eq!(
//!     run("./tidy.py .hooks/state.db").reasons()[0].for_agent(),
//!     "the effect of the command on `.hooks/state.db` is unknown, and that file is the hooks' own; \
//!      read it with a plain program, such as `cat` or `jq`; a person changes it",
//! );
//! assert_eq!(run("hooks state reset").reasons()[0].rule, "command");
//! assert_eq!(run("jq . hooks.yaml").strength(), Strength::NoOpinion);
//! # Ok::<(), hooks_core::PolicyErrors>(())
//! ```
//!
//! Customised: beside a command guard, which decides about commands that cannot be parsed. An unknown tool may
//! not name the files in any argument.
//!
//! ```
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::{HookContext, HookRequest, Policy, Strength, event::PreToolUse};
//! use hooks_facts::calls::CallReader;
//! use hooks_policies::OwnState;
//! use serde_json::json;
//!
//! let alone = OwnState::new(&["/repo/hooks.yaml"], &CallReader::default())?;
//! let beside = alone.clone().beside_a_command_guard(true);
//! # let (environment, ..) = world(FakeFileSystem::default());
//! # let context = HookContext::new("session-1", "backend").in_dir("/repo").with_environment(environment);
//! let call = |tool: &str, args| HookRequest::new(context.clone(), PreToolUse::new(tool, args));
//!
//! let broken = call("bash", json!({"command": "echo 'never closed"}));
//! assert_eq!(alone.judge(&broken).strength(), Strength::Deny);
//! assert_eq!(beside.judge(&broken).strength(), Strength::NoOpinion);
//! let unknown = call("mcp__sync__push", json!({"target": "hooks.yaml"}));
//! assert_eq!(beside.judge(&unknown).reasons()[0].argument.as_deref(), Some("/target"));
//! # Ok::<(), hooks_core::PolicyErrors>(())
//! ```

mod agents;
mod files;
mod people;
mod processes;
#[cfg(test)]
mod tests;
mod words;

use std::sync::{Arc, OnceLock};

use hooks_core::event::PreToolUse;
use hooks_core::{Evidence, HookRequest, Policy, PolicyErrors, PolicyLayer, Reason, Verdict};
use hooks_facts::calls::{Call, CallReader, ParsedCommand};
use hooks_facts::commands::{Argument, Invocation};
use hooks_facts::tools::{TextArgument, ToolKind, each_text, reads_by_name};

use self::files::{Named, OwnFileMatch, OwnFiles, Reach};
use self::processes::Processes;
use crate::artifacts::Artifacts;
use crate::other_names::OtherNames;

const NAME: &str = "own-state";

/// Limit of names for unknown programs in one command. A command with more is denied.
const MAX_NAMES: usize = 4096;

/// Keeps commands from the hooks' own state; see the [module](self).
#[derive(Clone, Debug)]
pub struct OwnState {
    reader: CallReader,
    patterns: Vec<String>,
    /// Whether a command guard decides about shell commands that cannot be parsed.
    is_guarded: bool,
    /// Compiled at the first call that may need it.
    files: OnceLock<OwnFiles>,
}

/// Own-state policy in front of an inner hook.
pub type OwnStateLayer = PolicyLayer<Arc<OwnState>>;

impl OwnState {
    /// Keeps commands from the files that match `patterns`, and denies the commands of `hooks` that are for
    /// the operator. A pattern with wildcards in its last part also stands for its folder.
    ///
    /// # Errors
    /// Returns an error for each pattern that cannot be used.
    pub fn new<S: AsRef<str>>(patterns: &[S], reader: &CallReader) -> Result<Self, PolicyErrors> {
        let mut errors = PolicyErrors::default();
        for (index, pattern) in patterns.iter().enumerate() {
            if let Some((problem, hint)) = Artifacts::problem_of(pattern.as_ref(), reader.dialect()) {
                errors.push(format!("protected[{index}]"), problem, hint);
            }
        }
        let patterns = patterns.iter().map(|pattern| pattern.as_ref().to_owned()).collect();
        errors.or(Self { reader: reader.clone(), patterns, is_guarded: false, files: OnceLock::new() })
    }

    /// Sets whether a command guard decides about shell commands that cannot be parsed. Without one, this
    /// policy denies them.
    #[must_use]
    pub fn beside_a_command_guard(self, is_guarded: bool) -> Self {
        Self { is_guarded, ..self }
    }

    /// Wraps the policy in a layer.
    pub fn layer(self) -> OwnStateLayer {
        PolicyLayer::new(Arc::new(self))
    }

    fn files(&self) -> &OwnFiles {
        self.files.get_or_init(|| OwnFiles::new(&self.patterns, self.reader.dialect()))
    }

    /// Returns the reason to deny a command, if there is one.
    fn objection(&self, others: &OtherNames<'_>, call: Call<'_>, command: &ParsedCommand) -> Option<Reason> {
        let analysis = &command.analysis;
        let mut left = MAX_NAMES;
        let mut processes = Processes::default();
        for invocation in &analysis.invocations {
            let name = analysis.program_name(invocation);
            processes.add(name.as_deref().unwrap_or_default(), invocation);
            if let Some(how) =
                agents::is_ungoverned(name.as_deref(), invocation, || analysis.is_told(invocation))
            {
                return Some(ungoverned(command, invocation, &how));
            }
            let is_own = name.as_deref() == Some("hooks");
            let words = invocation.argv.get(1..).unwrap_or_default();
            let is_told = if is_own { people::are_known(words) } else { analysis.is_told(invocation) };
            let for_people =
                if is_own { people::of_hooks(words) } else { !is_told && people::of_any(&invocation.argv) };
            if for_people {
                return Some(meant_for_people(command, invocation));
            }
            if is_told {
                continue;
            }
            let program = name.as_deref().unwrap_or_default();
            let named = words::of_invocation(call, command, invocation, program, self.files());
            if let Some(reason) = self.first_of(others, call, command, named, &mut left) {
                return Some(reason);
            }
        }
        if let Some(invocation) = processes.ended() {
            return Some(ends_hooks(command, invocation));
        }
        for program in analysis.programs().iter().filter(|program| !program.only_reads()) {
            let named = words::of_program(call, command, program);
            if let Some(reason) = self.first_of(others, call, command, named, &mut left) {
                return Some(reason);
            }
        }
        None
    }

    /// Returns a reason if one of the names stands for one of the files, or if there are too many names.
    fn first_of(
        &self,
        others: &OtherNames<'_>,
        call: Call<'_>,
        command: &ParsedCommand,
        named: impl Iterator<Item = Named>,
        left: &mut usize,
    ) -> Option<Reason> {
        for name in named {
            if !OwnFiles::may_be(&name) {
                continue;
            }
            let Some(next) = left.checked_sub(1) else {
                let message = "the command names more files than can be looked at";
                return Some(Reason::new(NAME, "file", message).on(&*command.pointer).instead("split it"));
            };
            *left = next;
            if let Some(found) = self.files().find(others, call, &command.pointer, &name) {
                let message = format!(
                    "the effect of the command on `{}` is unknown, and that file is the hooks' own",
                    found.given
                );
                let evidence = Evidence::Path { given: found.given, resolved: found.reading };
                let reason = Reason::new(NAME, "file", message).on(&*command.pointer).because(evidence);
                return Some(
                    reason
                        .instead("read it with a plain program, such as `cat` or `jq`; a person changes it"),
                );
            }
        }
        None
    }

    /// Returns the reason to deny a call of an unknown tool: one of the files is named in its arguments or
    /// written by its command.
    fn objection_to_tool(&self, others: &OtherNames<'_>, call: Call<'_>) -> Option<Reason> {
        let tool = &call.request().event().tool_name;
        let reason = |pointer: String, found: OwnFileMatch| {
            let message = format!(
                "the effect of `{tool}` on `{}` is unknown, and that file is the hooks' own",
                found.given
            );
            let evidence = Evidence::Path { given: found.given, resolved: found.reading };
            let reason = Reason::new(NAME, "tool", message).on(pointer).because(evidence);
            reason.instead("use a tool that is known to read; a person changes it")
        };
        let only_looks = reads_by_name(tool);
        let written = call.places_of_commands();
        let named = (!only_looks).then(|| call.places());
        let named = named.into_iter().flat_map(|places| &places.found);
        let written = written.found.iter().chain(&written.partial).filter(|place| !place.is_nameless);
        let of_places = written.chain(named).filter(|place| place.is_written()).find_map(|place| {
            let found = self.files().find_place(others, call, place)?;
            Some(reason(place.pointer.to_string(), found))
        });
        if of_places.is_some() || only_looks {
            return of_places;
        }
        let is_in_the_root = call.begins_in_the_root();
        let may_be = |text: &TextArgument<'_>| !(is_in_the_root && self.files().are_not(text.path));
        each_text(call.arguments()).filter(may_be).enumerate().find_map(|(count, text)| {
            if count == MAX_NAMES {
                let message = format!("`{tool}` is called with more texts than can be looked at");
                return Some(Reason::new(NAME, "tool", message).instead("split the call"));
            }
            let named = Named { name: Argument::Literal(text.path.to_owned()), reach: Reach::Itself };
            let found = OwnFiles::may_be(&named)
                .then(|| self.files().find(others, call, &text.pointer, &named))??;
            Some(reason(text.pointer, found))
        })
    }
}

impl Policy<PreToolUse> for OwnState {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        let call = self.reader.read(request);
        // A tool that writes, but has no argument with the name of a path argument, counts as unknown too.
        let is_unknown = call.kind() == ToolKind::Unknown
            || !call.kind().runs_commands() && call.writes_files() && call.places().found.is_empty();
        if self.patterns.is_empty() || !(is_unknown || call.kind().runs_commands()) {
            return Verdict::NO_OPINION;
        }
        let (others, commands) = (OtherNames::new(call), call.commands());
        if let Some(reason) = commands.found.iter().find_map(|command| self.objection(&others, call, command))
        {
            return Verdict::deny(reason);
        }
        if is_unknown && let Some(reason) = self.objection_to_tool(&others, call) {
            return Verdict::deny(reason);
        }
        if self.is_guarded && !is_unknown {
            return Verdict::NO_OPINION;
        }
        unreadable(call).map_or(Verdict::NO_OPINION, Verdict::deny)
    }
}

/// Returns the denial of a command that is for the operator.
fn ungoverned(command: &ParsedCommand, invocation: &Invocation, how: &str) -> Reason {
    let argv =
        invocation.argv.iter().map(Argument::outline).map(|word| hooks_facts::globs::shown(&word)).collect();
    let message = format!("an agent starts no agent that is not governed: {how}");
    let reason = Reason::new(NAME, "agent", message).on(&*command.pointer);
    reason.because(Evidence::Command { argv }).instead("start it without that, or ask a person to start it")
}

fn ends_hooks(command: &ParsedCommand, invocation: &Invocation) -> Reason {
    let argv =
        invocation.argv.iter().map(Argument::outline).map(|word| hooks_facts::globs::shown(&word)).collect();
    let message = "an agent does not end the processes that govern it";
    let reason = Reason::new(NAME, "process", message).on(&*command.pointer);
    reason.because(Evidence::Command { argv }).instead("name the process that you started, or its number")
}

fn meant_for_people(command: &ParsedCommand, invocation: &Invocation) -> Reason {
    let argv =
        invocation.argv.iter().map(Argument::outline).map(|word| hooks_facts::globs::shown(&word)).collect();
    let message =
        "an agent changes neither the limits it works within, nor its hooks, nor the record; a person does";
    let reason = Reason::new(NAME, "command", message).on(&*command.pointer);
    reason.because(Evidence::Command { argv }).instead("ask a person to run it")
}

/// Returns the denial of a call whose commands cannot be parsed.
fn unreadable(call: Call<'_>) -> Option<Reason> {
    let commands = call.commands();
    let reason = |pointer: &str, message: &str| {
        Reason::new(NAME, "unreadable", message.to_owned()).on(pointer.to_owned())
    };
    if let Some(pointer) = commands.unusable.first() {
        let message = format!("the command at `{pointer}` is not a string");
        return Some(reason(pointer, &message).instead("give the command as a text or a list of words"));
    }
    let (command, unresolved) =
        commands.found.iter().find_map(|command| Some((command, command.analysis.unresolved.first()?)))?;
    let text = unresolved.reason.to_string();
    let (message, advice) = text.split_once("; ").unwrap_or((&text, "write it in another way"));
    Some(reason(&command.pointer, message).instead(advice))
}
