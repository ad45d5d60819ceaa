//! `add_user_info`: the user of this machine.

use super::{BuiltinError, Call, Output, World};

/// Adds the user's name, full name and host name, as far as they are known.
pub(super) fn add_user_info(_call: &Call<'_>, world: &World) -> Result<Output, BuiltinError> {
    let user = world.machine.user().unwrap_or_default();
    let host = world.machine.host_name().unwrap_or_default();
    let lines = [("User", user.name), ("Full name", user.full_name.trim().to_owned()), ("Hostname", host)];
    let lines: Vec<_> = lines
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(name, text)| format!("{name}: {text}"))
        .collect();
    if lines.is_empty() {
        return Ok(Output::default());
    }
    Ok(Output::context("session_start", format!("Current user:\n\n{}", lines.join("\n"))))
}
