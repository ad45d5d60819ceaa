//! A Unix socket, with a thread for each connection.

use std::fs;
use std::io::{self, BufReader};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use super::Server;
use super::conversation::{converse, end, say};
use crate::failure::{Failure, Status};
use crate::private;

/// Most connections at the same time.
const MOST_CONNECTIONS: usize = 64;

/// Longest time in which a client takes an answer; the end of the server waits for it.
const LONGEST_WRITE: Duration = Duration::from_secs(10);

/// Answers on a socket until SIGTERM or SIGINT.
pub(super) fn listen(server: &Arc<Server>, path: &Path) -> Result<Status, Failure> {
    let runtime = crate::eval::runtime()?;
    // Signals are caught before there is a socket, so that it is always removed.
    let (mut terminate, mut interrupt) = {
        let _in_runtime = runtime.enter();
        (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?)
    };
    let listener = bind(path)?;
    let bound = identity(path)?;
    let serving = Arc::clone(server);
    // The threads end with the process.
    thread::Builder::new().name("accept".to_owned()).spawn(move || accept(&serving, &listener))?;
    runtime.block_on(async {
        tokio::select! { _ = terminate.recv() => (), _ = interrupt.recv() => () }
    });
    server.close()?;
    // Another server may have replaced a socket that was removed.
    if identity(path).is_ok_and(|found| found == bound) {
        fs::remove_file(path)?;
    }
    Ok(Status::Well)
}

/// The file at a path, whatever its name.
fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let found = fs::symlink_metadata(path)?;
    Ok((found.dev(), found.ino()))
}

fn accept(server: &Arc<Server>, listener: &UnixListener) {
    // Each connection holds one; this thread holds another.
    let held = Arc::new(());
    for stream in listener.incoming() {
        // The client went away, or there are no more descriptors: others may be answered.
        let Ok(stream) = stream else {
            thread::yield_now();
            continue;
        };
        if Arc::strong_count(&held) > MOST_CONNECTIONS {
            let message = format!("there are {MOST_CONNECTIONS} connections already");
            drop(say(&mut &stream, &json!({"error": {"message": message}})));
            continue;
        }
        let (server, held) = (Arc::clone(server), Arc::clone(&held));
        let answering = move || {
            let _held = held;
            // A client that closed its end needs no answer.
            drop(connection(&server, &stream));
        };
        // Without a thread the stream is dropped, and its client denies.
        drop(thread::Builder::new().name("connection".to_owned()).spawn(answering));
    }
}

fn connection(server: &Server, stream: &UnixStream) -> io::Result<()> {
    stream.set_write_timeout(Some(LONGEST_WRITE))?;
    let mut out = stream;
    converse(server, &mut BufReader::new(stream), &mut out)?;
    say(&mut out, &end())
}

/// Binds the socket in a folder that only this user may enter.
fn bind(path: &Path) -> Result<UnixListener, Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    private::folder(folder)?;
    let of_folder = fs::metadata(folder)?;
    if of_folder.mode() & 0o077 != 0 || of_folder.uid() != rustix::process::geteuid().as_raw() {
        let text =
            format!("others may enter `{}`: use a folder of your own, with `chmod 700`", folder.display());
        return Err(Failure::message(text));
    }
    match fs::symlink_metadata(path) {
        Ok(found) if !found.file_type().is_socket() => {
            return Err(Failure::message(format!("`{}` exists, and is no socket", path.display())));
        }
        Ok(_) if UnixStream::connect(path).is_ok() => {
            return Err(Failure::message(format!("another `hooks serve` answers on `{}`", path.display())));
        }
        // A killed server left it.
        Ok(_) => fs::remove_file(path)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error.into()),
    }
    let bound = UnixListener::bind(path);
    bound.map_err(|error| Failure::message(format!("`{}` cannot be bound: {error}", path.display())))
}
