//! A folder, and what of a file is below it.

use std::path::Path;

use hooks_core::{HookContext, Platform};

use super::{Top, TouchedFile};

/// A folder, by all ways to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenFolder {
    readings: Vec<String>,
    ignores_case: bool,
}

impl SeenFolder {
    /// The folder at `path`, an absolute one. Asks the file system; `None` where nobody can tell where it is.
    pub fn new(context: &HookContext, path: &Path) -> Option<Self> {
        let path = path.to_str()?.trim_end_matches('/');
        let readings = match path {
            "" => vec![String::new()],
            path => Top::new(context)?.file(path)?.readings,
        };
        Some(Self { readings, ignores_case: context.environment.platform != Platform::Posix })
    }

    /// The path of `file` from the folder on, where some way to the file leads through some way to the folder.
    pub fn strip<'f>(&self, file: &'f TouchedFile) -> Option<&'f str> {
        file.readings.iter().find_map(|reading| {
            self.readings.iter().find_map(|folder| self.rest(folder.trim_end_matches('/'), reading))
        })
    }

    fn rest<'f>(&self, folder: &str, reading: &'f str) -> Option<&'f str> {
        if folder.is_empty() {
            return Some(reading);
        }
        let (start, rest) = reading.split_at_checked(folder.len())?;
        let is_same = start == folder || self.ignores_case && start.to_lowercase() == folder.to_lowercase();
        rest.strip_prefix('/').filter(|rest| is_same && !rest.is_empty())
    }
}
