//! `hooks init`: makes a client call `hooks run` for every event whose answer has an effect.
//!
//! | step | module |
//! | --- | --- |
//! | find the project and the user's folders | [`place`] |
//! | choose the file and its form | [`settings`] |
//! | write the command line of an event | [`command`] |
//! | edit the text of the settings | [`wiring`]: [`json`], [`toml`], [`yaml`] |
//! | write the first rules | [`starter`] |
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

/// The scope of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// Settings of the project. They govern only where a client reads them: not in a folder below, in another
    /// worktree, or in a folder that is not trusted
    Project,
    /// Your own settings, for all projects
    User,
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
    let scope = options.scope.unwrap_or_else(|| Scope::default_for(&options.client));
    let base = Base::find(scope)?;
    if options.client == "squad" {
        return squad::run(options, &base);
    }
    let client: Client = options.client.parse().map_err(|error| Failure::message(format!("{error}")))?;
    let settings = settings::locate(client, &base, options.file.clone())?;
    let (mut changes, mut out) = (Vec::new(), anstream::stdout().lock());
    if options.remove {
        changes.push(removed(&settings)?);
    } else {
        let config = base.config()?;
        let (rules, starter) = starter::at(&config, scope == Scope::User)?;
        changes.extend(starter);
        if scope == Scope::Project {
            changes.extend(ignored::log_of(&base, rules.as_ref())?);
        }
        changes.push(wired(&settings, &config, scope)?);
    }
    changes.retain(Change::is_one);
    for change in &changes {
        diff::write(&mut out, change)?;
    }
    if changes.is_empty() {
        let what = if options.remove { "has no hooks of ours" } else { "is as it has to be" };
        writeln!(out, "nothing to do: `{}` {what}", settings.path.display())?;
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
        for note in notes(client, scope) {
            writeln!(out, "  {note}")?;
        }
        writeln!(out, "  `hooks doctor` shows that a denial really denies; `--remove` undoes this")?;
    }
    Ok(Status::Well)
}

/// Adds our hooks to the settings.
fn wired(settings: &ClientSettings, config: &Path, scope: Scope) -> Result<Change, Failure> {
    let text = |path: &Path| {
        path.to_str().map(str::to_owned).ok_or_else(|| {
            Failure::message(format!("`{}` is no text, and settings are; move it elsewhere", path.display()))
        })
    };
    let program = env::current_exe()
        .map_err(|error| Failure::message(format!("where `hooks` itself is cannot be told: {error}")))?;
    let program = text(&program)?;
    // The rules of a project take precedence over the user's own, so the user's settings name no rules.
    let config = match scope {
        Scope::Project => Some(text(&std::path::absolute(config)?)?),
        Scope::User => None,
    };
    let ClientSettings { client, path, form } = settings;
    let events = settings::events(*client);
    let line = |event| (event, command::line(&program, *client, event, config.as_deref()));
    let lines: Vec<_> = events.into_iter().map(line).collect();
    let was = files::read(path)?;
    let will = wiring::wire(was.as_deref().unwrap_or_default(), *client, *form, &lines)
        .map_err(|refused| cannot(path, &refused))?;
    Ok(Change { path: path.clone(), was, will: Some(will), is_private: scope == Scope::User })
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
fn notes(client: Client, scope: Scope) -> Vec<&'static str> {
    let mut notes = Vec::new();
    match client {
        Client::Codex => {
            notes.push("Codex skips hooks without a word until you trust them: start it, enter `/hooks`, and accept them");
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
        Client::DockerAgent => {
            notes.push("keep its agents from their own file: name it under `protected` in your rules");
        }
        _ => {}
    }
    if scope == Scope::Project {
        notes.push("the paths in these settings are those of this machine: commit them only if they are the same for everyone");
    }
    notes
}
