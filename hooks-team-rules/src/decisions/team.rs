//! Keeps the decisions of teams up to date while a host runs.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::task::{Context, Poll};

use hooks_core::beside::{Workers, offload};
use hooks_core::event::PreToolUse;
use hooks_core::{
    BoxError, DecideLayer, DeciderOutcome, Decision, FailureLayer, HookError, HookFuture, HookRequest,
    HooksBuilder, Policy, Settle, Verdict,
};
use hooks_facts::calls::CallReader;
use hooks_facts::tools::ToolKind;
use hooks_team::TeamPlace;
use tower_layer::Layer;
use tower_service::Service;

use super::change::existing;
use super::guard::Guard;
use super::ledger::{DecisionFiles, Decisions};
use super::policy::{DecisionPolicy, NAME};

/// Most folders whose decisions are kept.
const MOST_FOLDERS: usize = 1_024;
/// Largest file whose text before a call is read, in bytes.
const LARGEST_BEFORE: u64 = 1 << 20;

/// Enforces the decisions in the team folder of each session.
///
/// It is a policy, and a decider without an opinion of its own in front of it: before a call that writes or runs
/// something, the decider reads the files of the team's decisions, and parses those that changed. If one cannot be
/// read, the call is denied (law 3). A session without a team folder has no decisions.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::beside::Here;
/// use hooks_core::event::PreToolUse;
/// use hooks_core::testing::{FakeDisk, VirtualTime};
/// use hooks_core::{HookContext, Hooks, Judged};
/// use hooks_team::TeamPlace;
/// use hooks_team_rules::decisions::TeamDecisions;
///
/// let disk = FakeDisk::default().with_file("/repo/.squad/decisions.md", "# Decisions\n\n- Never use jQuery.\n");
/// let place = TeamPlace::below(Arc::new(disk), ".squad");
/// let hooks = TeamDecisions::new(place, Arc::new(Here), &Default::default()).add_to(Hooks::builder()).build();
/// let context = HookContext::new("session-1", "backend").in_dir("/repo");
/// let install = PreToolUse::new("bash", serde_json::json!({"command": "npm install jquery"}));
/// # VirtualTime::default().block_on(async {
/// assert!(hooks.on(context).pre_tool_use(install).await.outcome.is_denied());
/// # }).expect("no hook waits");
/// ```
#[derive(Clone)]
pub struct TeamDecisions {
    place: TeamPlace,
    archive: bool,
    reader: CallReader,
    workers: Arc<dyn Workers>,
    guard: Guard,
    known: Arc<RwLock<HashMap<PathBuf, Known>>>,
    /// Texts of files that calls write as a whole, as they were before.
    before: Arc<RwLock<HashMap<PathBuf, Arc<str>>>>,
}

/// Decisions of one folder, as they were read last.
#[derive(Clone)]
struct Known {
    files: Arc<DecisionFiles>,
    decisions: Arc<Decisions>,
    policy: Arc<DecisionPolicy>,
}

impl TeamDecisions {
    /// Enforces the decisions at `place`, and reads calls with `reader`. `workers` wait for the disk.
    pub fn new(place: TeamPlace, workers: Arc<dyn Workers>, reader: &CallReader) -> Self {
        let guard = Guard::new(&place.name(), reader);
        let (reader, known, before) = (reader.clone(), Arc::default(), Arc::default());
        Self { place, archive: true, reader, workers, guard, known, before }
    }

    /// Sets the agents that may edit the files with the decisions as they like; by default, none may lift a decision.
    #[must_use]
    pub fn with_editors(mut self, editors: &[String]) -> Self {
        self.guard = self.guard.with_editors(editors);
        self
    }

    /// Sets whether archived decisions count; they do by default.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_core::beside::Here;
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::testing::{FakeDisk, VirtualTime};
    /// use hooks_core::{HookContext, Hooks, Judged};
    /// use hooks_team::TeamPlace;
    /// use hooks_team_rules::decisions::TeamDecisions;
    ///
    /// let is_denied = |archive: bool| {
    ///     let text = "# Decisions\n\n- Never use jQuery.\n";
    ///     let disk = FakeDisk::default().with_file("/repo/.squad/decisions-archive.md", text);
    ///     let place = TeamPlace::below(Arc::new(disk), ".squad");
    ///     let decisions = TeamDecisions::new(place, Arc::new(Here), &Default::default()).with_archive(archive);
    ///     let hooks = decisions.add_to(Hooks::builder()).build();
    ///     let context = HookContext::new("session-1", "backend").in_dir("/repo");
    ///     let install = PreToolUse::new("bash", serde_json::json!({"command": "npm install jquery"}));
    ///     let decided = VirtualTime::default().block_on(hooks.on(context).pre_tool_use(install));
    ///     decided.expect("no hook waits").outcome.is_denied()
    /// };
    /// assert!(is_denied(true));
    /// assert!(!is_denied(false));
    /// ```
    #[must_use]
    pub fn with_archive(mut self, archive: bool) -> Self {
        self.archive = archive;
        self
    }

