//! The listener of the proxy: made in the network of the command, and handed to the caller, who answers it.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use nix::sys::socket::{ControlMessage, MsgFlags, UnixAddr, sendmsg};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

/// Variables that lead programs to a proxy. Some read the lower case alone, some the upper case.
const VARIABLES: [&str; 3] = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];

/// Hosts that programs reach without it: what runs beside them in the sandbox.
const DIRECT: &str = "localhost,127.0.0.1,::1,[::1]";

/// A socket for the caller, and one that the first stage inherits.
pub(super) fn pair() -> io::Result<(UnixStream, OwnedFd)> {
    let (ours, theirs) = UnixStream::pair()?;
    fcntl_setfd(&theirs, FdFlags::empty())?;
    Ok((ours, theirs.into()))
}

/// Makes a listener and hands it to the caller; returns its port.
pub(super) fn hand_out(to: i32) -> Result<u16, String> {
    let failed = |error: io::Error| format!("no listener: {error}");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    let files = [listener.as_raw_fd()];
    let rights = [ControlMessage::ScmRights(&files)];
    // By number, as a program finds what it inherits.
    sendmsg::<UnixAddr>(to, &[IoSlice::new(b"l")], &rights, MsgFlags::empty(), None)
        .map_err(|error| failed(error.into()))?;
    Ok(port)
}

/// Takes the listener, if the other side has sent it.
pub(super) fn take(from: &UnixStream) -> Option<TcpListener> {
    let mut byte = [0];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut rights = RecvAncillaryBuffer::new(&mut space);
    recvmsg(from, &mut [IoSliceMut::new(&mut byte)], &mut rights, RecvFlags::CMSG_CLOEXEC).ok()?;
    rights.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next().map(TcpListener::from),
        _ => None,
    })
}

/// Variables of a command whose proxy listens on a port.
pub(super) fn variables(port: u16) -> impl Iterator<Item = (String, String)> {
    let proxy = VARIABLES.map(|name| (name, format!("http://127.0.0.1:{port}")));
    let all = proxy.into_iter().chain([("NO_PROXY", DIRECT.to_owned())]);
    let both = all.flat_map(|(name, value)| [(name.to_owned(), value.clone()), (name.to_lowercase(), value)]);
    // Node reads the others only with it.
    both.chain([("NODE_USE_ENV_PROXY".to_owned(), "1".to_owned())])
}
