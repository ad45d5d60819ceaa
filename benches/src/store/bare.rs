//! SQLite alone, for comparison: the statements that the engine needs for a reservation and a settlement, on
//! the same tables.

use rusqlite::{Connection, params};

use super::disk::state_file;
use crate::{Case, SetupError};

const TABLES: &str = "
PRAGMA journal_mode = wal;
PRAGMA synchronous = normal;
PRAGMA wal_autocheckpoint = 4000;
CREATE TABLE counters (key TEXT NOT NULL, span TEXT NOT NULL, number INTEGER NOT NULL, spent INTEGER NOT NULL,
    held INTEGER NOT NULL, touched INTEGER NOT NULL, forgotten INTEGER, PRIMARY KEY (key, span, number))
    STRICT, WITHOUT ROWID;
CREATE TABLE holds (id BLOB NOT NULL PRIMARY KEY, scopes TEXT NOT NULL, since INTEGER NOT NULL,
    amount INTEGER NOT NULL, phase INTEGER NOT NULL, due INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX holds_due ON holds (phase, due);
";
const LOST: &str = "SELECT id FROM holds WHERE phase = 0 AND due <= ?1 ORDER BY due, id";
const HELD: &str = "SELECT scopes, since, amount, phase FROM holds WHERE id = ?1 AND (phase = 0 OR due > ?2)";
const COUNTER: &str = "SELECT spent, held FROM counters WHERE key = ?1 AND span = ?2 AND number = ?3
    AND (held > 0 OR forgotten IS NULL OR forgotten > ?4)";
const CHARGE: &str = "INSERT OR REPLACE INTO counters (key, span, number, spent, held, touched, forgotten)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
const HOLD: &str = "INSERT OR REPLACE INTO holds (id, scopes, since, amount, phase, due)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
const END: &str = "UPDATE holds SET amount = ?2, phase = ?3, due = ?4, scopes = '[]' WHERE id = ?1";
const SCOPES: &str = r#"[{"key":"acme/spend/session/1c8f0e52","limit":1125899906842624,"window":{"every":{"secs":86400,"nanos":0}},"kind":"spent"}]"#;
const KEY: &str = "acme/spend/session/1c8f0e52";
const SPAN: &str = "every 86400000000000";

/// One transaction to reserve, one to settle.
///
/// # Errors
/// Returns an error if the file cannot be created.
pub(super) fn case(name: &'static str) -> Result<Case, SetupError> {
    let (folder, path) = state_file()?;
    let connection = Connection::open(path)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.execute_batch(TABLES)?;
    let mut next = 0;
    Ok(Case::new(name, move || {
        let _folder = &folder;
        next += 1;
        both(&connection, next).is_ok()
    }))
}

fn both(connection: &Connection, next: u128) -> rusqlite::Result<()> {
    let id = next.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835).to_be_bytes();
    let now = 1_795_000_000_000 + i64::try_from(next >> 4).unwrap_or_default();
    let number = now / 86_400_000;
    let run = |statement: &str| connection.prepare_cached(statement)?.execute([]);
    let begin = || {
        run("BEGIN IMMEDIATE")?;
        let version =
            connection.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get::<_, i64>(0))?;
        connection.prepare_cached(LOST)?.exists([now])?;
        Ok::<_, rusqlite::Error>(version)
    };
    let counter = || {
        let mut statement = connection.prepare_cached(COUNTER)?;
        let mut rows = statement.query(params![KEY, SPAN, number, now])?;
        rows.next()?.map_or(Ok((0, 0)), |row| Ok::<(i64, i64), rusqlite::Error>((row.get(0)?, row.get(1)?)))
    };
    let charge = |spent: i64, held: i64| {
        let columns = params![KEY, SPAN, number, spent, held, now, now + 172_800_000];
        connection.prepare_cached(CHARGE)?.execute(columns)
    };
    begin()?;
    connection.prepare_cached(HELD)?.exists(params![id, now])?;
    counter()?;
    let (spent, held) = counter()?;
    charge(spent, held + 7)?;
    connection.prepare_cached(HOLD)?.execute(params![id, SCOPES, now, 7, 0, now + 60_000])?;
    run("COMMIT")?;
    begin()?;
    let columns = params![id, now];
    connection.prepare_cached(HELD)?.query_row(columns, |row| row.get::<_, String>(0))?;
    let (spent, held) = counter()?;
    charge(spent + 5, held - 7)?;
    connection.prepare_cached(END)?.execute(params![id, 5, 2, now + 86_400_000])?;
    run("COMMIT")?;
    Ok(())
}
