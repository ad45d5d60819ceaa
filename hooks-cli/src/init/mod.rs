//! `hooks init`: makes a client call `hooks run` for every event of ours that it reports.
//!
//! | step | module |
//! | --- | --- |
//! | find the project and the user's folders | [`place`] |
//! | choose the file and its form | [`settings`] |
//! | write the command line of an event | [`command`] |
//! | edit the text of the settings | [`wiring`]: [`json`], [`toml`], [`list`], [`yaml`], [`opencode`] |
//! | write the first rules | [`starter`] |
//! | put `hooks mcp` before MCP servers | [`mcp`] |
//! | have Claude Code run its commands in the sandbox | [`shell_setting`] |
//! | have the lists of other clients allow the wrapper | [`allow_rules`] |
//! | let Codex CLI trust the hooks | [`trust`] |
//! | keep the audit log out of the repository | [`ignored`] |
//! | show, write and store the changes | [`diff`], [`files`] |

mod allow_rules;
pub(crate) mod command;
pub(crate) mod diff;
pub(crate) mod files;
mod hidden;
mod ignored;
pub(crate) mod json;
mod list;
pub(crate) mod mcp;
mod opencode;
#[cfg(all(test, unix))]
mod packages;
pub(crate) mod place;
pub(crate) mod settings;
pub(crate) mod shell_setting;
mod squad;
mod starter;
mod toml;
mod trust;
pub(crate) mod wiring;
pub(crate) mod yaml;

use std::env;
use std::io::Write;
use std::path::Path;

use clap::ValueEnum;
use hooks::config::Config;
use hooks::config::places::Places;
use hooks_protocols::Client;

use self::files::Change;
use self::place::Base;
use self::settings::{ClientSettings, Form};
use self::shell_setting::WrittenShell;
use crate::cli::Init;
use crate::failure::{Failure, Status};
use crate::paint::GOOD;
use crate::reach::client_named;
use crate::replay::past;
use crate::run::project;
use crate::wrap;
use crate::wrap::shell_file::ShellFile;
use crate::{load, person};

/// The scope of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// Settings of the project. They govern only where a client reads them: not in a folder below, in another
    /// worktree, or in a folder that is not trusted
    Project,
    /// Your own settings, for all projects
    User,
    /// Settings of the machine, which its users cannot switch off; needs root
    Machine,
}

impl Scope {
    /// The scope for a client if none is named: the settings of the user, which govern in every folder, if the
    /// client has such settings. `None` is a team of Squad.
    fn default_for(client: Option<Client>) -> Self {
        match client {
            Some(Client::VsCode | Client::DockerAgent) | None => Self::Project,
            Some(_) => Self::User,
        }
    }
}

