//! `add_environment_info`: facts about the machine and the folder that an agent runs in.

use std::path::Path;

use super::{BuiltinError, Call, Output, World};

/// Adds the folder, whether it is in a git repository, the operating system, the processor and the shell.
pub(super) fn add_environment_info(call: &Call<'_>, world: &World) -> Result<Output, BuiltinError> {
    let Some(cwd) = call.cwd else { return Ok(Output::default()) };
    let machine = &world.machine;
    let is_git = cwd.ancestors().any(|folder| matches!(world.disk.entry(&folder.join(".git")), Ok(Some(_))));
    let system = match machine.operating_system() {
        "linux" => "Linux",
        "macos" => "MacOS",
        "windows" => "Windows",
        other => other,
    };
    let processor = match machine.architecture() {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    let mut text = format!(
        "Here is useful information about the environment you are running in:\n\t<env>\n\tWorking directory: {}\n\tIs directory a git repo: {}\n\tOperating System: {system}\n\tCPU Architecture: {processor}\n",
        cwd.display(),
        if is_git { "Yes" } else { "No" },
    );
    if let Some(shell) = machine.variable("SHELL").filter(|shell| !shell.is_empty()) {
        let name = Path::new(&shell).file_stem().map(|name| name.to_string_lossy()).unwrap_or_default();
        text.push_str(&format!("\tShell: {name} ({shell})\n"));
    }
    text.push_str("\t</env>");
    Ok(Output::context("session_start", text))
}
