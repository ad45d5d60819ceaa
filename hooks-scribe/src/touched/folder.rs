//! A folder, and the paths of files below it.

use std::path::Path;

use hooks_core::{HookContext, Platform};

use super::{Top, TouchedFile};

/// A folder with all of its paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenFolder {
    readings: Vec<String>,
    ignores_case: bool,
}

impl SeenFolder {
    /// Finds the folder at the absolute `path` in the file system; `None` if its location cannot be
    /// determined.
    pub fn new(context: &HookContext, path: &Path) -> Option<Self> {
        let path = path.to_str()?.trim_end_matches('/');
        let readings = match path {
            "" => vec![String::new()],
            path => Top::new(context)?.file(path)?.readings,
        };
        Some(Self { readings, ignores_case: context.environment.platform != Platform::Posix })
    }

    /// Path of `file` relative to the folder, if one of the file's paths leads through one of the folder's
    /// paths.
    ///
    /// ```
    /// use std::path::Path;
    /// use hooks_core::HookContext;
    /// use hooks_facts::tools::ToolTable;
    /// use hooks_scribe::touched::{SeenFolder, Touched};
    /// use serde_json::json;
    ///
    /// # use hooks_core::testing::{FakeDisk, FakeFileSystem, world};
    /// # let (mut environment, ..) = world(FakeFileSystem::default());
    /// # let disk = FakeDisk::default().with_directory("/p/.squad").with_directory("/p/src");
    /// # environment.files = std::sync::Arc::new(disk);
    /// let context = HookContext::new("session-1", "backend").in_dir("/p").with_environment(environment);
    /// let folder = SeenFolder::new(&context, Path::new("/p/.squad")).ok_or("unknown folder")?;
    /// let name_of = |path: &str| {
    ///     let touched = Touched::by(&context, &ToolTable::default(), "edit", &json!({"path": path}));
    ///     touched.files.iter().find_map(|file| folder.strip(file)).map(str::to_owned)
    /// };
    /// assert_eq!(name_of(".squad/log/a.md").as_deref(), Some("log/a.md"));
    /// // Paths are compared by components.
    /// assert_eq!(name_of(".squad-old/a.md"), None);
    /// # Ok::<(), &str>(())
    /// ```
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
