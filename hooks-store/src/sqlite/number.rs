//! Columns of numbers, times and ids.

use hooks_core::state::OpId;
use hooks_core::time::Timestamp;

use super::error::Fault;

/// Conversion of a value to a column.
pub(super) trait Column {
    /// Type of the column in Rust.
    type As;
    /// Returns the value of the column.
    fn column(self) -> Self::As;
}

/// Larger numbers become the largest number of a column; real counts are far below it.
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

/// Big-endian, so that ids sort like the numbers.
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

/// Reads an optional time.
pub(super) fn maybe_time(column: Option<i64>) -> Result<Option<Timestamp>, Fault> {
    column.map(time).transpose()
}

/// Reads an id.
pub(super) fn id(column: [u8; 16]) -> OpId {
    OpId(u128::from_be_bytes(column))
}
