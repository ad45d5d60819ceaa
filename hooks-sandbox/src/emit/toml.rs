//! The settings of Codex CLI.

use std::fmt::Write;

use serde_json::Value;

use super::Paths;
use crate::plan::Plan;

/// A permission profile of Codex CLI, and the line that chooses it.
pub(super) fn codex(plan: &Plan, paths: &mut Paths) -> String {
    paths.leave_for_files();
    paths.leave("sandbox_mode", "Codex CLI ignores the profile if a file or an option sets it");
    let mut text = String::from(
        "default_permissions = \"hooks\"\n\n[permissions.hooks]\nextends = \":read-only\"\n\n[permissions.hooks.filesystem]\n",
    );
    for (all, access) in [(&paths.writable, "write"), (&paths.read_only, "read"), (&paths.masked, "deny")] {
        for path in all {
            let _ = writeln!(text, "{} = \"{access}\"", quoted(path));
        }
    }
    let is_open = plan.is_connected || !plan.hosts.is_empty();
    let _ = write!(text, "\n[permissions.hooks.network]\nenabled = {is_open}\n");
    if !plan.is_connected && !plan.hosts.is_empty() {
        text.push_str("\n[permissions.hooks.network.domains]\n");
        for host in paths.hosts(plan, false) {
            let _ = writeln!(text, "{} = \"allow\"", quoted(&host));
        }
    }
    text
}

/// A text as a string or a key of TOML: for text without control characters, its strings are those of JSON.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
