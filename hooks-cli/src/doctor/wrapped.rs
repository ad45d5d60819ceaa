//! Checks whether Claude Code runs its commands in the sandbox, if the rules want that.

use std::path::Path;

use hooks_protocols::Client;

use super::Finding;
use crate::init::place::Base;
use crate::init::{Scope, files, settings, shell_setting};
use crate::run::project;
use crate::wrap::shell_file::{ShellFile, VARIABLE};
use crate::{load, wrap};

/// Checks the shell that the settings of Claude Code name.
pub(super) fn check(client: Client) -> Vec<Finding> {
    if client != Client::Claude {
        return Vec::new();
    }
    let here = std::env::current_dir().unwrap_or_default();
    let rules = project::find_for_start(client, &here);
    // Rules that cannot be read are reported elsewhere.
    let rules = rules.and_then(|path| load::in_project(load::reader(None), &path).read(&path).ok());
    if !rules.is_some_and(|rules| wrap::is_wanted(&rules)) {
        return Vec::new();
    }
    let again = "run `hooks init claude`, then start Claude Code again";
    let shell = match configured_shell() {
        Ok(shell) => shell,
        Err(why) => {
            return vec![Finding::bad(
                format!("whether shell calls run in the sandbox is unknown: {why}"),
                again,
            )];
        }
    };
    let Some(shell) = shell else {
        let what = format!(
            "the rules want shell calls in the sandbox, and no settings name a shell for that (`env.{VARIABLE}`), so they are denied"
        );
        return vec![Finding::bad(what, again)];
    };
    match ShellFile::read(Path::new(&shell)) {
        Ok(_) => vec![Finding::good(format!("shell calls run in the sandbox, by `{shell}`"))],
        Err(why) => {
            let what = format!("the rules want shell calls in the sandbox, and {why}, so they are denied");
            vec![Finding::bad(what, again)]
        }
    }
}

/// Returns the shell that the settings with the highest precedence name: of the machine, of one person in the project, of the
/// project, of the user.
fn configured_shell() -> Result<Option<String>, String> {
    for scope in [Scope::Machine, Scope::Project, Scope::User] {
        // A scope that has no place here has no settings.
        let Ok(base) = Base::find(scope) else { continue };
        let Ok(settings) = settings::locate(Client::Claude, &base, None) else { continue };
        let own = settings.path.with_file_name("settings.local.json");
        let own = (scope == Scope::Project).then_some(own);
        for path in own.into_iter().chain([settings.path]) {
            let wrong = |error: &dyn std::fmt::Display| format!("`{}`: {error}", path.display());
            let Some(text) = files::read(&path).map_err(|error| wrong(&error))? else { continue };
            if let Some(shell) = shell_setting::named(&text).map_err(|error| wrong(&error.what))? {
                return Ok(Some(shell));
            }
        }
    }
    Ok(None)
}
