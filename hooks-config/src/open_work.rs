//! Work that is still open when a session ends: the items of a command's output, or the open tasks of a file.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use hooks_command::config::Handler;
use hooks_command::output::{End, Finished};
use hooks_command::process::{Processes, Runner, Start};
use hooks_context::builtins::Redact;
use hooks_context::config::OpenWorkConfig;
use hooks_context::session_end::OpenWork;
use hooks_core::beside::{Threads, offload};
use hooks_core::{BoxError, HookContext, HookFuture};
use hooks_redaction::RedactionConfig;

use super::command::Host;
use super::error::Mistakes;
use super::prompts::Secrets;
use super::prune::Pruned;
use super::source;

/// Longest item in characters.
const LONGEST: usize = 200;

/// Reports a section that names no source, or two.
pub(super) fn check(config: &OpenWorkConfig, path: &str, tree: &Pruned, mistakes: &mut Mistakes) {
    let problem = match (&config.command, &config.file) {
        (Some(_), Some(_)) => "`command` and `file` are both set",
        (None, None) => "there is neither `command` nor `file`",
        (Some(command), None) if command.trim().is_empty() => "`command` is empty",
        _ => return,
    };
    let (place, path) = (tree.root.locate(path), tree.path_before(path));
    mistakes.add_with_hint(place, path, problem, "name one source, such as `command: gh issue list`");
}

/// Source of open work of a configuration.
pub(super) struct WorkSource {
    config: OpenWorkConfig,
    runner: Arc<dyn Runner>,
    secrets: Arc<Secrets>,
}

impl WorkSource {
    pub(super) fn new(config: &OpenWorkConfig, host: &Host, redaction: Option<&RedactionConfig>) -> Self {
        let runner = host.runner.clone().unwrap_or_else(|| Arc::new(Processes::default()));
        Self { config: config.clone(), runner, secrets: Arc::new(Secrets::new(redaction)) }
    }

    /// Runs the command in the folder of the project.
    fn output(
        &self,
        context: &HookContext,
        command: &str,
    ) -> HookFuture<'static, Result<Vec<String>, BoxError>> {
        let handler =
            Handler { name: self.name().to_owned(), command: command.to_owned(), ..Handler::default() };
        let start = Start::new(handler, context.root());
        let finished = self.runner.run(start);
        HookFuture::later(async move {
            let Finished { end, stdout, stderr } = finished.await;
            let why = match end {
                End::Exited(0) => return Ok(stdout.lines().map(str::to_owned).collect()),
                End::Exited(status) => format!("it ended with status {status}"),
                End::Failed(reason) => reason,
                End::Killed | End::Replied(_) => "it was killed".to_owned(),
            };
            let said = stderr.lines().next().unwrap_or_default();
            Err(io::Error::other(format!("the command of `open_work` failed: {why} {said}").trim_end())
                .into())
        })
    }

    /// Reads the tasks of the file that are not done.
    fn tasks(
        &self,
        context: &HookContext,
        file: &Path,
    ) -> HookFuture<'static, Result<Vec<String>, BoxError>> {
        let path = context.root().join(file);
        offload(&Threads, move || {
            let bytes = source::read(&path)
                .map_err(|error| io::Error::other(format!("`{}` cannot be read: {error}", path.display())))?;
            Ok(String::from_utf8_lossy(&bytes).lines().filter_map(open_task).map(str::to_owned).collect())
        })
    }
}

impl OpenWork for WorkSource {
    fn name(&self) -> &str {
        let OpenWorkConfig { name, file, .. } = &self.config;
        name.as_deref().or(file.as_deref().and_then(|file| file.to_str())).unwrap_or("command")
    }

    fn open(&self, context: &Arc<HookContext>) -> HookFuture<'static, Result<Vec<String>, BoxError>> {
        let items = match (&self.config.command, &self.config.file) {
            (Some(command), _) => self.output(context, command),
            (None, Some(file)) => self.tasks(context, file),
            (None, None) => HookFuture::now(Ok(Vec::new())),
        };
        let (most, secrets) = (self.config.most, Arc::clone(&self.secrets));
        HookFuture::later(async move { Ok(kept(&items.await?, most, &*secrets)) })
    }
}

impl fmt::Debug for WorkSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkSource").field("config", &self.config).finish_non_exhaustive()
    }
}

