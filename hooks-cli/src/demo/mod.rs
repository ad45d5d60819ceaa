//! `hooks demo`: a session of two agents and a reviewer under real policies, with tools that really run.
//!
//! Only the script is prepared. The repository is real, the commands run, a denied call does not happen, and
//! the summary counts real outcomes.

mod context;
mod process;
mod report;
mod script;
mod squad;
mod team;
mod tools;
mod workspace;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hooks::config::{ConfigReader, Kept};
use hooks::drivers::{ToolCall, ToolRequest};
use hooks::event::{EndReason, PreToolUse, SessionStart};
use hooks::policies::Lockout;
use hooks::{HookContext, Hooks, Live, Session};
use tower::ServiceExt;

use self::report::Report;
use self::script::{Call, Lock, Reload, Step};
use self::team::{Reviewer, ShortNames};
use self::tools::Tools;
use self::workspace::Workspace;
use crate::cli::Demo;
use crate::failure::{Failure, Status};
use crate::paint::{LOUD, QUIET};
use crate::{eval, load, snippet};

/// The demo's own configuration.
const OWN_CONFIG: &str = include_str!("../../demo/hooks.yaml");

/// Runs the session.
pub(crate) fn run(options: &Demo) -> Result<Status, Failure> {
    if let Some(dir) = &options.squad {
        return eval::runtime()?.block_on(squad::play(dir));
    }
    let script = match &options.script {
        Some(path) => fs::read_to_string(path)
            .map_err(|error| Failure::message(format!("`{}` cannot be read: {error}", path.display())))?,
        None => script::OWN.to_owned(),
    };
    if options.show {
        let mut out = anstream::stdout().lock();
        write!(out, "{OWN_CONFIG}\n{}", script::OWN)?;
        return Ok(Status::Well);
    }
    let steps = script::read(&script)?;
    eval::runtime()?.block_on(play(options, &steps))
}

/// The configuration of the session.
enum ConfigFile {
    /// The demo's own configuration in the repository, which a step can change.
    Own(PathBuf),
    Users(PathBuf),
}

impl ConfigFile {
    fn path(&self) -> &Path {
        let (Self::Own(path) | Self::Users(path)) = self;
        path
    }
}

/// The state that steps need.
struct Stage {
    live: Live,
    kept: Kept,
    config: ConfigFile,
    session: Session,
    tools: Tools,
    reviewer: Reviewer,
    report: Report,
}

async fn play(options: &Demo, steps: &[Step]) -> Result<Status, Failure> {
    let own = options.config.is_none().then_some(OWN_CONFIG);
    let workspace = Workspace::create(own).await?;
    let repository = workspace.repository();
    let config = match &options.config {
        Some(path) => ConfigFile::Users(path.clone()),
        None => ConfigFile::Own(repository.join("hooks.yaml")),
    };
    let read = load::on_trial(config.path())?;
    let (kept, hooks) = (read.kept().clone(), read.hooks());

    let out = &mut anstream::stdout();
    opening(out, &config, repository)?;
    let live = Live::new(with_short_names(hooks));
    let mut context =
        HookContext::new("demo", "backend").in_dir(repository).with_environment(hooks::system());
    context.team_root = Some(repository.to_owned());
    let (session, _patch) = Session::start(live.clone(), context, SessionStart::default()).await;
    let tools = Tools::new(repository.to_owned(), workspace.folder().to_owned());
    let (reviewer, report) = (Reviewer::default(), Report::default());
    let mut stage = Stage { live, kept, config, session, tools, reviewer, report };
    for step in steps {
        match step {
            Step::Call(call) => stage.call(out, call).await?,
            Step::Lock(lock) => stage.lock(out, lock)?,
            Step::Reload(reload) => stage.reload(out, reload)?,
        }
    }
    let Stage { session, report, .. } = stage;
    let written = session.tally().files();
    session.end(EndReason::Complete, None).await;

    context::play(out).await?;
    closing(out, &report, &written, &workspace).await?;
    Ok(Status::Well)
}

