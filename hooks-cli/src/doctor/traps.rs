//! Reasons for which a client does not call the hooks in its settings.

use std::path::{Path, PathBuf};

use hooks_protocols::Client;

use super::{Finding, trust};
use crate::codex::{self, CodexHook};
use crate::init::Scope;
use crate::init::command;
use crate::init::files;
use crate::init::json::{self, Node};
use crate::init::place::Base;
use crate::init::settings::{self, ClientSettings};
use crate::init::wiring;

/// The traps of a client where it is wired. If other settings govern here (`is_covered`), it does not matter
/// whether the client reads these.
pub(super) fn check(settings: &ClientSettings, base: &Base, is_covered: bool) -> Vec<Finding> {
    let client = settings.client;
    let mut found = Vec::new();
    // The hooks of a machine need no trust.
    if client == Client::Codex && base.scope != Scope::Machine {
        found.push(codex_trust(settings, base));
    }
    if base.scope != Scope::Project || is_covered {
        return found;
    }
    let everywhere = format!("or govern all folders: `hooks init {}`", client.name());
    // Observed: started below a wired repository, these clients called no hook.
    if matches!(client, Client::Claude | Client::Gemini | Client::Copilot) && base.is_above() {
        let place = base.folder().display();
        found.push(Finding::bad(
            "it reads the settings of the folder that it is started in: started here, it does not read these",
            format!("start it in `{place}`, {everywhere}"),
        ));
    }
    if trust::is_trusted(client, base.folder()) == Some(false) {
        found.push(Finding::bad(
            "it reads the hooks of a folder only where that is trusted, and this one is not",
            format!("trust the folder in {client}, {everywhere}"),
        ));
    }
    found
}

/// A switch that turns off all hooks of a client, wherever they are wired. The first file with a switch
/// decides.
pub(super) fn switched_off(client: Client) -> Option<Finding> {
    if client == Client::Gemini
        && let Some(path) = switches(client).into_iter().find(|path| disables_ours(path))
    {
        let what = format!("`{}` disables our hooks by their name (`hooksConfig.disabled`)", path.display());
        return Some(Finding::bad(what, "take the name out"));
    }
    let (path, is_off) = switches(client).into_iter().find_map(|path| {
        let text = files::read(&path).ok()??;
        Some((path, is_off(&text)?))
    })?;
    let what = format!("`{}` switches all hooks off", path.display());
    is_off.then(|| Finding::bad(what, "take that out"))
}

/// Whether settings of Gemini CLI disable hooks of ours. The lists of all its files count together.
fn disables_ours(path: &Path) -> bool {
    let Some(text) = files::read(path).ok().flatten() else { return false };
    let Ok(root) = json::parse(&text) else { return false };
    let lists = ["hooksConfig", "hooks"].into_iter().filter_map(|key| root.member(key)?.member("disabled"));
    let names = lists.flat_map(Node::items).filter_map(Node::text);
    names.into_iter().any(|name| name == settings::GEMINI_NAME || command::read(name).is_some())
}

/// The files of a client that can switch hooks off, the one with the highest priority first.
fn switches(client: Client) -> Vec<PathBuf> {
    let (project, user) = (Base::find(Scope::Project).ok(), Base::find(Scope::User).ok());
    let beside: &[&str] = match client {
        Client::Claude => &[".claude/settings.local.json"],
        Client::Copilot => &[".github/copilot/settings.local.json", ".github/copilot/settings.json"],
        _ => &[],
    };
    let local = project.iter().flat_map(|project| beside.iter().map(|path| project.join(path)));
    let wired =
        project.iter().chain(&user).filter_map(|base| Some(settings::locate(client, base, None).ok()?.path));
    // A client reads the settings of the folder that it is started in.
    let here = std::env::current_dir().ok();
    let names: &[&str] = match client {
        Client::Claude => &[".claude/settings.local.json", ".claude/settings.json"],
        Client::Gemini => &[".gemini/settings.json"],
        Client::Codex => &[".codex/config.toml"],
        _ => &[],
    };
    let started = here.iter().flat_map(|here| names.iter().map(|name| here.join(name)));
    let codex = user.iter().chain(&project).filter(|_| client == Client::Codex);
    let codex = codex.map(|base| base.in_folder(".codex", "config.toml"));
    started.chain(local).chain(wired).chain(codex).collect()
}

/// Whether the settings in `text` turn hooks off; `None` if they have no switch.
fn is_off(text: &str) -> Option<bool> {
    let Ok(root) = json::parse(text) else { return is_off_in_toml(text) };
    let flag = |node: &Node| text.get(node.span.clone())?.parse::<bool>().ok();
    let all = root.member("disableAllHooks").and_then(flag);
    all.or_else(|| root.member("hooksConfig")?.member("enabled").and_then(flag).map(|is_on| !is_on))
}

/// The same for Codex: `[features] hooks = false`.
fn is_off_in_toml(text: &str) -> Option<bool> {
    let settings: toml_edit::DocumentMut = text.parse().ok()?;
    let features = settings.get("features")?;
    let flag = |name: &str| features.get(name)?.as_bool();
    flag("hooks").or_else(|| flag("codex_hooks")).map(|is_on| !is_on)
}

/// Codex calls a hook only after the user trusted its exact text. It is asked which hooks that is; if it cannot be
/// asked, the settings of the user show whether any hook was trusted.
fn codex_trust(settings: &ClientSettings, base: &Base) -> Finding {
    let option = if base.scope == Scope::User { "" } else { " --scope project" };
    let remedy = format!(
        "`hooks init codex{option} --trust`, or start `codex`, enter `/hooks`, and accept them; again after each change"
    );
    let why = match codex::hooks_here() {
        Ok(hooks) => return by_codex(settings, &hooks, remedy),
        Err(why) => why,
    };
    let config = Base::find(Scope::User).map(|user| user.in_folder(".codex", "config.toml"));
    let text = config.ok().and_then(|path| files::read(&path).ok().flatten()).unwrap_or_default();
    let folder = base.folder().to_string_lossy();
    if text.contains("trusted_hash") && (base.scope == Scope::User || text.contains(&*folder)) {
        return Finding::doubtful(
            format!("Codex has trusted some hooks; whether it trusts these was not asked: {why}"),
            remedy,
        );
    }
    let what = "these hooks are not trusted in Codex, so it skips them silently";
    Finding::bad(format!("{what} (not asked: {why})"), remedy)
}

/// Compares our hooks in the settings with those that Codex lists.
fn by_codex(settings: &ClientSettings, listed: &[CodexHook], remedy: String) -> Finding {
    let text = files::read(&settings.path).ok().flatten().unwrap_or_default();
    let found = wiring::found(&text, settings.client, settings.form).unwrap_or_default();
    let in_file: Vec<_> = listed.iter().filter(|hook| hook.is_in(&settings.path)).collect();
    let state = |line: &str| in_file.iter().find(|hook| hook.command == line).map(|hook| hook.is_trusted());
    let skipped: Vec<_> = found.iter().filter(|one| state(&one.line) != Some(true)).collect();
    if skipped.is_empty() {
        return Finding::good("Codex reports that it trusts these hooks");
    }
    let names: Vec<String> = skipped.iter().map(|one| format!("`{}`", one.event)).collect();
    let what = match skipped.iter().all(|one| state(&one.line).is_none()) {
        true => "Codex does not list these hooks in this folder, because it does not trust the folder or reads other settings".to_owned(),
        false => format!("Codex does not trust the hooks of {}, so it skips them silently", names.join(", ")),
    };
    Finding::bad(what, remedy)
}
