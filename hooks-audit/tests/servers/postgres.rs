//! The sink of Postgres against a real server.

use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use hooks_audit::sink::postgres::PostgresSink;
use hooks_audit::sink::{Sink, SinkError};
use tokio_postgres::{Config, NoTls};

use super::process::{Server, command, find, free_port};
use super::{records, records_elsewhere};

/// Folders of the programs of each version on Debian.
fn folders() -> Vec<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    versions.map(|version| version.path().join("bin")).collect()
}

/// Number of the user `postgres`, which Debian's package creates.
fn postgres_user() -> Option<u32> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let line = users.lines().find(|line| line.starts_with("postgres:"))?;
    line.split(':').nth(2)?.parse().ok()
}

fn server(port: u16, folder: &Path) -> Option<Server> {
    let (initdb, postgres) = (find("initdb", &folders())?, find("postgres", &folders())?);
    // Postgres does not run as root.
    let user = match folder.metadata().unwrap().uid() {
        0 => Some(postgres_user()?),
        _ => None,
    };
    if user.is_some() {
        chown(folder, user, None).unwrap();
    }
    let program = |program: PathBuf| {
        let mut command = command(program);
        if let Some(user) = user {
            command.uid(user);
        }
        command.current_dir(folder);
        command
    };
    let data = folder.join("data");
    let mut init = program(initdb);
    init.args(["--no-sync", "-U", "hooks", "-A", "trust", "-D"]).arg(&data);
    assert!(init.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success());
    let mut start = program(postgres);
    start.args([
        "-c",
        "listen_addresses=127.0.0.1",
        "-c",
        "unix_socket_directories=",
        "-p",
        &port.to_string(),
        "-D",
    ]);
    start.arg(&data);
    Some(Server::start(start, port))
}

#[tokio::test]
async fn a_table_has_each_record_once() {
    let (folder, port) = (tempfile::tempdir().unwrap(), free_port());
    let Some(running) = server(port, folder.path()) else { return };
    let mut config = Config::new();
    config.host("127.0.0.1").port(port).user("hooks").dbname("postgres");
    let sink = PostgresSink::new(config.clone(), "public.audit").unwrap();
    for _ in 0..600 {
        match sink.deliver(&records(1, 100)).await {
            Ok(()) => break,
            // The server accepts connections before it is ready.
            Err(error) => assert!(matches!(error, SinkError::Again { .. }), "{error}"),
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    sink.deliver(&records(51, 100)).await.unwrap();
    // Records of another log are other rows.
    sink.deliver(&records_elsewhere(51, 10)).await.unwrap();

    let (client, connection) = config.connect(NoTls).await.unwrap();
    drop(tokio::spawn(connection));
    let query = "SELECT count(*), min(record->>'rule'), min(payload->'event'->'tool_args'->>'command'), \
        min(session), min(agent), min(outcome), min(extract(epoch from at) * 1000)::text FROM audit";
    let row = client.query_one(query, &[]).await.unwrap();
    assert_eq!(row.get::<_, i64>(0), 160);
    assert_eq!(row.get::<_, &str>(1), "no-\"shell\\");
    assert_eq!(row.get::<_, &str>(2), "ls \u{fffd}");
    assert_eq!((row.get::<_, &str>(3), row.get::<_, &str>(4)), ("s\u{fffd}", "bäckend"));
    assert_eq!(row.get::<_, &str>(5), "deny");
    assert!(row.get::<_, &str>(6).starts_with("1700000000001"));

    // A record that the table can never take is refused; a foreign or missing table needs an operator to fix
    // it.
    client.batch_execute("ALTER TABLE audit ADD CHECK (seq <> 200)").await.unwrap();
    assert!(matches!(sink.deliver(&records(200, 1)).await, Err(SinkError::Refused { .. })));
    sink.deliver(&records(201, 1)).await.unwrap();
    client.batch_execute("DROP TABLE audit").await.unwrap();
    assert!(matches!(sink.deliver(&records(202, 1)).await, Err(SinkError::Again { .. })));
    // The next connection creates the table anew.
    sink.deliver(&records(202, 1)).await.unwrap();
    drop(running);
    assert!(matches!(sink.deliver(&records(203, 1)).await, Err(SinkError::Again { .. })));
}
