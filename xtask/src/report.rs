//! `cargo xtask bench report`: measures `hooks report` and `hooks top` on a log of a million records, and the filter of the page in
//! Chromium. `cargo xtask pictures` writes the pictures of the page that the documentation shows.

use std::path::Path;

use crate::dist;
use crate::error::{Error, Result};
use crate::process::{Program, is_installed};
use crate::workspace;

const RECORDS: &str = "1000000";

/// Measures the program, or the one that `dist` builds.
///
/// # Errors
/// Returns an error if the program cannot be built or run, or a bar is missed.
pub(crate) fn bench(program: Option<&str>) -> Result {
    let program = match program {
        Some(program) => Path::new(program).canonicalize()?,
        None => dist::build()?,
    };
    test("speed::")?
        .with_variable("HOOKS_REPORT_RECORDS", RECORDS)
        .with_variable("HOOKS_REPORT_PROGRAM", &program.to_string_lossy())
        .run()
}

/// Writes the pictures into `docs/images`.
///
/// # Errors
/// Returns an error if the program cannot be built, or a picture is too large.
pub(crate) fn pictures() -> Result {
    let folder = workspace::root().join("docs/images");
    test("pictures")?.with_variable("HOOKS_PICTURES", &folder.to_string_lossy()).run()
}

/// The tests of the page whose name has `filter`.
fn test(filter: &str) -> Result<Program> {
    if !is_installed("chromium") {
        return Err(Error::new("`chromium` is missing; install Debian's package of that name"));
    }
    let package = ["test", "--quiet", "--package", "tower-hooks-cli", "--test", "report"];
    Ok(Program::cargo(package.into_iter().chain(["--", "--nocapture", filter])))
}