/// Adds our hooks to the settings, or removes them.
pub(crate) fn run(options: &Init) -> Result<Status, Failure> {
    let client = if options.client == "squad" { None } else { Some(client_named(&options.client)?) };
    let scope = match options.scope {
        Some(scope) => scope,
        None if options.portable => Scope::Project,
        None => Scope::default_for(client),
    };
    let base = match &options.root {
        Some(root) => Base::of_machine(root.clone()),
        None => Base::find(scope)?,
    };
    possible(options, client, scope)?;
    let Some(client) = client else { return squad::run(options, &base) };
    if options.mcp {
        return mcp::run(options, client, &base);
    }
    let settings = settings::locate(client, &base, options.file.clone())?;
    let (mut changes, mut out) = (Vec::new(), anstream::stdout().lock());
    let (mut shell, mut is_wrapped) = (None, false);
    if options.remove {
        changes.push(removed(&settings)?);
        changes.extend(trust::taken_back(&settings)?);
        changes.extend(allow_rules::removed(client, &base)?);
    } else {
        let (rules, written) = rules(&base)?;
        changes.extend(written);
        let line = CommandLine::new(&base, options.portable)?;
        is_wrapped = is_wrapping(&settings, &base, rules.as_ref())?;
        // Its path is one of this machine.
        if is_wrapped && client == Client::Claude && !options.portable {
            shell = Some(wrapping_shell(&base, &line)?);
        } else if is_wrapped {
            changes.extend(allow_rules::written(client, &base)?);
        }
        if let Some(shell) = &shell {
            changes.push(shell.change()?);
        }
        if let Some(file) = settings::hidden_by(&settings) {
            return Err(Failure::message(format!(
                "`{}` is there, and with it {client} does not read the hooks in `{}`; move them there and remove it",
                file.display(),
                settings.path.display()
            )));
        }
        changes.push(wired(&settings, &base, &line, shell.as_ref(), options.portable)?);
    }
    changes.retain(Change::is_one);
    for change in &changes {
        diff::write(&mut out, change)?;
    }
    if changes.is_empty() {
        if let Some(shell) = shell.filter(|_| !options.dry_run) {
            shell.make_executable()?;
        }
        let what = if options.remove { "has no hooks of ours" } else { "is as it has to be" };
        writeln!(out, "nothing to do: `{}` {what}", settings.path.display())?;
        if options.trust {
            trust::give(&settings, &mut out)?;
        }
        return Ok(Status::Well);
    }
    if options.dry_run {
        writeln!(out, "\nnothing was written: this is what it would be")?;
        return Ok(Status::Well);
    }
    for change in &changes {
        if !options.remove {
            files::remember(change)?;
        }
        change.make()?;
    }
    if options.remove {
        // A folder is empty after all of its files are removed, and its own were the first.
        changes.iter().rev().for_each(|change| files::forget(&change.path));
    }
    if let Some(shell) = &shell {
        shell.make_executable()?;
    }
    writeln!(out)?;
    if options.remove {
        writeln!(out, "{GOOD}done{GOOD:#}: {client} calls no hooks of ours any more; your rules stay")?;
    } else {
        writeln!(out, "{GOOD}done{GOOD:#}: {client} asks `hooks` from its next session on")?;
        if base.is_above() {
            let place = base.folder().display();
            writeln!(
                out,
                "  these are the settings of the repository: start {client} in `{place}`, not in a folder below"
            )?;
        }
        if options.trust {
            trust::give(&settings, &mut out)?;
        }
        for note in notes(client, scope, options, is_wrapped) {
            writeln!(out, "  {note}")?;
        }
        if let Some(note) = is_wrapped.then(|| allow_rules::note(client, &base)).flatten() {
            writeln!(out, "  {note}")?;
        }
        if let Some(other) = other_scope(client, scope) {
            writeln!(
                out,
                "  `{}` calls `hooks` too: both decide each call, and it counts once; \
                 `hooks init {client} --scope {} --remove` removes that one",
                other.path.display(),
                if scope == Scope::User { "project" } else { "user" },
                client = client.name(),
            )?;
        }
        if let Some(line) = past_sessions(client, scope, &base)? {
            writeln!(out, "  {line}")?;
        }
        writeln!(out, "  `hooks doctor` shows that a denial really denies; `--remove` undoes this")?;
    }
    Ok(Status::Well)
}

/// The rules of a scope, and the changes that create what is missing beside them.
fn rules(base: &Base) -> Result<(Option<Config>, Vec<Change>), Failure> {
    let (rules, starter) = starter::at(&base.config()?, base.scope, &base.project())?;
    let mut changes: Vec<Change> = starter.into_iter().collect();
    if base.scope == Scope::Project {
        changes.extend(ignored::log_of(base, rules.as_ref())?);
    }
    Ok((rules, changes))
}

/// A line about past sessions of the client, judged by the rules: those in this project, or all for rules of a user.
fn past_sessions(client: Client, scope: Scope, base: &Base) -> Result<Option<String>, Failure> {
    let Some(home) = Places::here().home().filter(|_| scope != Scope::Machine) else { return Ok(None) };
    let project = (scope == Scope::Project).then(|| base.folder());
    Ok(past::line(client, &home, &base.config()?, project))
}

