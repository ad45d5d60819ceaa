//! The key that signs checkpoints of the audit log, read from the path in a configuration or on a command
//! line.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hooks_audit::checkpoint::{Checkpoints, Signer, SigningKey, Zeroizing};
use hooks_audit::config::CheckpointsConfig;

/// Larger than any key.
const MOST_BYTES: u64 = 4 << 10;

/// Checkpoint settings of `config`; `beside` resolves its paths.
pub(super) fn from_config(
    config: &CheckpointsConfig,
    beside: impl Fn(&Path) -> PathBuf,
) -> io::Result<Checkpoints> {
    let signer = match &config.key {
        Some(key) => signer(&beside(key))?,
        None => Signer::Nobody,
    };
    Ok(Checkpoints { folder: beside(&config.folder), signer })
}

/// Signer with the key at `path`, as `hooks audit keygen` made it: a file is an Ed25519 key, a folder an
/// evolving one.
///
/// # Errors
/// Returns an error if the key cannot be read, is not a key, or others may read it. The group of a file may
/// read it, because containers get their secrets that way. No error shows the key.
///
/// ```
/// use std::io::ErrorKind;
/// use std::path::Path;
///
/// let error = hooks_config::signer(Path::new("/no/such/key")).err().ok_or("there is no key")?;
/// assert_eq!(error.kind(), ErrorKind::NotFound);
/// assert!(error.to_string().starts_with("the key `/no/such/key`: "));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn signer(path: &Path) -> io::Result<Signer> {
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("the key `{}`: {error}", path.display()));
    let metadata = fs::metadata(path).map_err(named)?;
    if metadata.is_dir() {
        refuse_open(path, &metadata, 0o077, 0o700)?;
        return Ok(Signer::Evolving(path.to_owned()));
    }
    if !metadata.is_file() {
        return Err(io::Error::other(format!(
            "`{}` is neither a file nor a folder, and so no key",
            path.display()
        )));
    }
    let file = File::open(path).map_err(named)?;
    refuse_open(path, &file.metadata().map_err(named)?, 0o027, 0o600)?;
    let mut text = Zeroizing::new(String::new());
    file.take(MOST_BYTES).read_to_string(&mut text).map_err(named)?;
    let key = SigningKey::parse(&text)
        .map_err(|error| io::Error::other(format!("`{}`: {error}", path.display())))?;
    Ok(Signer::Ed25519(Arc::new(key)))
}

/// Returns an error if other users may read or write the key.
#[cfg(unix)]
fn refuse_open(path: &Path, metadata: &fs::Metadata, others: u32, right: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;

    let mode = metadata.permissions().mode();
    if mode & others == 0 {
        return Ok(());
    }
    let path = path.display();
    Err(io::Error::other(format!(
        "the key `{path}` can be read or written by others (mode {:o}): `chmod {right:o} {path}`, and make another one with \
         `hooks audit keygen` if others may have seen it",
        mode & 0o777
    )))
}

/// On other systems the standard library does not report who may read a file.
#[cfg(not(unix))]
fn refuse_open(_path: &Path, _metadata: &fs::Metadata, _others: u32, _right: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_key_that_others_may_read_is_refused_with_the_way_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let text = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz\n";
        fs::write(&path, text).unwrap();
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        for (mode, is_right) in [(0o600, true), (0o440, true), (0o644, false), (0o620, false), (0o602, false)]
        {
            set(&path, mode);
            let read = signer(&path);
            assert_eq!(read.is_ok(), is_right, "{mode:o}");
            if let Err(error) = read {
                assert!(error.to_string().contains("`chmod 600 "), "{error}");
            }
        }
        set(&path, 0o600);
        fs::write(&path, text.trim_end().trim_end_matches('z')).unwrap();
        let error = signer(&path).unwrap_err().to_string();
        assert!(!error.contains("AYEK"), "{error}");
        let evolving = folder.path().join("evolving");
        fs::create_dir(&evolving).unwrap();
        set(&evolving, 0o700);
        assert!(matches!(signer(&evolving), Ok(Signer::Evolving(_))));
        set(&evolving, 0o750);
        assert!(signer(&evolving).unwrap_err().to_string().contains("chmod 700"));
        assert_eq!(signer(&folder.path().join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
