//! The network of a namespace of its own: loopback, which is down at first.

use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with};

/// Message that sets a link, its length with the header, and the flags `request` and `acknowledge`.
const NEW_LINK: u16 = 16;
const LENGTH: u32 = 32;
const REQUEST_AND_ACKNOWLEDGE: u16 = 5;
/// Kind of an answer, with an error number after the header.
const ERROR: u16 = 2;
/// The first link of a namespace is loopback.
const LOOPBACK: i32 = 1;
const UP: u32 = 1;

/// Brings loopback up, so that servers of a test and their clients reach each other.
pub(super) fn loopback_up() -> Result<(), String> {
    let failed = |error: rustix::io::Errno| format!("loopback stays down: {error}");
    // The protocol 0 is that of routes.
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None);
    let socket = socket.map_err(failed)?;
    let mut message = Vec::new();
    message.extend(LENGTH.to_ne_bytes());
    message.extend(NEW_LINK.to_ne_bytes());
    message.extend(REQUEST_AND_ACKNOWLEDGE.to_ne_bytes());
    // Number of the message, and the sender, which the kernel fills in.
    message.extend([0; 8]);
    // Family and kind: any.
    message.extend([0; 4]);
    message.extend(LOOPBACK.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    send(&socket, &message, SendFlags::empty()).map_err(failed)?;
    let mut answer = [0_u8; 256];
    let (length, _) = recv(&socket, &mut answer[..], RecvFlags::empty()).map_err(failed)?;
    let field = |from: usize| answer.get(from..from + 4).filter(|_| from + 4 <= length);
    let kind = field(4).and_then(|field| field.first_chunk::<2>()).map(|kind| u16::from_ne_bytes(*kind));
    let number =
        field(16).and_then(|field| field.first_chunk::<4>()).map(|number| i32::from_ne_bytes(*number));
    match (kind, number) {
        (Some(ERROR), Some(0)) => Ok(()),
        (_, number) => Err(format!("loopback stays down: the kernel answered {number:?}")),
    }
}
