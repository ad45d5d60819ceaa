//! Formats that are JSON.

use serde_json::{Map, Value, json};

use super::{Paths, is_folder};
use crate::plan::Plan;
use crate::profile::Gap;

/// Settings of Anthropic's sandbox runtime.
pub(super) fn sandbox_runtime(plan: &Plan, paths: &mut Paths) -> String {
    paths.leave_for_files();
    let hosts = paths.hosts(plan, true);
    pretty(&settings(paths, &hosts))
}

/// The key `sandbox` of the settings of Claude Code.
pub(super) fn claude(plan: &Plan, paths: &mut Paths) -> String {
    paths.leave_for_files();
    paths.leave("other tools", "only commands of the shell run in this sandbox");
    let hosts = paths.hosts(plan, false);
    let mut sandbox = settings(paths, &hosts);
    sandbox.insert("enabled".to_owned(), json!(true));
    sandbox.insert("failIfUnavailable".to_owned(), json!(true));
    sandbox.insert("allowUnsandboxedCommands".to_owned(), json!(false));
    pretty(&json!({ "sandbox": sandbox }))
}

fn settings(paths: &Paths, hosts: &[String]) -> Map<String, Value> {
    let closed: Vec<&String> = paths.read_only.iter().chain(&paths.masked).collect();
    let files = json!({"denyRead": paths.masked, "allowWrite": paths.writable, "denyWrite": closed});
    let network = json!({"allowedDomains": hosts, "deniedDomains": []});
    Map::from_iter([("filesystem".to_owned(), files), ("network".to_owned(), network)])
}

/// A profile of nono.
pub(super) fn nono(plan: &Plan, paths: &mut Paths) -> String {
    for path in &paths.read_only {
        let gap = Gap::limit(path, "nono cannot close a file for writing in a folder that is open");
        paths.gaps.push(gap.breaking_writes());
    }
    paths.leave(
        "Linux",
        "nono does not start there if a closed file lies in an open folder; use `hooks exec`",
    );
    paths.leave_new_files();
    let (folders, files): (Vec<&String>, Vec<&String>) =
        paths.writable.iter().partition(|path| is_folder(path));
    let filesystem = json!({"read": ["/"], "allow": folders, "allow_file": files, "deny": paths.masked});
    let network = if plan.is_connected {
        json!({"block": false})
    } else if plan.hosts.is_empty() {
        json!({"block": true})
    } else {
        json!({"allow_domain": paths.hosts(plan, false)})
    };
    pretty(&json!({
        "meta": {"name": "hooks", "description": "written by `hooks sandbox emit`"},
        "filesystem": filesystem,
        "network": network,
        "environment": {"deny_vars": plan.unset},
    }))
}

fn pretty(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).map(|text| text + "\n").unwrap_or_default()
}
