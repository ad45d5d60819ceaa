//! A server for one test: started on a free port in a temporary folder, and stopped by its process id.

use std::io::Write as _;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

/// A running server.
pub(crate) struct Server {
    folder: TempDir,
    port: u16,
    append_only: bool,
    process: Option<Child>,
}

impl Server {
    /// Starts a server without persistence. Returns `None` and prints a message if no server is installed.
    pub(crate) fn start() -> Option<Self> {
        Self::new(false)
    }

    /// Starts a server that appends every write to a file.
    pub(crate) fn start_append_only() -> Option<Self> {
        Self::new(true)
    }

    fn new(append_only: bool) -> Option<Self> {
        if !is_installed() {
            return None;
        }
        // The port is free; it is unlikely that another program takes it before the server starts.
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
        let mut server = Self { folder: tempfile::tempdir().unwrap(), port, append_only, process: None };
        server.resume();
        Some(server)
    }

    /// Returns the port of the server.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Returns the port of a proxy to the server, which delays each new connection.
    pub(crate) fn far_away(&self, delay: Duration) -> u16 {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let (port, server) = (listener.local_addr().unwrap().port(), self.port);
        // The thread runs until the tests end.
        std::thread::spawn(move || {
            for near in listener.incoming() {
                let near = near.unwrap();
                std::thread::spawn(move || {
                    pause(delay);
                    let far = TcpStream::connect((Ipv4Addr::LOCALHOST, server)).unwrap();
                    let (mut near_too, mut far_too) = (near.try_clone().unwrap(), far.try_clone().unwrap());
                    std::thread::spawn(move || std::io::copy(&mut near_too, &mut far_too));
                    std::io::copy(&mut &far, &mut &near)
                });
            }
        });
        port
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Kills the server.
    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    /// Restarts the server after it was killed.
    pub(crate) fn resume(&mut self) {
        let mut command = program();
        command.args(["--port", &self.port.to_string(), "--bind", "127.0.0.1", "--save", ""]);
        command.args(["--appendonly", if self.append_only { "yes" } else { "no" }]);
        command.args(["--appendfsync", "everysec", "--enable-debug-command", "local"]);
        command.arg("--dir").arg(self.folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        self.process = Some(command.spawn().unwrap());
        while !self.answers() {
            std::thread::yield_now();
        }
    }

    /// Sends a signal to the server, such as STOP and CONT: connections stay open, but no request is
    /// answered.
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let process = self.process.as_ref().unwrap();
        rustix::process::kill_process(rustix::process::Pid::from_child(process), signal).unwrap();
    }

    /// Runs a command on a separate connection.
    pub(crate) fn run(&self, words: &[&str]) -> redis::Value {
        let mut command = redis::Cmd::new();
        for word in words {
            command.arg(word);
        }
        let mut connection = redis::Client::open(self.url()).unwrap().get_connection().unwrap();
        command.query(&mut connection).unwrap()
    }

    fn answers(&self) -> bool {
        let address = (Ipv4Addr::LOCALHOST, self.port).into();
        if TcpStream::connect_timeout(&address, Duration::from_millis(100)).is_err() {
            return false;
        }
        let client = redis::Client::open(self.url()).unwrap();
        client.get_connection().is_ok_and(|mut connection| redis::cmd("PING").exec(&mut connection).is_ok())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Whether a server can be started; prints a message if not.
pub(crate) fn is_installed() -> bool {
    let is_here = program().arg("--version").stdout(Stdio::null()).status().is_ok();
    if !is_here {
        // Written directly, because the test harness would capture it: the message has to be seen.
        writeln!(std::io::stderr(), "SKIPPED: no redis-server here; install Debian's package").unwrap();
    }
    is_here
}

#[expect(clippy::disallowed_methods, reason = "the server that is tested is a process")]
pub(crate) fn program() -> Command {
    Command::new("redis-server")
}

#[expect(clippy::disallowed_methods, reason = "the tests are of real servers in real time")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}
