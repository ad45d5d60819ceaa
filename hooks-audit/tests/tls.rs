//! TLS: records are sent only to a server whose certificate this system trusts. `SSL_CERT_FILE` is read by processes, so each
//! webhook is one of its own.
// The helpers are tests as well, so that the lints exempt them.
#![cfg(test)]
#![cfg(feature = "tls")]
#![expect(
    clippy::disallowed_methods,
    reason = "the servers that are tested are threads, and the senders processes"
)]

use std::env;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use hooks_audit::sink::{Opening, Sink as _};
use hooks_audit::{Committed, Kept, Record};
use hooks_core::Environment;
use hooks_core::time::Timestamp;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{from_value, json};

/// Variable with the URL that a process sends to.
const URL: &str = "HOOKS_TEST_TLS_URL";

/// Starts a server that answers `calls` connections, and returns its port and the requests that it understood.
fn serve(certificate: &Path, key: &Path, calls: usize) -> (u16, Receiver<String>) {
    let chain = vec![CertificateDer::from_pem_file(certificate).unwrap()];
    let key = PrivateKeyDer::from_pem_file(key).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(config.with_no_client_auth().with_single_cert(chain, key).unwrap());
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, got) = channel();
    thread::spawn(move || {
        for stream in listener.incoming().take(calls) {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = StreamOwned::new(connection, stream.unwrap());
            let (mut request, mut part) = (Vec::new(), [0; 4_096]);
            // A client that does not trust the certificate ends the connection.
            while let Ok(read) = stream.read(&mut part) {
                request.extend_from_slice(&part[..read]);
                if read == 0 || request.ends_with(b"]") || request.ends_with(b"}") {
                    break;
                }
            }
            let answer =
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            if answer.and_then(|()| stream.flush()).is_ok() {
                sender.send(String::from_utf8_lossy(&request).into_owned()).unwrap();
            }
        }
    });
    (port, got)
}

#[test]
fn records_are_sent_only_to_a_server_whose_certificate_is_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    for name in ["server", "other"] {
        let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        fs::write(file(&format!("{name}.pem")), made.cert.pem()).unwrap();
        fs::write(file(&format!("{name}.key")), made.signing_key.serialize_pem()).unwrap();
    }
    let (port, got) = serve(&file("server.pem"), &file("server.key"), 3);
    let url = |host: &str| format!("https://{host}:{port}/hook");
    for (host, trusted, wanted) in [
        ("127.0.0.1", "other.pem", "Err("),
        ("localhost", "server.pem", "Err("),
        ("127.0.0.1", "server.pem", "Ok(())"),
    ] {
        let answer = send(&url(host), &file(trusted));
        assert!(answer.contains(wanted), "{host} with {trusted}: {answer}");
    }
    let requests: Vec<_> = got.iter().collect();
    let [request] = &*requests else { panic!("{requests:?}") };
    assert!(request.starts_with("POST /hook ") && request.contains("no-shell"), "{request}");
}

#[test]
fn certificates_that_cannot_be_read_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let answer = send("https://127.0.0.1:9/hook", &folder.path().join("missing.pem"));
    assert!(answer.contains("`team`: ") && answer.contains("certificate"), "{answer}");
}

/// Sends a record from a process that trusts the certificate in this file alone.
fn send(url: &str, trusted: &Path) -> String {
    let mut process = Command::new(env::current_exe().unwrap());
    process.args(["--exact", "sent_from_a_process", "--nocapture"]);
    process.env(URL, url).env("SSL_CERT_FILE", trusted).env_remove("SSL_CERT_DIR");
    let output = process.output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Sends a record to the URL of the variable, and prints what became of it.
#[test]
fn sent_from_a_process() {
    let Ok(url) = env::var(URL) else { return };
    let config = from_value(json!({"name": "team", "webhook": {"url": url}})).unwrap();
    let sink = match Opening::new(Environment::detached()).open(&config, |_| None) {
        Ok(sink) => sink,
        Err(error) => return println!("{error}"),
    };
    let mut record = Record::new("pre_tool_use", Timestamp(1_700_000_000_000));
    (record.seq, record.rule) = (1, Some("no-shell".to_owned()));
    let committed = Committed { chain: "w0".into(), log: "l".into(), record, payload: Kept::Nothing };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    println!("{:?}", runtime.block_on(sink.deliver(&[committed])));
}
