//! `hooks secrets`: prints the places of secrets that agents may not read.

use std::io::Write;

use hooks::policies::ReadSet;

use crate::failure::{Failure, Status};

/// Prints the set `secrets` of `read_guard`, with its comments.
pub(crate) fn run() -> Result<Status, Failure> {
    anstream::stdout().lock().write_all(ReadSet::Secrets.text().as_bytes())?;
    Ok(Status::Well)
}
