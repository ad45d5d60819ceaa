//! What keeps a client from calling its hooks although they stand in its settings.

use hooks_protocols::Client;

use super::Finding;
use crate::init::Scope;
use crate::init::files;
use crate::init::place::Base;
use crate::init::settings::Settings;

/// The traps that a client has.
pub(super) fn of(settings: &Settings, base: &Base) -> Vec<Finding> {
    let mut found = switched_off(settings);
    match settings.client {
        Client::Codex => found.push(codex_trust(base)),
        Client::Gemini if base.scope == Scope::Project => found.push(Finding::doubtful(
            "it reads the settings of a folder only where that is trusted; with `--skip-trust` it runs tools without these hooks",
            "trust the folder once, or govern all of them: `hooks init gemini --scope user`",
        )),
        Client::Copilot if base.scope == Scope::Project => found.push(Finding::doubtful(
            "it reads the hooks of a folder only where that is trusted; headless, that takes `--trust-folder`",
            "trust the folder once, or govern all of them: `hooks init copilot --scope user`",
        )),
        _ => {}
    }
    found
}

/// A switch in the same file that turns all hooks off.
fn switched_off(settings: &Settings) -> Vec<Finding> {
    let Ok(Some(text)) = files::read(&settings.path) else { return Vec::new() };
    let flat: String = text.split_whitespace().collect();
    let switches = ["\"disableAllHooks\":true", "\"hooksConfig\":{\"enabled\":false"];
    let is_off = switches.iter().any(|switch| flat.contains(switch));
    let what = format!("`{}` switches all hooks off", settings.path.display());
    if is_off { vec![Finding::bad(what, "take that out")] } else { Vec::new() }
}

/// Codex calls a hook only once a person trusted its very text, and remembers that in the user's file.
fn codex_trust(base: &Base) -> Finding {
    let remedy = "start `codex`, enter `/hooks`, and accept them; again after each change";
    let config = Base::of(Scope::User).map(|user| user.in_folder(".codex", "CODEX_HOME", "config.toml"));
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
