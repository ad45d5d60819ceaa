//! Settings of the server and its timeouts.

use std::time::Duration;

/// Settings of the server and its timeouts.
///
/// ```
/// use std::time::Duration;
/// use hooks_store::redis::RedisSettings;
///
/// let settings = RedisSettings::new("redis://cache.example.org/");
/// assert_eq!((&*settings.prefix, settings.timeout), ("hooks:", Duration::from_millis(50)));
/// // A server in another region, which two teams share.
/// let distant = settings.with_prefix("hooks:payments:").with_timeout(Duration::from_millis(200));
/// assert_eq!(&*distant.prefix, "hooks:payments:");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RedisSettings {
    /// URL of the server: `redis://[user:password@]host[:port][/database]`, or `unix:///path`.
    pub url: String,
    /// Prefix of all names in the server. Stores with different prefixes are independent.
    pub prefix: String,
    /// Time to wait for one answer. An operation waits at most twice.
    pub timeout: Duration,
    /// Additional time to wait for the first connection. Later connections are made within the time for an
    /// answer.
    pub connecting: Duration,
    /// Time after the server was emptied in which it grants nothing, so that all clients can report their
    /// reservations. All programs that share a store have to send a request at least this often; services do
    /// so twice a minute.
    pub settle: Duration,
    /// Time that a connection may take, and each step of restoring data to a server.
    pub patience: Duration,
    /// Number of failures in a row after which no requests are sent for [`rest`](Self::rest).
    pub failures: u32,
    /// Time in which no requests are sent; then one operation tries.
    pub rest: Duration,
    /// Time that ended reservations are remembered, for a server that loses its last writes.
    pub remembered: Duration,
}

impl RedisSettings {
    /// The server at `url`, with the prefix `hooks:`, a timeout of 50 ms, and a memory of a minute for ended
    /// reservations.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            prefix: "hooks:".to_owned(),
            timeout: Duration::from_millis(50),
            connecting: Duration::from_secs(1),
            settle: Duration::from_secs(60),
            patience: Duration::from_secs(5),
            failures: 5,
            rest: Duration::from_secs(1),
            remembered: Duration::from_secs(60),
        }
    }

    /// Sets the prefix of all names.
    #[must_use]
    pub fn with_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Sets the time to wait for one answer.
    #[must_use]
    pub const fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }
}
