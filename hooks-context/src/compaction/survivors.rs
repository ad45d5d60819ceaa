//! Texts and facts that may have to survive, collected while a session runs.

use std::sync::Arc;

use hooks_conversation::text::{head, tail};
use hooks_core::event::{BeforeModelCall, PostToolUse, PreToolUse, UserPromptSubmitted};
use hooks_core::{
    ContextNote, Decision, Gate, HookContext, HookRequest, Judged, Observer, PromptOutcome, ResultPatch,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::settings::CompactionSettings;
use crate::sessions::Sessions;

/// The most sessions that are remembered. The last conversation of a session may be long, so fewer of them
/// are kept.
const MOST_SESSIONS: usize = 4_096;
const MOST_CONVERSATIONS: usize = 512;
/// The most files, tasks and outputs of a session.
const MOST: usize = 40;
/// The longest entry, in bytes.
const LONGEST: usize = 8_192;

/// Names of arguments with which tools name a file.
const PATHS: &[&str] = &["path", "file_path", "filePath", "notebook_path", "file", "filename"];

/// Texts and facts that a session would lose in a compaction. They are exported as JSON with the compaction;
/// [`Compacting::import`](super::Compacting::import) reads them back.
///
/// A result that a policy withholds does not survive:
///
/// ```
/// use std::sync::Arc;
/// use hooks_context::compaction::{Compacting, CompactionSettings, Survivors};
/// use hooks_core::event::{PostToolUse, PreToolUse};
/// use hooks_core::testing::VirtualTime;
/// use hooks_core::{HookContext, HookRequest, Hooks, Reason, Verdict, policy_fn};
/// use serde_json::json;
///
/// let time = VirtualTime::default();
/// let mut settings = CompactionSettings::default();
/// settings.outputs = vec!["cat".to_owned()];
/// let compacting = Compacting::new(settings, Arc::new(time.clone()));
/// let withhold = policy_fn("withhold", |_: &HookRequest<PostToolUse>| {
///     Verdict::deny(Reason::new("withhold", "all", "this result is withheld"))
/// });
/// let hooks = compacting.add_to(Hooks::builder().policy(withhold)).build();
/// # time.block_on(async {
/// let context = HookContext::new("session-1", "backend");
/// let call = PreToolUse::new("bash", json!({"command": "cat secret"}));
/// hooks.on(context.clone()).post_tool_use(PostToolUse::after(&call, json!("hidden"), None, 1)).await;
/// assert_eq!(compacting.survivors(&context), Survivors::default());
/// # }).expect("nothing waits");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Survivors {
    /// The user's last request.
    pub request: String,
    /// Open tasks.
    pub tasks: Vec<String>,
    /// Files that were worked on, the newest last.
    pub paths: Vec<String>,
    /// Output of commands that a rule names, the newest last.
    pub outputs: Vec<Output>,
}

/// Output of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// The command.
    pub command: String,
    /// Last output of the command.
    pub text: String,
}

/// State of the sessions of this process.
#[derive(Debug)]
pub(crate) struct Ledger {
    sessions: Sessions<Known>,
    /// Last conversation of each session; it shares its data with the event.
    conversations: Sessions<Option<HookRequest<BeforeModelCall>>>,
}

#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) survivors: Survivors,
    /// Notes that were handed over, until the compaction is done.
    pub(super) handed: Vec<ContextNote>,
    /// Notes that are due after a compaction.
    pub(super) due: Vec<ContextNote>,
}

impl Default for Ledger {
    fn default() -> Self {
        Self { sessions: Sessions::most(MOST_SESSIONS), conversations: Sessions::most(MOST_CONVERSATIONS) }
    }
}

impl Ledger {
    /// Reads the state of a session; returns the default if the session is unknown.
    pub(super) fn look<T: Default>(&self, context: &HookContext, act: impl FnOnce(&Known) -> T) -> T {
        self.sessions.look(context, act).unwrap_or_default()
    }

    /// Changes the state of a session.
    pub(super) fn change<T>(&self, context: &HookContext, act: impl FnOnce(&mut Known) -> T) -> T {
        self.sessions.change(context, act)
    }

    /// Returns the last conversation of the session, if it is still remembered.
    pub(super) fn conversation(&self, context: &HookContext) -> Option<HookRequest<BeforeModelCall>> {
        self.conversations.look(context, Option::clone).flatten()
    }

    fn converse(&self, request: &HookRequest<BeforeModelCall>) {
        let last = Some(request.clone());
        drop(self.conversations.change(request.context(), |known| std::mem::replace(known, last)));
    }

    pub(super) fn forget(&self, context: &HookContext) {
        let gone = (self.sessions.take(context), self.conversations.take(context));
        drop(gone);
    }
}

/// Collects the survivors from events.
#[derive(Clone, Debug)]
pub(super) struct Collector {
    pub(super) ledger: Arc<Ledger>,
    pub(super) settings: Arc<CompactionSettings>,
}

impl Survivors {
    fn touch(&mut self, path: &str) {
        if !path.is_empty() && path.len() <= LONGEST {
            newest(&mut self.paths, path.to_owned(), |known| known == path);
        }
    }

    fn printed(&mut self, command: &str, text: &str) {
        let output =
            Output { command: head(command, LONGEST).to_owned(), text: tail(text, LONGEST).to_owned() };
        newest(&mut self.outputs, output, |known| known.command == command);
    }