/// Returns an error if these options do not go together, or need rights that are missing.
fn possible(options: &Init, client: Option<Client>, scope: Scope) -> Result<(), Failure> {
    let refused = |what: &str| Err(Failure::message(what.to_owned()));
    if options.portable && scope != Scope::Project {
        return refused("`--portable` is for the settings of a project: use `--scope project`");
    }
    if options.mcp && client.is_none() {
        return refused("`--mcp` is for clients: a team of Squad starts no MCP servers");
    }
    if options.from.is_some() && client.is_some() {
        return refused("`--from` is for `squad`: other clients have no team to take over");
    }
    if options.root.is_some() && scope != Scope::Machine {
        return refused("`--root` is for the settings of a machine: use `--scope machine`");
    }
    if options.trust {
        if client != Some(Client::Codex) {
            return refused("`--trust` is for `codex`: other clients do not ask about single hooks");
        }
        if options.remove || options.dry_run || scope == Scope::Machine {
            return refused(
                "`--trust` is for hooks of a project or a user that are written: leave out the other option",
            );
        }
        person::require("hooks init --trust")?;
    }
    if scope == Scope::Machine {
        if !cfg!(target_os = "linux") {
            return refused("the settings of a machine are known for Linux only: use `--scope user`");
        }
        if options.root.is_none() && !options.dry_run && !is_root() {
            return refused("`--scope machine` changes files in `/etc`: run it as root, such as with `sudo`");
        }
    }
    Ok(())
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
const fn is_root() -> bool {
    false
}

/// The settings of the other scope, if they call us as well.
fn other_scope(client: Client, scope: Scope) -> Option<ClientSettings> {
    let other = match scope {
        Scope::User => Scope::Project,
        Scope::Project => Scope::User,
        Scope::Machine => return None,
    };
    let settings = settings::locate(client, &Base::find(other).ok()?, None).ok()?;
    let text = files::read(&settings.path).ok()??;
    let found = wiring::found(&text, client, settings.form).ok()?;
    (!found.is_empty()).then_some(settings)
}

/// The parts of a command line that are the same for each event.
struct CommandLine {
    program: String,
    config: Option<String>,
}

impl CommandLine {
    fn new(base: &Base, is_portable: bool) -> Result<Self, Failure> {
        let program = env::current_exe()
            .map_err(|error| Failure::message(format!("the path of `hooks` itself is unknown: {error}")))?;
        if is_portable {
            // `hooks run` finds the rules of the project.
            return Ok(Self { program: command::PORTABLE.to_owned(), config: None });
        }
        let config = base.named_config(&base.config()?)?;
        Ok(Self { program: text_of(&program)?, config: config.as_deref().map(text_of).transpose()? })
    }
}

fn text_of(path: &Path) -> Result<String, Failure> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        Failure::message(format!("settings file `{}` is not valid UTF-8; move it elsewhere", path.display()))
    })
}

/// Whether the client is to run its commands in the sandbox: by the rules of these settings, and for those of the user also by the
/// rules of the current folder, or because they did before.
fn is_wrapping(settings: &ClientSettings, base: &Base, rules: Option<&Config>) -> Result<bool, Failure> {
    if !settings.client.can_wrap() {
        return Ok(false);
    }
    if rules.is_some_and(wrap::is_wanted) || base.scope != Scope::User {
        return Ok(rules.is_some_and(wrap::is_wanted));
    }
    let here = project::find_for_start(settings.client, &env::current_dir()?);
    // Rules that cannot be read deny every call.
    let here = here.and_then(|path| load::in_project(load::reader(None), &path).read(&path).ok());
    let text = files::read(&settings.path)?.unwrap_or_default();
    let has_ours = settings.client == Client::Claude && shell_setting::has_ours(&text);
    Ok(here.is_some_and(|rules| wrap::is_wanted(&rules)) || has_ours)
}

/// The shell of Claude Code that runs commands in the sandbox.
fn wrapping_shell(base: &Base, line: &CommandLine) -> Result<WrittenShell, Failure> {
    if !cfg!(target_os = "linux") {
        return Err(Failure::message(
            "`sandbox.calls: wrapped` needs Linux: there is no sandbox on this system; nothing was changed",
        ));
    }
    WrittenShell::new(base, &ShellFile::new(line.program.clone(), line.config.clone())?)
}

