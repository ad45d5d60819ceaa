//! Reasons for which a client does not call the hooks in its settings.

use std::path::{Path, PathBuf};

use hooks::config::places::Places;
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
use crate::init::yaml;

/// The traps of a client where it is wired. If other settings govern here (`is_covered`), it does not matter
/// whether the client reads these.
pub(super) fn check(settings: &ClientSettings, base: &Base, is_covered: bool) -> Vec<Finding> {
    let client = settings.client;
    let mut found = Vec::new();
    // The hooks of a machine need no trust.
    if client == Client::Codex && base.scope != Scope::Machine {
        found.push(codex_trust(settings, base));
    }
    if let Some(file) = settings::hidden_by(settings) {
        found.push(Finding::bad(
            format!("with `{}`, {client} does not read the hooks in these settings", file.display()),
            "move its hooks into these settings, and remove it",
        ));
    }
    if base.scope != Scope::Project || is_covered {
        return found;
    }
    let everywhere = format!("or govern all folders: `hooks init {}`", client.name());
    // Observed: started below a wired repository, these clients called no hook.
    if matches!(client, Client::Claude | Client::Gemini | Client::Copilot | Client::Qwen) && base.is_above() {
        let place = base.folder().display();
        found.push(Finding::bad(
            "it reads the settings of the folder that it is started in: started here, it does not read these",
            format!("start it in `{place}`, {everywhere}"),
        ));
    }
    if client == Client::OpenCode {
        found.extend(without_plugins("OPENCODE_DISABLE_PROJECT_CONFIG"));
    }
    if trust::is_trusted(client, base.folder()) == Some(false) {
        found.push(Finding::bad(
            "it reads the hooks of a folder only where that is trusted, and this one is not",
            format!("trust the folder in {client}, {everywhere}"),
        ));
    }
    found
}

/// A switch that turns off all hooks of a client, or ours. If the machine has hooks of ours (`is_pinned`), users
/// cannot switch them off.
pub(super) fn switched_off(client: Client, is_pinned: bool) -> Option<Finding> {
    match by_machine(client, Path::new("/"), is_pinned) {
        Some(found) => found,
        None if is_pinned => None,
        None => by_user(client),
    }
}

/// A switch in the settings of the machine below `root`. `Some(None)` if they keep users from switching hooks off.
fn by_machine(client: Client, root: &Path, is_pinned: bool) -> Option<Option<Finding>> {
    let mut is_kept_on = false;
    for path in of_machine(client, root) {
        let Some(text) = files::read(&path).ok().flatten() else { continue };
        let off = is_off(client, &text);
        is_kept_on |= off == Some(false);
        let what = match off {
            Some(true) => "switches all hooks off",
            _ if !is_pinned && is_for_managed_only(&text) => "lets only the hooks of the machine run",
            _ => continue,
        };
        let what = format!("`{}` {what}", path.display());
        let remedy = format!(
            "have the administrator of this machine remove that, or call `hooks init {} --scope machine`",
            client.name()
        );
        return Some(Some(Finding::bad(what, remedy)));
    }
    is_kept_on.then_some(None)
}

/// A switch in the settings of the user and the project, wherever hooks are wired. The first file with a switch
/// decides.
fn by_user(client: Client) -> Option<Finding> {
    if client == Client::OpenCode {
        return without_plugins("OPENCODE_PURE");
    }
    if client == Client::Goose {
        return disabled_plugin().or_else(disabled_path);
    }
    if client == Client::Gemini
        && let Some(path) = switches(client).into_iter().find(|path| disables_ours(path))
    {
        let what = format!("`{}` disables our hooks by their name (`hooksConfig.disabled`)", path.display());
        return Some(Finding::bad(what, "take the name out"));
    }
    let (path, is_off) = switches(client).into_iter().find_map(|path| {
        let text = files::read(&path).ok()??;
        Some((path, is_off(client, &text)?))
    })?;
    let what = format!("`{}` switches all hooks off", path.display());
    is_off.then(|| Finding::bad(what, "take that out"))
}

/// Settings of goose that disable our plugin. Those of the project count before those of the user.
fn disabled_plugin() -> Option<Finding> {
    let bases = [Scope::Project, Scope::User].into_iter().filter_map(|scope| Base::find(scope).ok());
    let names = [".config/goose/settings.local.json", ".config/goose/settings.json"];
    let files = bases.flat_map(|base| names.map(|name| base.join(name)));
    let (path, is_disabled) = files.into_iter().find_map(|path| {
        let text = files::read(&path).ok()??;
        let root = json::parse(&text).ok()?;
        let lists = |key: &str| {
            let names = root.member(key).into_iter().flat_map(Node::items).filter_map(Node::text);
            names.into_iter().any(|name| name == "hooks")
        };
        let is_disabled = lists("disabledPlugins");
        (is_disabled || lists("enabledPlugins")).then_some((path, is_disabled))
    })?;
    let what = format!("`{}` disables our plugin `hooks` (`disabledPlugins`)", path.display());
    is_disabled.then(|| Finding::bad(what, "take the name out"))
}

