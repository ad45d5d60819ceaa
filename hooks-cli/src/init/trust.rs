//! `hooks init codex --trust`: lets Codex CLI trust the hooks that were written.
//!
//! Codex CLI runs a hook only after a person trusted its exact text, and keeps that as a hash in `config.toml` of the
//! user. The hash is the one that Codex CLI itself names.

use std::io::Write;

use hooks_protocols::Client;

use super::files::{self, Change};
use super::place::Base;
use super::settings::ClientSettings;
use super::{Scope, cannot, diff, toml, wiring};
use crate::codex::{self, CodexHook};
use crate::failure::Failure;
use crate::paint::GOOD;

/// Trusts our hooks in `settings`. The caller has checked that a person wants that.
pub(super) fn give(settings: &ClientSettings, out: &mut impl Write) -> Result<(), Failure> {
    let ours = ours(settings)?;
    let untrusted: Vec<_> = ours.iter().filter(|hook| !hook.is_trusted()).collect();
    if untrusted.is_empty() {
        return Ok(writeln!(out, "Codex CLI trusts these hooks already")?);
    }
    let path = config()?;
    let was = files::read(&path)?;
    let hashes: Vec<_> = untrusted.iter().map(|hook| (&*hook.key, &*hook.hash)).collect();
    let will = toml::trusting(was.as_deref().unwrap_or_default(), &hashes)
        .map_err(|refused| cannot(&path, &refused))?;
    let change = Change { path, was, will: Some(will), is_private: true };
    diff::write(out, &change)?;
    files::remember(&change)?;
    change.make()?;
    if !self::ours(settings)?.iter().all(CodexHook::is_trusted) {
        return Err(Failure::message(
            "Codex CLI does not take the trust that was written; start it, enter `/hooks`, and accept them there",
        ));
    }
    Ok(writeln!(out, "{GOOD}done{GOOD:#}: Codex CLI trusts these hooks, until one of them changes")?)
}

/// The change that takes the trust back; `None` if there was none, or the file was changed since.
pub(super) fn taken_back(settings: &ClientSettings) -> Result<Option<Change>, Failure> {
    if settings.client != Client::Codex {
        return Ok(None);
    }
    let path = config()?;
    let was = if path == settings.path { None } else { files::read(&path)? };
    let before = files::recall(&path, was.as_deref());
    Ok(before.map(|will| Change { path, was, will, is_private: true }))
}

/// Our hooks, as Codex CLI lists them.
fn ours(settings: &ClientSettings) -> Result<Vec<CodexHook>, Failure> {
    let text = files::read(&settings.path)?.unwrap_or_default();
    let found = wiring::read(&text, settings.client, settings.form)
        .map_err(|refused| cannot(&settings.path, &refused))?;
    let listed = codex::hooks_here()
        .map_err(|why| Failure::message(format!("Codex CLI cannot be asked about its hooks: {why}")))?;
    let ours: Vec<_> = listed.into_iter().filter(|hook| hook.is_in(&settings.path)).collect();
    let ours: Vec<_> =
        ours.into_iter().filter(|hook| found.iter().any(|one| one.line == hook.command)).collect();
    if ours.len() < found.len() {
        return Err(Failure::message(format!(
            "Codex CLI lists {} of {} hooks in `{}`; trust the project in Codex CLI first",
            ours.len(),
            found.len(),
            settings.path.display()
        )));
    }
    Ok(ours)
}

/// The user's `config.toml`.
fn config() -> Result<std::path::PathBuf, Failure> {
    Ok(Base::find(Scope::User)?.in_folder(".codex", "config.toml"))
}
