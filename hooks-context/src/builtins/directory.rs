//! `add_directory_listing`: the names in a folder.

use hooks_core::fs::EntryKind;

use super::{BuiltinError, Call, InstructionContext, Output, World};

/// The most names in a listing.
const MOST: usize = 100;

/// Lists the names in the folder in byte order and marks folders. Names that begin with a dot are left out.
pub(super) fn add_directory_listing(call: &Call<'_>, world: &World) -> Result<Output, BuiltinError> {
    let Some(cwd) = call.cwd else { return Ok(Output::default()) };
    let Ok(Some(names)) = world.disk.list(cwd) else { return Ok(Output::default()) };
    let mut shown: Vec<_> =
        names.into_iter().filter(|name| !name.as_encoded_bytes().starts_with(b".")).collect();
    shown.sort_unstable_by(|one, other| one.as_encoded_bytes().cmp(other.as_encoded_bytes()));
    if shown.is_empty() {
        return Ok(Output::default());
    }
    let mut listing = format!("Top-level entries in {}:\n", cwd.display());
    for name in shown.iter().take(MOST) {
        let entry = world.disk.entry(&cwd.join(name));
        let is_folder = matches!(entry, Ok(Some(entry)) if entry.kind == EntryKind::Directory);
        let name = name.to_string_lossy();
        // A control character could end the line and put words of the name into the prompt.
        let name: String = name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        listing.push_str(&format!("\n- {name}{}", if is_folder { "/" } else { "" }));
    }
    if let Some(more) = shown.len().checked_sub(MOST).filter(|more| *more > 0) {
        listing.push_str(&format!("\n... and {more} more"));
    }
    let text = InstructionContext {
        key: "core/directory-listing".to_owned(),
        label: "top-level directory entries".to_owned(),
        changed_content: format!("The working-directory listing is now:\n\n{listing}"),
        removed_content: "The working directory no longer has visible top-level entries.".to_owned(),
        content: listing,
        ..InstructionContext::default()
    };
    Ok(Output::instructions("session_start", vec![text]))
}
