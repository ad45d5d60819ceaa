//! TLS: a server is asked only if this system trusts its certificate. `SSL_CERT_FILE` is read by processes, so each question
//! comes from one of its own.

use std::env;
use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use hooks_core::state::{Key, Op, StateStore as _, Window};
use hooks_store::redis::RedisSettings;

use crate::server;
use crate::world::{runtime, with};

/// Variable with the URL that a process asks.
const URL: &str = "HOOKS_TEST_TLS_URL";

struct TlsServer {
    process: Child,
    port: u16,
}

impl TlsServer {
    /// Starts a server with this certificate and key, which answers to TLS only.
    fn start(folder: &Path) -> Self {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
        let mut command = server::program();
        command.args(["--port", "0", "--tls-port", &port.to_string(), "--bind", "127.0.0.1", "--save", ""]);
        command.arg("--tls-cert-file").arg(folder.join("server.pem"));
        command.arg("--tls-key-file").arg(folder.join("server.key"));
        command.arg("--tls-ca-cert-file").arg(folder.join("server.pem")).args(["--tls-auth-clients", "no"]);
        command.arg("--dir").arg(folder).stdout(Stdio::null()).stderr(Stdio::null());
        let process = command.spawn().unwrap();
        let address = (Ipv4Addr::LOCALHOST, port).into();
        while TcpStream::connect_timeout(&address, Duration::from_millis(100)).is_err() {
            std::thread::yield_now();
        }
        Self { process, port }
    }
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

#[test]
fn a_server_is_asked_only_if_its_certificate_is_trusted() {
    if !server::is_installed() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for name in ["server", "other"] {
        let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        fs::write(folder.join(format!("{name}.pem")), made.cert.pem()).unwrap();
        fs::write(folder.join(format!("{name}.key")), made.signing_key.serialize_pem()).unwrap();
    }
    let server = TlsServer::start(folder);
    let url = |scheme: &str, host: &str| format!("{scheme}://{host}:{}/", server.port);
    let answer = ask(&url("rediss", "127.0.0.1"), &folder.join("server.pem"));
    assert!(answer.contains("Ok(Used { used: 0, held: 0 })"), "{answer}");
    // Another certificate, another name, and no TLS.
    for (scheme, host, trusted) in [
        ("rediss", "127.0.0.1", "other.pem"),
        ("rediss", "localhost", "server.pem"),
        ("redis", "127.0.0.1", "server.pem"),
    ] {
        let answer = ask(&url(scheme, host), &folder.join(trusted));
        assert!(answer.contains("Err("), "{scheme}://{host} with {trusted}: {answer}");
    }
}

/// Asks the server from a process that trusts the certificate in this file alone.
#[expect(clippy::disallowed_methods, reason = "certificates are read once by each process")]
fn ask(url: &str, trusted: &Path) -> String {
    let mut process = Command::new(env::current_exe().unwrap());
    process.args(["--exact", "tls::asked_from_a_process", "--nocapture"]);
    process.env(URL, url).env("SSL_CERT_FILE", trusted).env_remove("SSL_CERT_DIR");
    let output = process.output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Asks the server at the URL of the variable, and prints its answer.
#[test]
fn asked_from_a_process() {
    let Ok(url) = env::var(URL) else { return };
    runtime().block_on(async {
        let store = with(RedisSettings::new(url).with_timeout(Duration::from_secs(10)));
        let used = Op::Used { key: Key::new(None, &["day"]), window: Window::Always };
        println!("{:?}", store.apply(used).await);
    });
}