    /// Adds the decider and the policy to a set.
    pub fn add_to(&self, builder: HooksBuilder) -> HooksBuilder {
        let refresh = DecideLayer::new(self.clone()).layer(Settle);
        builder.stack::<PreToolUse, _>(&FailureLayer::new(NAME), refresh).policy::<PreToolUse>(self.clone())
    }

    fn is_judged(&self, request: &HookRequest<PreToolUse>) -> bool {
        let call = self.reader.read(request);
        call.writes_files() || call.kind().runs_commands() || call.kind() == ToolKind::Unknown
    }

    fn known(&self, root: &std::path::Path) -> Option<Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).get(root).cloned()
    }

    /// Reads the files, and the decisions in them if they changed.
    fn refresh(&self, request: &HookRequest<PreToolUse>) -> Result<(), BoxError> {
        let context = request.context();
        let files = match self.place.checked(context)? {
            Some(team) => DecisionFiles::read(&team, self.archive)?,
            None => DecisionFiles::default(),
        };
        self.read_before(request);
        let root = context.root();
        if self.known(root).is_some_and(|known| *known.files == files) {
            return Ok(());
        }
        let decisions = Arc::new(Decisions::from_files(&files));
        let policy = Arc::new(DecisionPolicy::new(&decisions, &self.reader));
        let known = Known { files: Arc::new(files), decisions, policy };
        let mut all = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST_FOLDERS {
            // Each is read again when it is used.
            all.clear();
        }
        all.insert(root.to_path_buf(), known);
        Ok(())
    }

    /// Reads the files that the call writes as a whole: what they have already is not brought in.
    fn read_before(&self, request: &HookRequest<PreToolUse>) {
        let call = self.reader.read(request);
        if !call.writes_files() {
            return;
        }
        for path in call.places().found.iter().filter(|place| place.is_written()).filter_map(existing) {
            let path = request.context().root().join(path);
            // A file that cannot be read is judged as a new one.
            let text = self.place.disk().read(&path, LARGEST_BEFORE).ok().flatten();
            let mut before = self.before.write().unwrap_or_else(PoisonError::into_inner);
            if before.len() >= MOST_FOLDERS {
                before.clear();
            }
            match text {
                Some(text) => before.insert(path, String::from_utf8_lossy(&text).into()),
                None => before.remove(&path),
            };
        }
    }

    fn text_before(&self, root: &std::path::Path, path: &str) -> Option<Arc<str>> {
        self.before.read().unwrap_or_else(PoisonError::into_inner).get(&root.join(path)).cloned()
    }
}

impl Policy<PreToolUse> for TeamDecisions {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        if !self.is_judged(request) {
            return Verdict::NO_OPINION;
        }
        match self.known(request.context().root()) {
            Some(known) => {
                let objection = self.guard.objection(request, &self.reader, &known.files, &known.decisions);
                if let Some(reason) = objection {
                    return Verdict::deny(reason);
                }
                let root = request.context().root();
                known.policy.judge_after(request, &|path| self.text_before(root, path))
            }
            // The decider comes first in every set.
            None => Verdict::failed(NAME, &HookError::unavailable("the team's decisions were not read")),
        }
    }
}

impl Service<HookRequest<PreToolUse>> for TeamDecisions {
    type Response = DeciderOutcome<PreToolUse>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<DeciderOutcome<PreToolUse>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<PreToolUse>) -> Self::Future {
        let no_opinion = || DeciderOutcome::new(Decision::default());
        if !self.is_judged(&request) {
            return HookFuture::now(Ok(no_opinion()));
        }
        let own = self.clone();
        let read = offload(&*self.workers, move || own.refresh(&request));
        HookFuture::later(async move {
            read.await
                .map_err(|error| HookError::other(format!("the team's decisions cannot be read: {error}")))?;
            Ok(no_opinion())
        })
    }
}

