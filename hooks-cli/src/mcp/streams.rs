//! Standard input and output for a runtime of one thread.
//!
//! tokio's own streams hand each read and write to a thread, which takes longer than the proxy does. A pipe or a socket is
//! read and written directly.

use std::future::pending;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{FileType, fstat};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::sync::oneshot;

type Input = Box<dyn AsyncRead + Unpin>;
type Output = Box<dyn AsyncWrite + Unpin>;

/// Standard input and output.
pub(super) fn standard() -> io::Result<(Input, Output)> {
    let (stdin, stdout) = (io::stdin(), io::stdout());
    let input: Input = match kind(&stdin)? {
        FileType::Fifo => Box::new(pipe::Receiver::from_owned_fd(copy(&stdin)?)?),
        FileType::Socket => Box::new(socket(&stdin)?),
        _ => Box::new(tokio::io::stdin()),
    };
    let output: Output = match kind(&stdout)? {
        // A stream that is standard error too, which other processes write, stays as it is.
        _ if is_same(&stdout, &io::stderr())? => Box::new(tokio::io::stdout()),
        FileType::Fifo => Box::new(pipe::Sender::from_owned_fd(copy(&stdout)?)?),
        FileType::Socket => Box::new(socket(&stdout)?),
        _ => Box::new(tokio::io::stdout()),
    };
    Ok((input, output))
}

/// Waits until the other end of standard input has been closed for this time.
pub(super) async fn gone_for(time: Duration) {
    hung_up().await;
    tokio::time::sleep(time).await;
}

/// Waits until the other end of standard input is closed. What was written may still be unread.
async fn hung_up() {
    let (sender, is_over) = oneshot::channel();
    std::thread::spawn(move || {
        if waited() {
            // The proxy may have ended.
            let _ = sender.send(());
        }
    });
    if is_over.await.is_err() {
        pending::<()>().await;
    }
}

/// Returns false for a stream without another end, such as a file.
fn waited() -> bool {
    #[cfg(target_os = "linux")]
    const OVER: PollFlags = PollFlags::HUP.union(PollFlags::RDHUP);
    #[cfg(not(target_os = "linux"))]
    const OVER: PollFlags = PollFlags::HUP;
    let stdin = io::stdin();
    loop {
        let mut streams = [PollFd::new(&stdin, OVER)];
        match poll(&mut streams, None) {
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
            Ok(_) => return streams.iter().any(|stream| stream.revents().intersects(OVER)),
        }
    }
}

fn kind(stream: &impl AsFd) -> io::Result<FileType> {
    Ok(FileType::from_raw_mode(fstat(stream)?.st_mode))
}

fn copy(stream: &impl AsFd) -> io::Result<OwnedFd> {
    stream.as_fd().try_clone_to_owned()
}

/// Node gives its children sockets for pipes.
fn socket(stream: &impl AsFd) -> io::Result<UnixStream> {
    let stream = StdUnixStream::from(copy(stream)?);
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}

fn is_same(one: &impl AsFd, other: &impl AsFd) -> io::Result<bool> {
    let (one, other) = (fstat(one)?, fstat(other)?);
    Ok((one.st_dev, one.st_ino) == (other.st_dev, other.st_ino))
}