/// The list of plugins in goose's `config.yaml`, if it disables ours by the path of its folder. Source: `filter_by_config` in
/// `crates/goose/src/plugins/discovery.rs`.
fn disabled_path() -> Option<Finding> {
    let config = Places::here().config()?.join("goose/config.yaml");
    let text = files::read(&config).ok()??;
    let bases = [Scope::Project, Scope::User].into_iter().filter_map(|scope| Base::find(scope).ok());
    let mut plugins = bases.map(|base| base.join(settings::GOOSE_PLUGIN)).filter(|plugin| plugin.is_dir());
    let is_disabled = |plugin: &PathBuf| {
        let enabled = yaml::scalar(&text, &["plugins", &plugin.to_string_lossy(), "enabled"]);
        enabled.as_deref() == Some("false")
    };
    let plugin = plugins.find(is_disabled)?;
    let what = format!("`{}` disables our plugin `{}` (`plugins`)", config.display(), plugin.display());
    Some(Finding::bad(what, "set `enabled: true` there"))
}

/// A variable with which OpenCode leaves out plugins, if it is started from here.
fn without_plugins(variable: &str) -> Option<Finding> {
    let value = std::env::var(variable).ok()?.to_lowercase();
    let is_set = matches!(&*value, "1" | "true");
    is_set.then(|| {
        Finding::bad(
            format!("with the variable `{variable}`, it does not load our plugin"),
            "unset the variable",
        )
    })
}

/// The settings of the machine that can switch hooks off, the one with the highest priority first.
pub(crate) fn of_machine(client: Client, root: &Path) -> Vec<PathBuf> {
    match client {
        Client::Claude => {
            let folder = root.join("etc/claude-code");
            let parts = std::fs::read_dir(folder.join("managed-settings.d")).into_iter().flatten().flatten();
            let is_json = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
            let mut all: Vec<_> = parts.map(|part| part.path()).filter(is_json).collect();
            all.sort_unstable_by(|one, other| other.cmp(one));
            all.push(folder.join("managed-settings.json"));
            all
        }
        Client::Codex => vec![root.join("etc/codex/requirements.toml")],
        Client::Gemini => {
            let named = Places::here().named_by("GEMINI_CLI_SYSTEM_SETTINGS_PATH");
            vec![named.unwrap_or_else(|| root.join("etc/gemini-cli/settings.json"))]
        }
        Client::Qwen => {
            let named = Places::here().named_by("QWEN_CODE_SYSTEM_SETTINGS_PATH");
            vec![named.unwrap_or_else(|| root.join("etc/qwen-code/settings.json"))]
        }
        Client::Droid => vec![root.join("etc/factory/settings.json")],
        _ => Vec::new(),
    }
}

/// Whether settings of the machine let the hooks of users and projects not run: `allowManagedHooksOnly` of Claude
/// Code, `allow_managed_hooks_only` of Codex CLI.
fn is_for_managed_only(text: &str) -> bool {
    let Ok(root) = json::parse(text) else {
        let settings = text.parse::<toml_edit::DocumentMut>();
        let flag = settings.ok().and_then(|settings| settings.get("allow_managed_hooks_only")?.as_bool());
        return flag == Some(true);
    };
    root.member("allowManagedHooksOnly").is_some_and(|node| flag(text, node) == Some(true))
}

fn flag(text: &str, node: &Node) -> Option<bool> {
    text.get(node.span.clone())?.parse().ok()
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
        Client::Droid => &[".factory/settings.local.json"],
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
        Client::Qwen => &[".qwen/settings.json"],
        Client::Codex => &[".codex/config.toml"],
        Client::Droid => &[".factory/settings.local.json", ".factory/settings.json"],
        _ => &[],
    };
    let started = here.iter().flat_map(|here| names.iter().map(|name| here.join(name)));
    let codex = user.iter().chain(&project).filter(|_| client == Client::Codex);
    let codex = codex.map(|base| base.in_folder(".codex", "config.toml"));
    started.chain(local).chain(wired).chain(codex).collect()
}

/// Whether the settings in `text` turn the hooks of a client off; `None` if they have no switch.
pub(crate) fn is_off(client: Client, text: &str) -> Option<bool> {
    let Ok(root) = json::parse(text) else { return is_off_in_toml(text) };
    // Source of Droid's: `docs.factory.ai/droid-cli/settings`.
    let key = if client == Client::Droid { "hooksDisabled" } else { "disableAllHooks" };
    let all = root.member(key).and_then(|node| flag(text, node));
    all.or_else(|| flag(text, root.member("hooksConfig")?.member("enabled")?).map(|is_on| !is_on))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_of_the_machine_count_before_those_of_users() {
        let place = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = place.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let found = |client, is_pinned| {
            by_machine(client, place.path(), is_pinned).map(|found| found.map(|finding| finding.what))
        };
        let says = |client, is_pinned, text: &str| {
            found(client, is_pinned).flatten().is_some_and(|what| what.contains(text))
        };
        assert_eq!(found(Client::Claude, false), None);
        put("etc/claude-code/managed-settings.json", "{\"allowManagedHooksOnly\": true}");
        assert!(says(Client::Claude, false, "only the hooks of the machine"));
        // Ours are among them.
        assert_eq!(found(Client::Claude, true), None);
        put("etc/claude-code/managed-settings.d/10.json", "{\"disableAllHooks\": true}");
        assert!(says(Client::Claude, true, "10.json` switches all hooks off"));
        put("etc/claude-code/managed-settings.d/10.json", "{\"disableAllHooks\": false}");
        put("etc/claude-code/managed-settings.json", "{}");
        assert_eq!(found(Client::Claude, false), Some(None), "a user cannot switch them off");
        put("etc/codex/requirements.toml", "allow_managed_hooks_only = true\n");
        assert!(says(Client::Codex, false, "only the hooks of the machine"));
        put("etc/codex/requirements.toml", "[features]\nhooks = false\n");
        assert!(says(Client::Codex, true, "switches all hooks off"));
        assert_eq!(found(Client::Cursor, false), None);
    }
}
