//! A server for a test, stopped by its process id.

use std::io::Write as _;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A running process; killed when this is dropped.
pub(crate) struct Server(Child);

impl Server {
    /// Starts `command` and waits until it accepts connections at `port`.
    pub(crate) fn start(mut command: Command, port: u16) -> Self {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let server = Self(child);
        for _ in 0..2_000 {
            if TcpStream::connect_timeout(&(Ipv4Addr::LOCALHOST, port).into(), Duration::from_millis(100))
                .is_ok()
            {
                return server;
            }
            pause(Duration::from_millis(5));
        }
        panic!("the server does not come up");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Returns a port that is free now; in theory another process could take it before its use.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}

/// Finds the program of this name on the path or in `more`; if it is missing, reports that past the test
/// harness.
pub(crate) fn find(name: &str, more: &[PathBuf]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders =
        std::env::split_paths(&path).chain(more.iter().cloned()).chain([PathBuf::from("/usr/sbin")]);
    let found = folders.map(|folder| folder.join(name)).find(|program| program.is_file());
    if found.is_none() {
        writeln!(std::io::stderr(), "SKIPPED: no `{name}` here; install Debian's package").unwrap();
    }
    found
}

#[expect(clippy::disallowed_methods, reason = "the servers that are tested are processes")]
pub(crate) fn command(program: impl AsRef<Path>) -> Command {
    Command::new(program.as_ref())
}

#[expect(clippy::disallowed_methods, reason = "the tests are of real servers in real time")]
pub(crate) fn pause(time: Duration) {
    std::thread::sleep(time);
}