/// Text of a task in a Markdown list whose box is empty.
fn open_task(line: &str) -> Option<&str> {
    let item = line.trim_start().strip_prefix(['-', '*', '+'])?.trim_start();
    item.strip_prefix("[ ]").map(str::trim).filter(|task| !task.is_empty())
}

/// The first items, each on one line without secrets, and the number of the others.
fn kept(items: &[String], most: usize, secrets: &dyn Redact) -> Vec<String> {
    let items = items.iter().map(|item| item.split_whitespace().collect::<Vec<_>>().join(" "));
    let items: Vec<_> = items.filter(|item| !item.is_empty()).collect();
    let more = items.len().saturating_sub(most);
    let scrubbed = |item: String| secrets.redact(&item).unwrap_or(item).chars().take(LONGEST).collect();
    let mut kept: Vec<String> = items.into_iter().take(most).map(scrubbed).collect();
    if more > 0 {
        kept.push(format!("{more} more"));
    }
    kept
}

#[cfg(test)]
mod tests {
    use std::fs;

    use hooks_core::event::SessionEnd;

    use super::super::Config;
    use super::*;

    /// The recap and the focus of a project after a session whose configuration has this `open_work`.
    async fn written(open_work: &str) -> (String, String) {
        let project = tempfile::tempdir().unwrap();
        let root = project.path().canonicalize().unwrap();
        fs::create_dir_all(root.join(".squad/identity")).unwrap();
        fs::write(root.join(".squad/identity/now.md"), "---\nfocus_area: x\n---\n").unwrap();
        fs::write(
            root.join("TODO.md"),
            "# To do\n\n- [x] done\n- [ ] Fix the login\n  * [ ] mail jane@example.com\n- [ ]\n- a note\n",
        )
        .unwrap();
        let text = format!("version: 1\nsession_end: {{ open_work: {open_work} }}\n");
        let config = Config::parse(&text, "hooks.yaml").unwrap();
        let context = HookContext::new("s", "a").in_dir(&root).with_environment(hooks_system::system());
        config.hooks().on(context).session_end(SessionEnd::default()).await;
        let log = fs::read_dir(root.join(".squad/log")).unwrap().next().unwrap().unwrap().path();
        let read = |path: std::path::PathBuf| fs::read_to_string(path).unwrap();
        (read(log), read(root.join(".squad/identity/now.md")))
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_open_tasks_of_a_file_are_written_at_the_end() {
        let (recap, now) = written("{ file: TODO.md }").await;
        assert!(
            recap.contains("## Open in TODO.md\n\n- Fix the login\n- mail [EMAIL_REDACTED]\n"),
            "{recap}"
        );
        assert!(now.contains("open_work_from: TODO.md") && now.contains("Fix the login"), "{now}");
        assert!(!recap.contains("done\n") && !recap.contains("a note"), "{recap}");
    }

    #[cfg(unix)]
    #[tokio::test(flavor = "multi_thread")]
    async fn each_line_of_a_command_is_an_item() {
        let command =
            "{ name: issues, command: 'ls TODO.md; echo; echo \"#7   slow\"; echo \"#8 dark\"', most: 2 }";
        let (recap, now) = written(command).await;
        assert!(recap.contains("## Open in issues\n\n- TODO.md\n- #7 slow\n- 1 more\n"), "{recap}");
        assert!(now.contains("open_work_from: issues"), "{now}");
        // A command that fails writes no work, and the session ends all the same.
        let (recap, now) = written("{ command: 'echo \"#9\"; exit 3' }").await;
        assert!(
            recap.starts_with("# Session s") && !recap.contains("#9") && !now.contains("open_work"),
            "{recap}"
        );
    }

    #[test]
    fn a_section_has_one_source() {
        for (text, problem) in [
            ("{}", "neither `command` nor `file`"),
            ("{ file: a, command: b }", "both set"),
            ("{ command: ' ' }", "`command` is empty"),
        ] {
            let text = format!("version: 1\nsession_end: {{ open_work: {text} }}\n");
            let errors = Config::parse(&text, "hooks.yaml").unwrap_err().to_string();
            assert!(errors.contains(problem) && errors.contains("session_end.open_work"), "{errors}");
        }
    }
}
