//! Standard input and output for a runtime of one thread.
//!
//! tokio's own streams hand each read and write to a thread, which takes longer than the proxy does. A pipe or a socket is
//! read and written directly.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;

use rustix::fs::{FileType, fstat};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

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
