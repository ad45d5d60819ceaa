//! `hooks init`: makes a client call `hooks run` for every event of ours that it reports.
//!
//! | step | module |
//! | --- | --- |
//! | find the project and the user's folders | [`place`] |
//! | choose the file and its form | [`settings`] |
//! | write the command line of an event | [`command`] |
//! | edit the text of the settings | [`wiring`]: [`json`], [`toml`], [`yaml`] |
//! | write the first rules | [`starter`] |
//! | let Codex CLI trust the hooks | [`trust`] |
//! | keep the audit log out of the repository | [`ignored`] |
//! | show, write and store the changes | [`diff`], [`files`] |

pub(crate) mod command;
pub(crate) mod diff;
pub(crate) mod files;
mod ignored;
pub(crate) mod json;
pub(crate) mod place;
pub(crate) mod settings;
mod squad;
mod starter;
mod toml;
mod trust;
pub(crate) mod wiring;
mod yaml;

use std::env;
use std::io::Write;
use std::path::Path;

use clap::ValueEnum;
use hooks_protocols::Client;

use self::files::Change;
use self::place::Base;
use self::settings::ClientSettings;
use crate::cli::Init;
use crate::failure::{Failure, Status};
use crate::paint::GOOD;
use crate::person;

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
    /// client has such settings.
    fn default_for(client: &str) -> Self {
        match client {
            "vscode" | "docker-agent" | "squad" => Self::Project,
            _ => Self::User,
        }
    }
}

/// Adds our hooks to the settings, or removes them.
pub(crate) fn run(options: &Init) -> Result<Status, Failure> {
    let scope = match options.scope {
        Some(scope) => scope,
        None if options.portable => Scope::Project,
        None => Scope::default_for(&options.client),
    };
    let base = match &options.root {
        Some(root) => Base::of_machine(root.clone()),
        None => Base::find(scope)?,
    };
    possible(options, scope)?;
    if options.client == "squad" {
        return squad::run(options, &base);
    }
    let client: Client = options.client.parse().map_err(|error| Failure::message(format!("{error}")))?;
    let settings = settings::locate(client, &base, options.file.clone())?;
    let (mut changes, mut out) = (Vec::new(), anstream::stdout().lock());
    if options.remove {
        changes.push(removed(&settings)?);
        changes.extend(trust::taken_back(&settings)?);
    } else {
        let config = base.config()?;
        let (rules, starter) = starter::at(&config, scope == Scope::User, &base.project())?;
        changes.extend(starter);
        if scope == Scope::Project {
            changes.extend(ignored::log_of(&base, rules.as_ref())?);
        }
        changes.push(wired(&settings, &base, options.portable)?);
    }
    changes.retain(Change::is_one);
    for change in &changes {
        diff::write(&mut out, change)?;
    }
    if changes.is_empty() {
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
        if options.remove {
            change.make()?;
            files::forget(&change.path);
        } else {
            files::remember(change)?;
            change.make()?;
        }
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
        for note in notes(client, scope, options) {
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
        writeln!(out, "  `hooks doctor` shows that a denial really denies; `--remove` undoes this")?;
    }
    Ok(Status::Well)
}

/// Returns an error if these options do not go together, or need rights that are missing.
fn possible(options: &Init, scope: Scope) -> Result<(), Failure> {
    let refused = |what: &str| Err(Failure::message(what.to_owned()));
    if options.portable && scope != Scope::Project {
        return refused("`--portable` is for the settings of a project: use `--scope project`");
    }
    if options.from.is_some() && options.client != "squad" {
        return refused("`--from` is for `squad`: other clients have no team to take over");
    }
    if options.root.is_some() && scope != Scope::Machine {
        return refused("`--root` is for the settings of a machine: use `--scope machine`");
    }
    if options.trust {
        if options.client != "codex" {
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

/// Adds our hooks to the settings.
fn wired(settings: &ClientSettings, base: &Base, is_portable: bool) -> Result<Change, Failure> {
    let text = |path: &Path| {
        path.to_str().map(str::to_owned).ok_or_else(|| {
            Failure::message(format!(
                "settings file `{}` is not valid UTF-8; move it elsewhere",
                path.display()
            ))
        })
    };
    let program = env::current_exe()
        .map_err(|error| Failure::message(format!("the path of `hooks` itself is unknown: {error}")))?;
    let (program, config) = match is_portable {
        // `hooks run` finds the rules of the project.
        true => (command::PORTABLE.to_owned(), None),
        false => (text(&program)?, base.named_config(&base.config()?)?.as_deref().map(text).transpose()?),
    };
    let ClientSettings { client, path, form } = settings;
    let mut options: Vec<&str> = config.iter().flat_map(|config| ["--config", config]).collect();
    // Its agents must not change their own file, whose name is no fixed one.
    let agents = (*client == Client::DockerAgent).then(|| if is_portable { base.below(path) } else { path });
    let agents = agents.map(text).transpose()?;
    options.extend(agents.iter().flat_map(|agents| ["--settings", agents]));
    let events = settings::events(*client);
    let line = |event| (event, command::line(&program, *client, event, &options));
    let lines: Vec<_> = events.into_iter().map(line).collect();
    let was = files::read(path)?;
    let mut will = wiring::wire(was.as_deref().unwrap_or_default(), *client, *form, &lines)
        .map_err(|refused| cannot(path, &refused))?;
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
            Some(wiring::unwire(text, *client, *form).map_err(|refused| cannot(path, &refused))?)
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
fn notes(client: Client, scope: Scope, options: &Init) -> Vec<&'static str> {
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
        Client::Copilot if scope == Scope::Project => {
            notes.push("it reads these hooks only once you trust the folder (headless: `--trust-folder`); `--scope user` always holds");
        }
        _ => {}
    }
    if options.portable {
        notes.push("commit these settings with `hooks.yaml`; everyone needs `hooks` in `PATH`: without it, every call is denied");
    } else if scope == Scope::Project {
        notes.push("the paths in these settings are those of this machine: commit them only if they are the same for everyone, or use `--portable`");
    }
    notes
}
