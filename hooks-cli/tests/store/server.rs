//! Stores for the processes of a test.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A Redis server for one test, which stops with the test.
pub(super) struct Server {
    process: Child,
    port: u16,
}

impl Server {
    /// Starts the server; `None` if Redis is not installed.
    pub(super) fn start(dir: &Path) -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new("redis-server");
        command.args([
            "--port",
            &port.to_string(),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "yes",
        ]);
        command.arg("--dir").arg(dir).stdout(Stdio::null()).stderr(Stdio::null());
        let Ok(process) = command.spawn() else {
            eprintln!("no `redis-server` is installed: what needs it was not tested");
            return None;
        };
        let server = Self { process, port };
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(10), "the server does not answer");
            thread::sleep(Duration::from_millis(20));
        }
        Some(server)
    }

    /// The section of a configuration that uses the server.
    pub(super) fn section(&self) -> String {
        // The machine is busy with the test, so an answer can take longer than the default timeout.
        format!("store: {{ engine: redis, url: \"redis://127.0.0.1:{}/\", timeout: 2s }}", self.port)
    }

    /// Sends a command to the server.
    pub(super) fn say(&self, command: &str) {
        use std::io::{Read as _, Write as _};
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(format!("{command}\r\n").as_bytes()).unwrap();
        let mut answer = [0; 64];
        let length = stream.read(&mut answer).unwrap();
        assert!(answer[..length].starts_with(b"+"), "{}", String::from_utf8_lossy(&answer[..length]));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Runs `check` on each store, in a separate folder.
pub(super) fn on_each_store(config: &str, check: impl Fn(&Path)) {
    let write = |dir: &Path, store: &str| {
        std::fs::write(dir.join("hooks.yaml"), format!("version: 1\n{store}\n{config}")).unwrap();
    };
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "");
    check(dir.path());
    let dir = tempfile::tempdir().unwrap();
    let Some(server) = Server::start(dir.path()) else { return };
    write(dir.path(), &server.section());
    check(dir.path());
}
