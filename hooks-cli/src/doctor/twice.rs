//! Settings that make a client call `hooks run` more than once for an event.

use std::path::PathBuf;

use hooks_protocols::Client;

use super::Finding;
use crate::init::Scope;
use crate::init::files;
use crate::init::place::Base;
use crate::init::settings::{self, Form};
use crate::init::wiring;

/// Warns if several files that a client reads call us.
pub(super) fn check(client: Client) -> Option<Finding> {
    let mut wired: Vec<PathBuf> = Vec::new();
    for (of, path, form) in read_by(client) {
        let text = files::read(&path).ok().flatten().unwrap_or_default();
        let calls_us = wiring::found(&text, of, form).is_ok_and(|found| !found.is_empty());
        if calls_us && !wired.contains(&path) {
            wired.push(path);
        }
    }
    if wired.len() < 2 {
        return None;
    }
    let names: Vec<String> = wired.iter().map(|path| format!("`{}`", path.display())).collect();
    let what = format!(
        "{client} calls `hooks` from each of {}: every call is decided each time, and counts once",
        names.join(", ")
    );
    Some(Finding::doubtful(
        what,
        "keep one of them: `hooks init CLIENT --scope SCOPE --remove` takes the others out",
    ))
}

/// The files that a client reads, and the client whose hooks they contain.
fn read_by(client: Client) -> Vec<(Client, PathBuf, Form)> {
    let mut all = Vec::new();
    let mut own = |of: Client, scopes: &[Scope]| {
        for scope in scopes {
            let Ok(base) = Base::find(*scope) else { continue };
            let Ok(found) = settings::locate(of, &base, None) else { continue };
            all.push((of, found.path.clone(), found.form));
            if of == Client::Claude && *scope == Scope::Project {
                all.push((of, found.path.with_file_name("settings.local.json"), found.form));
            }
        }
    };
    own(client, &[Scope::Machine, Scope::User, Scope::Project]);
    match client {
        // Seen in runs: those of the project, not those of the user.
        Client::Copilot => {
            own(Client::VsCode, &[Scope::Project]);
            own(Client::Claude, &[Scope::Project]);
        }
        // By its documentation.
        Client::VsCode => {
            own(Client::Copilot, &[Scope::Project]);
            own(Client::Claude, &[Scope::User, Scope::Project]);
        }
        _ => {}
    }
    all
}