impl fmt::Debug for TeamDecisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TeamDecisions")
            .field("place", &self.place)
            .field("archive", &self.archive)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::beside::Here;
    use hooks_core::fs::Disk;
    use hooks_core::testing::{FakeDisk, VirtualTime};
    use hooks_core::{HookContext, Hooks, Judged};

    use super::*;

    const DECISIONS: &str = "/repo/.squad/decisions.md";

    fn is_denied(hooks: &Hooks, command: &str) -> Option<String> {
        let event = PreToolUse::new("bash", serde_json::json!({"command": command}));
        let context = HookContext::new("s", "a").in_dir("/repo");
        let outcome = VirtualTime::default().block_on(hooks.on(context).pre_tool_use(event)).unwrap().outcome;
        outcome.shown_reason().filter(|_| outcome.is_denied()).map(|reason| reason.for_agent().into_owned())
    }

    fn hooks(disk: &Arc<FakeDisk>) -> Hooks {
        let place = TeamPlace::below(Arc::clone(disk) as Arc<dyn Disk>, ".squad");
        TeamDecisions::new(place, Arc::new(Here), &CallReader::default()).add_to(Hooks::builder()).build()
    }

    #[test]
    fn decisions_are_read_again_when_their_files_change() {
        let disk = Arc::new(FakeDisk::default().with_file(DECISIONS, "- Never use moment.\n"));
        let hooks = hooks(&disk);
        assert!(is_denied(&hooks, "npm i moment").is_some());
        assert_eq!(is_denied(&hooks, "npm i lodash"), None);
        disk.append(std::path::Path::new(DECISIONS), b"- Never use lodash.\n").unwrap();
        assert!(is_denied(&hooks, "npm i lodash").is_some());
    }

    #[test]
    fn a_file_that_cannot_be_read_denies() {
        let disk = Arc::new(FakeDisk::default().with_directory("/repo/.squad").with_directory(DECISIONS));
        let reason = is_denied(&hooks(&disk), "ls").unwrap();
        assert!(
            reason.contains("the team's decisions cannot be read") && reason.contains("decisions.md"),
            "{reason}"
        );
        let without = Arc::new(FakeDisk::default().with_directory("/repo"));
        assert_eq!(is_denied(&hooks(&without), "npm i moment"), None);
    }

    fn edits(disk: &Arc<FakeDisk>, agent: &str, tool: &str, args: serde_json::Value) -> Option<String> {
        let place = TeamPlace::below(Arc::clone(disk) as Arc<dyn Disk>, ".squad");
        let decisions = TeamDecisions::new(place, Arc::new(Here), &CallReader::default());
        let hooks = decisions.with_editors(&["Scribe".to_owned()]).add_to(Hooks::builder()).build();
        let files = Arc::clone(disk) as Arc<dyn hooks_core::fs::FileSystem>;
        let environment = hooks_core::Environment { files, ..hooks_core::Environment::detached() };
        let context = HookContext::new("s", agent).in_dir("/repo").with_environment(environment);
        let event = PreToolUse::new(tool, args);
        let outcome = VirtualTime::default().block_on(hooks.on(context).pre_tool_use(event)).unwrap().outcome;
        outcome.shown_reason().filter(|_| outcome.is_denied()).map(|reason| reason.for_agent().into_owned())
    }

    #[test]
    fn an_agent_adds_decisions_and_lifts_none() {
        let disk = Arc::new(FakeDisk::default().with_file(DECISIONS, "- Never use moment.\n"));
        let write = |text: &str| serde_json::json!({"file_path": ".squad/decisions.md", "content": text});
        let call = |agent: &str, args| edits(&disk, agent, "Write", args);
        assert_eq!(call("dev", write("- Never use moment.\n- Never use lodash.\n")), None);
        let lifted = call("dev", write("- Never use lodash.\n")).unwrap();
        assert!(lifted.contains("lifts the decision"), "{lifted}");
        assert!(call("dev", write("- Never use moment.\n- moment is allowed again.\n")).is_some());
        assert_eq!(call("scribe", write("")), None);
        for command in [
            "rm .squad/decisions.md",
            "echo x > .squad/decisions.md",
            "rm -rf .squad",
            "sed -i d .squad/decisions.md",
        ] {
            assert!(
                edits(&disk, "dev", "bash", serde_json::json!({"command": command})).is_some(),
                "{command}"
            );
        }
        for command in ["cat .squad/decisions.md", "echo x > .squad/decisions/inbox/a.md"] {
            assert_eq!(
                edits(&disk, "dev", "bash", serde_json::json!({"command": command})),
                None,
                "{command}"
            );
        }
    }

    #[test]
    fn a_file_that_is_written_again_brings_nothing_in() {
        let disk = FakeDisk::default().with_file(DECISIONS, "- Never use moment.\n");
        let disk = Arc::new(disk.with_file("/repo/a.js", "import m from 'moment';\n"));
        let write = |path: &str, text: &str| {
            edits(&disk, "dev", "Write", serde_json::json!({"file_path": path, "content": text}))
        };
        assert_eq!(write("a.js", "import m from 'moment';\nmore();\n"), None);
        assert!(write("b.js", "import m from 'moment';\n").is_some());
    }

    #[test]
    fn a_file_in_another_encoding_denies() {
        let utf_16: Vec<u8> = "- Never use moment.\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let disk = Arc::new(FakeDisk::default().with_file(DECISIONS, utf_16));
        let reason = is_denied(&hooks(&disk), "ls").unwrap();
        assert!(reason.contains("not UTF-8"), "{reason}");
    }

    #[test]
    fn a_decision_of_the_inbox_forbids_and_lifts_nothing() {
        let inbox = "/repo/.squad/decisions/inbox/a.md";
        let disk = FakeDisk::default().with_file(DECISIONS, "- Never use moment.\n");
        let disk = Arc::new(disk.with_file(
            inbox,
            "# Decision: Dates\n**By:** A\n\nmoment is allowed again. Never use lodash.\n",
        ));
        assert!(is_denied(&hooks(&disk), "npm i moment").is_some());
        assert!(is_denied(&hooks(&disk), "npm i lodash").is_some());
    }
}
