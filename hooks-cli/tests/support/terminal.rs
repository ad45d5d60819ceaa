//! A person at a terminal: runs a program with a pseudo-terminal as its standard streams.

#![expect(clippy::indexing_slicing, reason = "tests")]

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Command, ExitStatus};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// Runs `command` at a terminal where a person types `typed`. Returns its status, and all that the terminal
/// showed.
pub(crate) fn at_a_terminal(command: &mut Command, typed: &str) -> (ExitStatus, String) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let open = || -> OwnedFd {
        let path = name.to_str().unwrap();
        File::options().read(true).write(true).open(path).unwrap().into()
    };
    let mut child = command.stdin(open()).stdout(open()).stderr(open()).spawn().unwrap();
    // The copies of the terminal in `command` have to be closed, or it never ends.
    command.stdin(std::process::Stdio::null());
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let mut master = File::from(master);
    master.write_all(typed.as_bytes()).unwrap();
    let (mut shown, mut bytes) = (Vec::new(), [0; 4096]);
    loop {
        match master.read(&mut bytes) {
            Ok(0) => break,
            Ok(count) => shown.extend_from_slice(&bytes[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // All programs at the terminal ended.
            Err(_) => break,
        }
    }
    (child.wait().unwrap(), String::from_utf8_lossy(&shown).into_owned())
}
