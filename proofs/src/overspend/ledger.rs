//! The real spending, recorded by the process that spends.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::error::Result;

/// The file of one worker. Each record is one small write, which a killed process has made completely or not
/// at all.
#[derive(Debug)]
pub(super) struct Ledger(File);

/// The session number of records that count operations.
const OPERATIONS: u64 = u64::MAX;

impl Ledger {
    /// Opens the ledger for appending.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened.
    pub(super) fn open(folder: &Path, worker: u64) -> Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path(folder, worker))?;
        Ok(Self(file))
    }

    /// Records an amount that a session spends.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub(super) fn spend(&self, session: u64, amount: u64) -> Result {
        let record = [session.to_le_bytes(), amount.to_le_bytes()].concat();
        Ok((&self.0).write_all(&record)?)
    }

    /// Records further operations.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub(super) fn count(&self, operations: u64) -> Result {
        self.spend(OPERATIONS, operations)
    }
}

/// The contents of ledgers.
#[derive(Debug)]
pub(super) struct Spent {
    pub(super) operations: u64,
    /// Amounts by session.
    pub(super) spent: Vec<u64>,
}

impl Spent {
    /// Starts without spending.
    pub(super) fn nothing(sessions: u64) -> Self {
        Self { operations: 0, spent: vec![0; usize::try_from(sessions).unwrap_or(usize::MAX)] }
    }

    /// Adds the records of a worker.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub(super) fn add(&mut self, folder: &Path, worker: u64) -> Result {
        let bytes = match fs::read(path(folder, worker)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            bytes => bytes?,
        };
        for record in bytes.as_chunks::<16>().0 {
            let record = u128::from_le_bytes(*record);
            let (session, amount) = (record as u64, (record >> 64) as u64);
            if session == OPERATIONS {
                self.operations += amount;
            } else if let Some(spent) =
                usize::try_from(session).ok().and_then(|place| self.spent.get_mut(place))
            {
                *spent += amount;
            }
        }
        Ok(())
    }
}

fn path(folder: &Path, worker: u64) -> PathBuf {
    folder.join(format!("ledger-{worker}"))
}
