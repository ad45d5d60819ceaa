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
    let again = "`hooks init claude` writes it anew; then start Claude Code again";
    let Some(shell) = named() else {
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

/// The shell that counts: of the machine, of the project, or of the user.
fn named() -> Option<String> {
    [Scope::Machine, Scope::Project, Scope::User].into_iter().find_map(|scope| {
        let base = Base::find(scope).ok()?;
        let path = settings::locate(Client::Claude, &base, None).ok()?.path;
        // Settings of one person in a project come before those of the project.
        let own = path.with_file_name("settings.local.json");
        let own = (scope == Scope::Project).then_some(own);
        own.into_iter().chain([path]).find_map(|path| {
            let text = files::read(&path).ok()??;
            shell_setting::named(&text).ok()?
        })
    })
}
