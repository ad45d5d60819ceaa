//! The process that writes: governed tool calls with a configuration that syncs each record before its tool
//! runs.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hooks::config::Config;
use hooks::event::PreToolUse;
use hooks::{HookContext, Judged as _};
use serde_json::json;

use super::Policy;
use super::device::Device;
use super::process::until_told;
use crate::error::{Error, Result};

/// The folder for records that cannot be written to the disk.
pub(super) const SPILL: &str = "spill";
/// A tool that declares itself read-only; [`WRITES`] is one that does not.
const READS: &str = "look";
pub(super) const WRITES: &str = "deploy";

/// Writes the configuration for `device`.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub(super) fn configure(device: &Device, policy: Policy) -> Result<PathBuf> {
    let audit = match policy {
        Policy::Deny => json!({}),
        Policy::Warn => json!({"on_error": {"writing": "warn"}}),
        Policy::Spill => json!({"spill": device.elsewhere().join(SPILL)}),
    };
    let mut config = json!({"version": 1, "audit": audit});
    if let Some(audit) = config.get_mut("audit").and_then(|audit| audit.as_object_mut()) {
        audit.insert("folder".to_owned(), json!(device.log()));
        audit.insert("before".to_owned(), json!(["*"]));
        audit.insert("file_bytes".to_owned(), json!(40_000));
    }
    let file = device.elsewhere().join("hooks.yaml");
    // JSON is valid YAML.
    fs::write(&file, config.to_string())?;
    Ok(file)
}

/// Calls tools until standard input is closed, and prints whether each one ran.
///
/// # Errors
/// Returns an error if the configuration cannot be read, or standard output is closed.
pub(super) fn run(config: &Path) -> Result {
    let folder = config.parent().unwrap_or(config).to_owned();
    let config = Config::read(config).map_err(|error| Error::new(error.to_string()))?;
    let hooks = config.hooks();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut number = 0_u64;
    until_told(|| {
        let token = format!("token-{}-{number}", std::process::id());
        let reads = number.is_multiple_of(3);
        let tool = if reads { READS } else { WRITES };
        let context =
            HookContext::new(token.as_str(), "agent").in_dir(&folder).with_environment(hooks::system());
        let mut event = PreToolUse::new(tool, json!({"text": "x".repeat(300)}));
        event.read_only = Some(reads);
        let decision = runtime.block_on(hooks.on(context).pre_tool_use(event));
        let what = match decision.outcome.shown_reason() {
            Some(reason) if decision.outcome.is_denied() => format!("refused {}", reason.message),
            _ => "ran".to_owned(),
        };
        number += 1;
        Ok(writeln!(std::io::stdout(), "{token} {tool} {what}")?)
    })
}
