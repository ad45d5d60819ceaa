//! Checks whether the rules of a client's hooks can be used, and their store can be opened.

use std::path::PathBuf;

use hooks_protocols::Client;

use super::Finding;
use crate::init::wiring::WiredLine;
use crate::run::project;
use crate::{load, reach};

/// Checks the rules that command lines name.
pub(super) fn check(client: Client, found: &[WiredLine]) -> Vec<Finding> {
    let mut named: Vec<PathBuf> =
        found.iter().filter_map(|one| Some(one.ours.config.as_ref()?.into())).collect();
    if named.is_empty() {
        // The line names no rules: `hooks run` finds them.
        let here = std::env::current_dir().unwrap_or_default();
        match project::find_for_start(client, &here) {
            Some(path) => named.push(path),
            None => {
                let what = "no rules are found for this folder, so everything is denied";
                return vec![Finding::bad(what, format!("`hooks init {}` writes some", client.name()))];
            }
        }
    }
    named.sort_unstable();
    named.dedup();
    named.into_iter().flat_map(|path| usable(client, &path)).collect()
}

/// Checks one file of rules. Reading it also opens the store of its counters.
fn usable(client: Client, path: &PathBuf) -> Vec<Finding> {
    let name = path.display();
    match load::in_project(load::reader(None), path).read(path) {
        Ok(config) => {
            let mut findings = vec![Finding::good(format!("the rules in `{name}` can be used"))];
            findings.extend(config.missing_programs().into_iter().map(|missing| {
                let remedy = format!("install `{}`", missing.program);
                Finding::doubtful(format!("in `{name}`, {missing}"), remedy)
            }));
            findings.extend(config.boundary_doubts().into_iter().map(|doubt| {
                let remedy =
                    "change the boundary of one of the agents in its charter, or in `boundaries.agents`";
                Finding::doubtful(format!("in `{name}`, `boundaries`: {doubt}"), remedy)
            }));
            findings.extend(reach::limited(&config, client).map(|(section, reach)| {
                let what = format!("`{section}` {reach}");
                Finding::doubtful(what, "the page `docs/sections.md` has every section and client")
            }));
            findings.extend(reach::about_handlers(&config, client).map(|what| {
                Finding::doubtful(
                    format!("in `{name}`, {what}"),
                    "the page `docs/clients.md` has the events of every client",
                )
            }));
            findings
        }
        Err(errors) => {
            let first = errors.errors().first().map(ToString::to_string).unwrap_or_default();
            let what = format!("`{name}` cannot be used, so everything is denied: {first}");
            vec![Finding::bad(what, format!("`hooks check {name}` shows all that is wrong"))]
        }
    }
}
