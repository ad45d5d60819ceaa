//! The tables, and their version.

use rusqlite::Connection;

use super::error::Fault;
use crate::identity::StoreId;

/// Version of the tables that this program reads and writes.
pub(super) const VERSION: i64 = 1;

/// Application id that marks the file as ours: "Hook".
const APPLICATION: i64 = 0x486F_6F6B;

/// Times are in milliseconds. `due` is the end of a reservation's phase: open (0), expired (1), ended (2).
const TABLES: &str = "
CREATE TABLE clock (id INTEGER PRIMARY KEY CHECK (id = 1), boot TEXT NOT NULL, epoch INTEGER NOT NULL,
    latest INTEGER NOT NULL) STRICT;
CREATE TABLE revisions (id INTEGER PRIMARY KEY CHECK (id = 1), latest INTEGER NOT NULL) STRICT;
INSERT INTO revisions VALUES (1, 0);
CREATE TABLE counters (key TEXT NOT NULL, span TEXT NOT NULL, number INTEGER NOT NULL, spent INTEGER NOT NULL,
    held INTEGER NOT NULL, touched INTEGER NOT NULL, forgotten INTEGER, PRIMARY KEY (key, span, number))
    STRICT, WITHOUT ROWID;
CREATE TABLE holds (id BLOB NOT NULL PRIMARY KEY, scopes TEXT NOT NULL, since INTEGER NOT NULL,
    amount INTEGER NOT NULL, phase INTEGER NOT NULL, due INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX holds_due ON holds (phase, due);
CREATE TABLE past (id BLOB NOT NULL PRIMARY KEY, forgotten INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE rates (key TEXT NOT NULL PRIMARY KEY, full_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE things (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL, revision INTEGER NOT NULL, writer BLOB,
    expires INTEGER) STRICT, WITHOUT ROWID;
CREATE TABLE sets (key TEXT NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, touched INTEGER NOT NULL)
    STRICT, WITHOUT ROWID;
CREATE TABLE members (in_set TEXT NOT NULL, place INTEGER NOT NULL, id BLOB NOT NULL, name TEXT NOT NULL,
    note TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER, PRIMARY KEY (in_set, place)) STRICT, WITHOUT ROWID;
";

/// Identity of the store, in a table that files of earlier versions do not have.
const IDENTITY: &str = "
CREATE TABLE IF NOT EXISTS identity (id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL) STRICT;
INSERT OR IGNORE INTO identity VALUES (1, lower(hex(randomblob(16))));
";

/// Reads the identity of the store, which is drawn at random the first time. A transaction has to be open.
///
/// # Errors
/// Returns an error if SQLite fails.
pub(super) fn identity(connection: &Connection) -> Result<StoreId, Fault> {
    let read = || connection.query_row("SELECT name FROM identity", [], |row| row.get::<_, String>(0));
    // Nearly every store has one: to look for the table takes longer than to read it.
    let name = read().or_else(|_| connection.execute_batch(IDENTITY).and_then(|()| read()))?;
    Ok(StoreId::new(name))
}

/// Creates the tables in an empty file. A transaction has to be open.
///
/// # Errors
/// Returns an error if the file is of another version, or of another program.
pub(super) fn prepare(connection: &Connection) -> Result<(), Fault> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    match (pragma("application_id")?, pragma("user_version")?) {
        (APPLICATION, version) => check(version),
        (0, 0) if is_empty(connection)? => {
            connection.execute_batch(TABLES)?;
            connection.pragma_update(None, "application_id", APPLICATION)?;
            connection.pragma_update(None, "user_version", VERSION)?;
            Ok(())
        }
        _ => Err(Fault::Foreign),
    }
}

/// Checks whether the tables still have this version: another program may have replaced them.
///
/// # Errors
/// Returns an error if they have another version.
pub(super) fn check_again(connection: &Connection) -> Result<(), Fault> {
    check(connection.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))?)
}

fn check(version: i64) -> Result<(), Fault> {
    if version == VERSION { Ok(()) } else { Err(Fault::Version(version)) }
}

fn is_empty(connection: &Connection) -> Result<bool, Fault> {
    let tables =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    Ok(tables == 0)
}
