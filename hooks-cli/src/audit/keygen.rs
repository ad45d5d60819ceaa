//! Makes keys for checkpoints. Secrets are written only into files that no other user can read.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use hooks::PrivateFileSystem;
use hooks::audit::checkpoint::{self, FirstKey, KeyError, SigningKey, Zeroizing};

use crate::failure::{Failure, Status};

/// The key to make, and its destination.
#[derive(Args, Debug)]
#[command(
    after_help = "Without --mac, --out is a file with a private Ed25519 key, and what is printed is the verifier: who has that
can check checkpoints, and cannot make any.

With --mac, --out is a folder with an evolving key: each checkpoint is made with another one, and the one before is erased,
so that who takes the machine later cannot make earlier checkpoints anew. --first is the file for the first key, which
checks all of them, and could make them: take it away from this machine."
)]
pub(crate) struct Keygen {
    /// Name of the log in checkpoints, such as `example.com/build7`
    name: String,
    /// File or folder for the key; it must not exist
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Make an evolving key
    #[arg(long, requires = "first")]
    mac: bool,
    /// File for the first key of an evolving key
    #[arg(long, value_name = "FILE", requires = "mac")]
    first: Option<PathBuf>,
}

pub(super) fn keygen(options: &Keygen) -> Result<Status, Failure> {
    let mut seed = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *seed)
        .map_err(|error| Failure::message(format!("the system gives no random bytes: {error}")))?;
    let failure = |error: KeyError| Failure::message(format!("`{}`: {error}", options.name));
    let Some(first_file) = &options.first else {
        let key = SigningKey::new(&options.name, &seed).map_err(failure)?;
        write_secret(&options.out, &key.to_secret())?;
        writeln!(io::stdout().lock(), "{}", key.verifier())?;
        return Ok(Status::Well);
    };
    let first = FirstKey::new(&options.name, &seed).map_err(failure)?;
    // The key for checking is written first, so that no checkpoint exists that cannot be checked.
    write_secret(first_file, &first.to_secret())?;
    begin(&options.out, &first).inspect_err(|_| drop(fs::remove_file(first_file)))?;
    writeln!(
        anstream::stderr(),
        "`{}` checks all checkpoints, and could make them: take it away from this machine",
        first_file.display()
    )?;
    Ok(Status::Well)
}

/// Makes the folder of an evolving key. On failure, removes it.
fn begin(folder: &Path, first: &FirstKey) -> Result<(), Failure> {
    make_folder(folder).map_err(|error| cannot_make(folder, &error))?;
    checkpoint::begin(&PrivateFileSystem, folder, first).map_err(|error| {
        drop(fs::remove_dir_all(folder));
        cannot_make(folder, &error)
    })
}

/// Makes a file that no other user can read. On failure, removes it.
fn write_secret(path: &Path, secret: &str) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).map_err(|error| cannot_make(path, &error))?;
    let mut write = || {
        file.write_all(secret.as_bytes())?;
        file.write_all(b"\n")?;
        file.sync_all()
    };
    write().map_err(|error| {
        drop(fs::remove_file(path));
        cannot_make(path, &error)
    })
}

/// Makes a folder that no other user can read.
fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// The error about a key that could not be written to `path`, with the remedy.
fn cannot_make(path: &Path, error: &io::Error) -> Failure {
    let shown = path.display();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    Failure::message(match (error.kind(), folder) {
        (ErrorKind::AlreadyExists, _) => {
            format!("`{shown}` is there already, and no key is replaced; name another place, or move it away")
        }
        (ErrorKind::NotFound, Some(folder)) => {
            format!("`{shown}` cannot be made: there is no folder `{}`; make that first", folder.display())
        }
        _ => format!("`{shown}` cannot be made: {error}; name another place"),
    })
}
