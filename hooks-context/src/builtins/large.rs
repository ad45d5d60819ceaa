//! `limit_large_tool_results`: writes a long result to a file, and gives the model an excerpt.

use std::io;
use std::path::PathBuf;

use hooks_team::Digest;
use serde_json::Value;

use super::files::make_folders;
use super::{BuiltinError, Call, Output, World};

const MOST_BYTES: usize = 50 * 1024;
const MOST_LINES: usize = 2_000;
/// Tool categories whose results have no other limit.
const CATEGORIES: [&str; 4] = ["filesystem", "shell", "mcp", "a2a"];

/// Cuts a long result. At the end of a session, deletes the session's files.
pub(super) fn limit_large_tool_results(call: &Call<'_>, world: &World) -> Result<Output, BuiltinError> {
    Ok(match call.event() {
        "tool_response_transform" => limited(call, world),
        "session_end" => cleaned(call, world).err().map_or_else(Output::default, |error| {
            Output::default().telling(format!("long results of this session could not be removed: {error}"))
        }),
        _ => Output::default(),
    })
}

fn limited(call: &Call<'_>, world: &World) -> Output {
    let result = call.text("tool_response");
    let category = call.text("tool_category");
    let is_large = result.len() > MOST_BYTES || result.lines().count() > MOST_LINES;
    if !is_large || !CATEGORIES.contains(&category) {
        return Output::default();
    }
    let path = match kept(call, world, result) {
        Ok(path) => path,
        // If the file cannot be written, the model gets the whole result: a cut would lose the rest.
        Err(error) => return Output::default().telling(format!("a long result could not be kept: {error}")),
    };
    let notice = format!(
        "Tool call result was too large ({} bytes; limit {MOST_BYTES} bytes). The full result is available in a file: {}\n\n",
        result.len(),
        path.display()
    );
    // The beginning of a file is more useful than its end, and `read_file` can read further lines.
    let text = if category == "filesystem" && call.text("tool_name") == "read_file" {
        let head = first(result);
        let shown = head.bytes().filter(|byte| *byte == b'\n').count();
        if shown == 0 {
            format!(
                "{notice}Showing the first {} bytes. The first line of this result alone exceeds the excerpt limit, so read_file's line-based \"line\"/\"limit\" arguments cannot advance within it, and reading the file above with read_file would be truncated the same way. To read beyond this excerpt, use a tool or command that can read byte ranges (for example a shell command) on that file:\n\n{head}",
                head.len()
            )
        } else {
            let arguments = call.input.get("tool_input");
            let line = arguments.and_then(|arguments| arguments.get("line")).and_then(Value::as_f64);
            // A float beyond the range of the type saturates.
            let next = (line.filter(|line| *line >= 1.0).unwrap_or(1.0) as usize).saturating_add(shown);
            format!(
                "{notice}Showing the first {MOST_LINES} lines (up to {MOST_BYTES} bytes). To continue reading, call read_file again with the same path plus \"line\": {next} (1-based start line) and a \"limit\" (maximum number of lines):\n\n{head}"
            )
        }
    } else {
        let tail = last(result);
        format!("{notice}Showing the last {MOST_LINES} lines (up to {MOST_BYTES} bytes):\n\n{tail}")
    };
    Output::specific(call.event(), |specific| specific.updated_tool_response = Some(text))
}

/// Writes `result` to a file that is named by its digest, so that equal results share one file.
fn kept(call: &Call<'_>, world: &World, result: &str) -> io::Result<PathBuf> {
    let folder = folder(call, world);
    make_folders(&*world.disk, &folder)?;
    let path = folder.join(format!("tool-result-{}.txt", Digest::hash(result.as_bytes())));
    match world.disk.create(&path, result.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(path),
    }
}

fn cleaned(call: &Call<'_>, world: &World) -> io::Result<Output> {
    let folder = folder(call, world);
    for name in world.disk.list(&folder)?.unwrap_or_default() {
        world.disk.remove(&folder.join(name))?;
    }
    Ok(Output::default())
}

/// Folder of the session, named by a digest because a session id may contain any character.
fn folder(call: &Call<'_>, world: &World) -> PathBuf {
    world.store.join("tool-results").join(Digest::hash(call.text("session_id").as_bytes()).to_string())
}

/// The last lines, within the limits of lines and bytes.
fn last(text: &str) -> &str {
    let bytes = text.as_bytes();
    let body = text.strip_suffix('\n').unwrap_or(text).as_bytes();
    let from_lines = body.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n').nth(MOST_LINES - 1);
    let mut from = from_lines.map_or(0, |(at, _)| at + 1).max(bytes.len().saturating_sub(MOST_BYTES));
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text.get(from..).unwrap_or_default()
}

/// The first lines, within the limits of lines and bytes.
fn first(text: &str) -> &str {
    let by_lines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').nth(MOST_LINES - 1);
    let mut to = by_lines.map_or(text.len(), |(at, _)| at + 1).min(MOST_BYTES);
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    text.get(..to).unwrap_or_default()
}
