//! The system's files, held open for appending.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use hooks_core::fs::{LogDisk, LogFile};

use super::StdFileSystem;
use super::access::Access;
use super::disk::{grown, is_absent, not_a_file};

impl LogDisk for StdFileSystem {
    fn open_log(&self, path: &Path) -> io::Result<Box<dyn LogFile>> {
        Ok(Box::new(Growing(grown(path, Access::Umask)?)))
    }

    fn read_part(&self, path: &Path, offset: u64, limit: usize) -> io::Result<Option<Vec<u8>>> {
        // Checked before the file is opened, because opening a fifo blocks.
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_file() => {}
            Ok(_) => return Err(not_a_file()),
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(error),
        }
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        let there = file.metadata()?.len().saturating_sub(offset).min(limit as u64);
        let mut content = Vec::with_capacity(usize::try_from(there).unwrap_or_default());
        file.seek(SeekFrom::Start(offset))?;
        file.take(limit as u64).read_to_end(&mut content)?;
        Ok(Some(content))
    }
}

pub(super) struct Growing(pub(super) File);

impl LogFile for Growing {
    fn length(&mut self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn append(&mut self, content: &[u8]) -> io::Result<()> {
        self.0.write_all(content)
    }

    /// Syncs the content and the length, but not the time of change, which no reader needs.
    fn sync(&mut self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.0.set_len(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_grows_and_is_read_in_parts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let disk = StdFileSystem;
        assert_eq!(disk.read_part(&path, 0, 9).unwrap(), None);
        let mut file = disk.open_log(&path).unwrap();
        file.append(b"0123").unwrap();
        file.append(b"4567").unwrap();
        file.sync().unwrap();
        assert_eq!(file.length().unwrap(), 8);
        assert_eq!(disk.read_part(&path, 2, 3).unwrap().unwrap(), b"234");
        assert_eq!(disk.read_part(&path, 99, 3).unwrap().unwrap(), b"");
        file.truncate(1).unwrap();
        disk.open_log(&path).unwrap().append(b"a").unwrap();
        assert_eq!(disk.read_part(&path, 0, 9).unwrap().unwrap(), b"0a");
        assert!(disk.open_log(folder.path()).is_err());
    }
}
