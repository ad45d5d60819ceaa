//! Which server, and how long it is waited for.

use std::time::Duration;

/// Which server, and how long it is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RedisSettings {
    /// The server: `redis://[user:password@]host[:port][/database]`, or `unix:///path`.
    pub url: String,
    /// What all names in the server begin with. Stores with different prefixes know nothing of each other.
    pub prefix: String,
    /// How long one answer is waited for. It is waited for twice at most.
    pub timeout: Duration,
    /// How long the first connection is waited for, beside that. Those that follow are made while answers are waited for.
    pub connecting: Duration,
    /// For how long a server that was emptied grants nothing, so that everybody can tell it what is held. All programs
    /// that share a store have to ask for it at least that often: services do twice a minute.
    pub settle: Duration,
    /// How long a connection may take, and each part of what is told to a server that has forgotten something.
    pub patience: Duration,
    /// After so many failures in a row the server is left alone for [`rest`](Self::rest).
    pub failures: u32,
    /// How long the server is left alone; then one operation tries.
    pub rest: Duration,
    /// How long what has ended is remembered here, for a server that forgets its last writes.
    pub remembered: Duration,
}

impl RedisSettings {
    /// The server at `url`: names begin with `hooks:`, an answer is waited for 50 ms, and what has ended is remembered
    /// for a minute.
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

    /// Names begin with `prefix`.
    #[must_use]
    pub fn with_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// An answer is waited for so long.
    #[must_use]
    pub const fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }
}