    /// Adds the state of another process. The state of this process is newer and takes precedence.
    pub(super) fn merge(&mut self, earlier: Self) {
        if self.request.is_empty() {
            self.request = earlier.request;
        }
        if self.tasks.is_empty() {
            self.tasks = earlier.tasks;
        }
        let (paths, outputs) = (std::mem::take(&mut self.paths), std::mem::take(&mut self.outputs));
        (self.paths, self.outputs) = (earlier.paths, earlier.outputs);
        paths.iter().for_each(|path| self.touch(path));
        outputs.iter().for_each(|output| self.printed(&output.command, &output.text));
    }
}

/// Appends `value` and removes an older equal entry. If the list is too long, the oldest entries are removed.
fn newest<T>(list: &mut Vec<T>, value: T, same: impl Fn(&T) -> bool) {
    list.retain(|known| !same(known));
    list.push(value);
    list.drain(..list.len().saturating_sub(MOST));
}

/// Returns the open tasks in the arguments of a tool that keeps a task list.
fn tasks(args: &Value) -> Option<Vec<String>> {
    let list = ["todos", "tasks", "todo_list", "plan"].iter().find_map(|key| args.get(key)?.as_array())?;
    let open = list.iter().filter_map(|task| {
        let status = ["status", "state"].iter().find_map(|key| task.get(key)?.as_str()).unwrap_or_default();
        if matches!(status, "completed" | "done" | "cancelled" | "canceled") {
            return None;
        }
        let text = ["content", "text", "title", "step", "description"];
        let text = task.as_str().or_else(|| text.iter().find_map(|key| task.get(key)?.as_str()))?;
        let mark = if status == "in_progress" { " (under way)" } else { "" };
        Some(format!("{}{mark}", head(text.trim(), LONGEST)))
    });
    Some(open.take(MOST).collect())
}

/// Returns the text of a tool's result.
fn text_of(result: &Value) -> String {
    match result {
        Value::String(text) => text.clone(),
        Value::Object(fields) => ["stdout", "output", "content", "text", "textResultForLlm"]
            .iter()
            .find_map(|key| fields.get(*key)?.as_str())
            .map_or_else(|| result.to_string(), str::to_owned),
        other => other.to_string(),
    }
}

impl Observer<UserPromptSubmitted> for Collector {
    fn name(&self) -> &'static str {
        "compaction"
    }

    fn observe(&self, request: &HookRequest<UserPromptSubmitted>, outcome: &PromptOutcome) {
        if outcome.goes_ahead() {
            let prompt = head(request.event().prompt.trim(), LONGEST).to_owned();
            self.ledger.change(request.context(), |known| known.survivors.request = prompt);
        }
    }
}

impl Observer<PreToolUse> for Collector {
    fn name(&self) -> &'static str {
        "compaction"
    }

    fn observe(&self, request: &HookRequest<PreToolUse>, outcome: &Decision<PreToolUse>) {
        if outcome.is_denied() {
            return;
        }
        let args = &request.event().tool_args;
        let path = PATHS.iter().find_map(|key| args.get(key)?.as_str());
        let tasks = tasks(args);
        if path.is_some() || tasks.is_some() {
            self.ledger.change(request.context(), |known| {
                known.survivors.touch(path.unwrap_or_default());
                if let Some(tasks) = tasks {
                    known.survivors.tasks = tasks;
                }
            });
        }
    }
}

impl Observer<PostToolUse> for Collector {
    fn name(&self) -> &'static str {
        "compaction"
    }

    fn observe(&self, request: &HookRequest<PostToolUse>, outcome: &ResultPatch) {
        let event = request.event();
        let command = ["command", "cmd", "script"].iter().find_map(|key| event.tool_args.get(key)?.as_str());
        let Some(command) = command else { return };
        // The output of a denied result must not be kept.
        if !outcome.is_denied() && self.settings.outputs.iter().any(|words| command.contains(words.as_str()))
        {
            let text = text_of(&event.tool_result);
            self.ledger.change(request.context(), |known| known.survivors.printed(command, text.trim()));
        }
    }
}

impl Observer<BeforeModelCall> for Collector {
    fn name(&self) -> &'static str {
        "compaction"
    }

    fn observe(&self, request: &HookRequest<BeforeModelCall>, _outcome: &Gate<BeforeModelCall>) {
        self.ledger.converse(request);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn open_tasks_are_read_from_what_a_tool_is_given() {
        let args = json!({"todos": [
            {"content": "a", "status": "completed"},
            {"content": "b", "status": "in_progress"},
            {"content": "c", "status": "pending"},
            "d",
        ]});
        assert_eq!(tasks(&args).unwrap(), ["b (under way)", "c", "d"]);
        assert_eq!(tasks(&json!({"path": "x"})), None);
    }

    #[test]
    fn what_came_last_stands_last_and_there_is_an_end_to_it() {
        let mut survivors = Survivors::default();
        (0..100).for_each(|number| survivors.touch(&number.to_string()));
        survivors.touch("70");
        assert_eq!(survivors.paths.len(), MOST);
        assert_eq!(
            (survivors.paths.first().unwrap().as_str(), survivors.paths.last().unwrap().as_str()),
            ("60", "70")
        );
    }
}
