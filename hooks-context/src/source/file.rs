//! A file as a source.

use std::path::PathBuf;
use std::sync::Arc;

use hooks_core::beside::offload;
use hooks_core::fs::Disk;
use hooks_core::{BoxError, HookFuture};

use super::{Ask, ContextSource, Item, Section, Workers};

/// The largest file that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// A file, as one entry. A missing file gives no entry.
///
/// ```
/// use std::sync::Arc;
/// use hooks_context::source::{Ask, ContextSource, FileSource, Here, Moment};
/// use hooks_core::HookContext;
/// use hooks_core::testing::FakeDisk;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_core::BoxError> {
/// let disk = Arc::new(FakeDisk::default().with_file("/repo/docs/style.md", "Short sentences.\n"));
/// let ask = Ask::new(Arc::new(HookContext::new("s", "writer").in_dir("/repo")), "writer", Moment::Turn);
/// let style = FileSource::new(disk.clone(), Here, "docs/style.md");
/// let section = style.load(&Arc::new(ask.clone())).await?;
/// assert_eq!((&*section.title, &*section.items[0].text), ("docs/style.md", "Short sentences."));
/// assert_eq!(style.command(&ask).as_deref(), Some("cat docs/style.md"));
/// let missing = FileSource::new(disk, Here, "docs/none.md");
/// assert!(missing.load(&Arc::new(ask)).await?.items.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct FileSource {
    disk: Arc<dyn Disk>,
    workers: Arc<dyn Workers>,
    path: PathBuf,
}

impl FileSource {
    /// Makes a source of the file at `path`. A relative path starts at the root of the context
    /// ([`HookContext::root`](hooks_core::HookContext::root)).
    pub fn new(disk: Arc<dyn Disk>, workers: impl Workers + 'static, path: impl Into<PathBuf>) -> Self {
        Self { disk, workers: Arc::new(workers), path: path.into() }
    }
}

impl ContextSource for FileSource {
    fn name(&self) -> &str {
        self.path.to_str().unwrap_or("file")
    }

    fn load(&self, ask: &Arc<Ask>) -> HookFuture<'static, Result<Section, BoxError>> {
        let (disk, path) = (Arc::clone(&self.disk), ask.context.root().join(&self.path));
        let (title, command) = (self.path.display().to_string(), self.command(ask));
        offload(&*self.workers, move || {
            let bytes = disk.read(&path, LARGEST)?.unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            let items = if text.trim().is_empty() { Vec::new() } else { vec![Item::new(&text)] };
            Ok(Section::new(title, items).with_rest(0, command))
        })
    }

    fn command(&self, _ask: &Ask) -> Option<String> {
        Some(super::team::cat(&self.path.display().to_string()))
    }
}

impl std::fmt::Debug for FileSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileSource").field("path", &self.path).finish_non_exhaustive()
    }
}
