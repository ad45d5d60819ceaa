//! Reasons for which a client does not call the hooks in its settings.

use std::path::PathBuf;

use hooks_protocols::Client;

use super::{Finding, trust};
use crate::init::Scope;
use crate::init::files;
use crate::init::json::{self, Node};
use crate::init::place::Base;
use crate::init::settings::{self, ClientSettings};

/// The traps of a client where it is wired. If other settings govern here (`is_covered`), it does not matter
/// whether the client reads these.
pub(super) fn check(settings: &ClientSettings, base: &Base, is_covered: bool) -> Vec<Finding> {
    let client = settings.client;
    let mut found = Vec::new();
    if client == Client::Codex {
        found.push(codex_trust(base));
    }
    if base.scope == Scope::User || is_covered {
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
    let (path, is_off) = switches(client).into_iter().find_map(|path| {
        let text = files::read(&path).ok()??;
        Some((path, is_off(&text)?))
    })?;
    let what = format!("`{}` switches all hooks off", path.display());
    is_off.then(|| Finding::bad(what, "take that out"))
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

/// Codex calls a hook only after the user trusted its exact text, and stores that in the user's settings.
fn codex_trust(base: &Base) -> Finding {
    let remedy = "start `codex`, enter `/hooks`, and accept them; again after each change";
    let config = Base::find(Scope::User).map(|user| user.in_folder(".codex", "config.toml"));
    let text = config.ok().and_then(|path| files::read(&path).ok().flatten()).unwrap_or_default();
    let folder = base.folder().to_string_lossy();
    if text.contains("trusted_hash") && (base.scope == Scope::User || text.contains(&*folder)) {
        return Finding::doubtful(
            "Codex has trusted some hooks; whether these ones, only it can say",
            remedy,
        );
    }
    Finding::bad("nobody trusted these hooks in Codex, so it skips them without a word", remedy)
}
