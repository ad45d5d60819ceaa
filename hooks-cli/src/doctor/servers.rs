//! MCP servers that a client starts, and those that are not behind `hooks mcp`.

use std::path::Path;

use hooks_protocols::Client;

use super::Finding;
use super::State;
use crate::init::mcp::place::{self, ServerFile};
use crate::init::mcp::servers::{self, FoundServer};
use crate::init::place::Base;
use crate::init::{Scope, files};

/// Checks the servers of a client; `is_wired` if its hooks judge their calls.
pub(super) fn check(client: Client, is_wired: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (scope, named) in [(Scope::Machine, "machine"), (Scope::User, "user"), (Scope::Project, "project")] {
        let Ok(base) = Base::find(scope) else { continue };
        let remedy = format!("`hooks init {} --mcp --scope {named}`", client.name());
        for file in place::files(client, &base) {
            findings.extend(of_file(&file, client, is_wired, &remedy));
        }
    }
    findings
}

fn of_file(file: &ServerFile, client: Client, is_wired: bool, remedy: &str) -> Vec<Finding> {
    let path = file.path.display();
    let unreadable = |why: String| {
        let what = format!("the MCP servers in `{path}` cannot be read: {why}");
        vec![Finding::doubtful(what, "mend the file")]
    };
    let text = match files::read(&file.path) {
        Ok(Some(text)) => text,
        Ok(None) => return Vec::new(),
        Err(failure) => return unreadable(failure.to_string()),
    };
    let servers = match servers::find(&text, file.form) {
        Ok(servers) => servers,
        Err(refused) => return unreadable(refused.what),
    };
    let (governed, open): (Vec<_>, Vec<_>) =
        servers.iter().partition(|server| server.governed().is_some() || server.is_hooks());
    let mut findings: Vec<Finding> =
        governed.iter().filter_map(|server| broken(server, &path, remedy)).collect();
    findings.extend(governed.iter().filter_map(|server| renamed(server, &path)));
    if findings.is_empty() && !governed.is_empty() {
        findings.push(Finding::good(format!(
            "`hooks mcp` governs the MCP servers {} of `{path}`",
            names(&governed)
        )));
    }
    let hooks = if is_wired {
        format!(
            "; the hooks of {client} judge their calls, and nothing hides their tools or pins their descriptions"
        )
    } else {
        String::new()
    };
    // Someone who put the proxy before one server of a file meant all of them.
    let is_doubtful = !is_wired || !governed.is_empty();
    let mut add = |open: &[&FoundServer], remedy: String| {
        if !open.is_empty() {
            let what =
                format!("`hooks mcp` does not govern the MCP servers {} of `{path}`{hooks}", names(open));
            let state = if is_doubtful { State::Doubtful } else { State::Absent };
            findings.push(Finding { remedy: Some(remedy), ..Finding::new(state, what) });
        }
    };
    let (started, others): (Vec<_>, Vec<_>) = open.into_iter().partition(|server| server.is_started());
    add(&started, format!("{remedy} puts it before them"));
    let (remote, without_command): (Vec<_>, Vec<_>) = others.into_iter().partition(|server| server.is_remote);
    add(&remote, "they are reached by a URL, which stays as it is".to_owned());
    if !without_command.is_empty() {
        let what = format!(
            "the MCP servers {} of `{path}` have no command that can be read, so `hooks mcp` does not govern them",
            names(&without_command)
        );
        findings.push(Finding::doubtful(
            what,
            "give each a `command` that is a text, and `args` that are a list",
        ));
    }
    findings
}

/// A server whose name in the settings is not the one in rules.
fn renamed(server: &FoundServer, path: &impl std::fmt::Display) -> Option<Finding> {
    let name = server.governed()?.name.filter(|name| *name != server.name)?;
    let what = format!(
        "the MCP server `{}` of `{path}` is called `{name}` in rules, because its line has another `--name`",
        server.name
    );
    let remedy = format!(
        "rules for it name `mcp__{name}__TOOL`; change `--name` in its arguments if that is not meant"
    );
    Some(Finding::doubtful(what, remedy))
}

/// A problem because of which a server does not start.
fn broken(server: &FoundServer, path: &impl std::fmt::Display, remedy: &str) -> Option<Finding> {
    let found = server.governed()?;
    let is_missing = |file: &&str| Path::new(file).is_absolute() && !Path::new(file).is_file();
    let missing = [Some(found.program), found.config].into_iter().flatten().find(is_missing)?;
    let what =
        format!("the MCP server `{}` of `{path}` does not start: `{missing}` is not there", server.name);
    let remedy = if found.is_by_hand {
        "a person wrote this line, so `hooks init` leaves it as it is".to_owned()
    } else if missing == found.program {
        format!("{remedy} names this program")
    } else {
        "restore the rules, or remove `--config` from its arguments".to_owned()
    };
    Some(Finding::bad(what, remedy))
}

fn names(servers: &[&FoundServer]) -> String {
    servers.iter().map(|server| format!("`{}`", server.name)).collect::<Vec<_>>().join(", ")
}