impl Stage {
    async fn call(&mut self, out: &mut impl Write, call: &Call) -> Result<(), Failure> {
        if self.session.context().agent_name != call.agent {
            self.session.switch_agent(call.agent.as_str()).await;
        }
        self.reviewer.prepare(call.answer.clone());
        let governed = self.session.tools(self.tools.clone()).with_approver(self.reviewer.clone());
        let request = ToolRequest {
            context: Arc::clone(self.session.context()),
            call: ToolCall::new(call.tool.as_str(), call.args.clone()),
        };
        let governed = governed
            .oneshot(request)
            .await
            .map_err(|error| Failure::message(format!("the call failed: {error}")))?;
        let (raw, question) = (self.tools.take_raw(), self.reviewer.question_text());
        self.report.call(out, call, &governed, raw.as_ref(), question.as_deref())?;
        Ok(())
    }

    fn lock(&self, out: &mut impl Write, lock: &Lock) -> Result<(), Failure> {
        let Lock { reviewer, locks, out_of, note } = lock;
        let lockout = Lockout::new(out_of.as_str(), locks.as_str()).by(reviewer.as_str());
        self.kept.lockouts().lock(lockout);
        Report::aside(out, reviewer, &format!("locks {locks} out of {out_of}"), note)?;
        Ok(())
    }

    /// Replaces the hooks during the session; counters and locks stay. Only the demo's own configuration is
    /// written.
    fn reload(&mut self, out: &mut impl Write, reload: &Reload) -> Result<(), Failure> {
        let ConfigFile::Own(path) = &self.config else {
            Report::aside(out, "reload", "left out", "it changes the demo's own configuration only")?;
            return Ok(());
        };
        fs::write(path, fs::read_to_string(path)? + &reload.adds)?;
        match ConfigReader::default().keeping(self.kept.clone()).read(path) {
            Ok(config) => {
                self.live.swap(with_short_names(config.hooks()));
                Report::aside(out, "reload", "while the session goes on", &reload.note)?;
            }
            Err(errors) => snippet::write(out, &errors)?,
        }
        Ok(())
    }
}

fn with_short_names(hooks: Hooks) -> Hooks {
    hooks.into_builder().transform::<PreToolUse>(ShortNames).build()
}

fn opening(out: &mut impl Write, config: &ConfigFile, repository: &Path) -> std::io::Result<()> {
    let (which, shown) = match config {
        ConfigFile::Own(_) => ("the demo's own hooks.yaml".to_owned(), OWN_CONFIG),
        ConfigFile::Users(path) => (path.display().to_string(), ""),
    };
    writeln!(out, "{LOUD}A session under {which}{LOUD:#}")?;
    writeln!(out, "{QUIET}in {}; the tools really run{QUIET:#}\n", repository.display())?;
    for line in shown.lines().filter(|line| !line.is_empty()) {
        writeln!(out, "    {QUIET}{line}{QUIET:#}")?;
    }
    writeln!(out)
}

async fn closing(
    out: &mut impl Write,
    report: &Report,
    written: &[String],
    workspace: &Workspace,
) -> Result<(), Failure> {
    writeln!(out, "{LOUD}What came of it{LOUD:#}\n")?;
    report.summary(out)?;
    let written = if written.is_empty() { "none".to_owned() } else { written.join(", ") };
    writeln!(out, "\n{LOUD}Files written{LOUD:#} by the tools: {written}")?;
    writeln!(out, "{LOUD}What git sees{LOUD:#}")?;
    for line in workspace.changes().await?.lines() {
        writeln!(out, "  {line}")?;
    }
    let outside = workspace.strangers()?;
    let outside = if outside.is_empty() { "nothing".to_owned() } else { outside.join(", ") };
    writeln!(out, "{LOUD}Outside of the repository{LOUD:#} was written: {outside}")?;
    writeln!(
        out,
        "\n{QUIET}Yours next: `hooks demo --config FILE --script FILE`, `hooks explain --help`.{QUIET:#}"
    )?;
    Ok(())
}
