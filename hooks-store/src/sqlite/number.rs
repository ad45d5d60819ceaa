//! Numbers, times and ids as columns.

use hooks_core::state::OpId;
use hooks_core::time::Timestamp;

use super::error::Fault;

/// What a column holds of a value.
pub(super) trait Column {
    /// As SQLite has it.
    type As;
    /// The column.
    fn column(self) -> Self::As;
}

/// Whatever is counted ends far below the end of what a column holds.
impl Column for u64 {
    type As = i64;

    fn column(self) -> i64 {
        i64::try_from(self).unwrap_or(i64::MAX)
    }
}

impl Column for Timestamp {
    type As = i64;

    fn column(self) -> i64 {
        self.0.column()
    }
}

/// Big-endian, so that their order is that of the numbers.
impl Column for OpId {
    type As = [u8; 16];

    fn column(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }
}

/// Reads a number.
pub(super) fn count(column: i64) -> Result<u64, Fault> {
    u64::try_from(column).map_err(|_| Fault::Row(format!("the number {column}")))
}

/// Reads a time.
pub(super) fn time(column: i64) -> Result<Timestamp, Fault> {
    count(column).map(Timestamp)
}

/// Reads a time that may be absent.
pub(super) fn maybe_time(column: Option<i64>) -> Result<Option<Timestamp>, Fault> {
    column.map(time).transpose()
}

/// Reads an id.
pub(super) fn id(column: [u8; 16]) -> OpId {
    OpId(u128::from_be_bytes(column))
}