/// Adds our hooks to the settings.
fn wired(
    settings: &ClientSettings,
    base: &Base,
    line: &CommandLine,
    shell: Option<&WrittenShell>,
    is_portable: bool,
) -> Result<Change, Failure> {
    let CommandLine { program, config } = line;
    let ClientSettings { client, path, form } = settings;
    let mut options: Vec<&str> = config.iter().flat_map(|config| ["--config", config]).collect();
    // Its agents must not change their own file, whose name is no fixed one.
    let agents = (*client == Client::DockerAgent).then(|| if is_portable { base.below(path) } else { path });
    let agents = agents.map(text_of).transpose()?;
    options.extend(agents.iter().flat_map(|agents| ["--settings", agents]));
    let events = settings::events(*client);
    let line = |event| (event, command::line(program, *client, event, &options));
    let lines: Vec<_> = events.into_iter().map(line).collect();
    let was = files::read(path)?;
    let mut will = wiring::wire(was.as_deref().unwrap_or_default(), *client, *form, &lines)
        .map_err(|refused| cannot(path, &refused))?;
    if *client == Client::Claude {
        will = shell_setting::set(&will, shell, files::before(path).as_deref())
            .map_err(|refused| cannot(path, &refused))?;
    }
    if *client == Client::Codex && base.scope == Scope::Machine {
        // Otherwise a user can switch all hooks off.
        will = toml::requiring_hooks(&will).map_err(|refused| cannot(path, &refused))?;
    }
    Ok(Change { path: path.clone(), was, will: Some(will), is_private: base.scope == Scope::User })
}

/// Removes our hooks from the settings. If the settings are unchanged since our last edit, every byte of the
/// original is restored, unless the original has hooks of ours from an earlier call. Otherwise only our hooks
/// are removed from the current text.
fn removed(settings: &ClientSettings) -> Result<Change, Failure> {
    let ClientSettings { client, path, form } = settings;
    let was = files::read(path)?;
    let has_none = |before: &Option<String>| {
        let found = before.as_deref().map(|text| wiring::found(text, *client, *form));
        found.is_none_or(|found| found.is_ok_and(|found| found.is_empty()))
    };
    let before = files::recall(path, was.as_deref()).filter(has_none);
    let will = match (before, &was) {
        (Some(before), _) => before,
        (None, None) => None,
        (None, Some(text)) => {
            let text = match client {
                Client::Claude => shell_setting::set(text, None, files::before(path).as_deref()),
                _ => Ok(text.clone()),
            };
            let text = text.and_then(|text| wiring::unwire(&text, *client, *form));
            let text = text.map_err(|refused| cannot(path, &refused))?;
            Some(text).filter(|text| *form != Form::Plugin || !text.is_empty())
        }
    };
    Ok(Change { path: path.clone(), was, will, is_private: false })
}

fn cannot(path: &Path, refused: &wiring::Refused) -> Failure {
    let place = refused.place.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
    Failure::message(format!(
        "`{}{place}`: {}; nothing was changed: mend it, or move the file away, and run this again",
        path.display(),
        refused.what
    ))
}

/// Steps that the user still has to do.
fn notes(client: Client, scope: Scope, options: &Init, is_wrapped: bool) -> Vec<&'static str> {
    let mut notes = Vec::new();
    match client {
        _ if scope == Scope::Machine => {
            notes.push("it governs all users by `/etc/hooks/hooks.yaml`; rules of projects and users do not change that");
        }
        Client::Codex if options.trust => {}
        Client::Codex => {
            notes.push("Codex skips hooks without a word until you trust them: start it, enter `/hooks`, and accept them, or run this with `--trust`");
            if scope == Scope::Project {
                notes.push("and it reads the settings of a project only once you trust the project");
            }
        }
        Client::Gemini if scope == Scope::Project => {
            notes.push("it reads these settings only once you trust the folder, and never with `--skip-trust`; `--scope user` always holds");
        }
        Client::Qwen if scope == Scope::Project => {
            notes.push("a user who has it ask for trust (`security.folderTrust`) has to trust the folder first; `--scope user` always holds");
        }
        Client::Copilot if scope == Scope::Project => {
            notes.push("it reads these hooks only once you trust the folder (headless: `--trust-folder`); `--scope user` always holds");
        }
        _ => {}
    }
    if is_wrapped && client == Client::Claude && options.portable {
        notes.push("the rules want shell calls in the sandbox, and portable settings name no shell for that: everyone runs `hooks init claude` as well, else these calls are denied");
    }
    if options.portable {
        notes.push("commit these settings with `hooks.yaml`; everyone needs `hooks` in `PATH`: without it, every call is denied");
    } else if scope == Scope::Project {
        notes.push("the paths in these settings are those of this machine: commit them only if they are the same for everyone, or use `--portable`");
    }
    notes
}
