//! What `hooks.yaml` says about the store, and the store that follows from it.

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where counters, budgets, children and lockouts are kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StoreConfig {
    /// Which engine keeps them.
    pub engine: Engine,
    /// Of `file`: where, relative to the configuration. A file of its own below the user's state folder where absent.
    pub path: Option<PathBuf>,
    /// Of `file`: what an answer survives.
    pub sync: Durability,
    /// Of `memory`: how many counters, values, sets and rates are kept, 262,144 unless told; each takes some 400 bytes, and
    /// a session has about ten. Where none of them may be forgotten, further sessions are refused.
    pub names: Option<usize>,
    /// Of `redis`: the server, such as `redis://127.0.0.1:6379/`.
    pub url: Option<String>,
    /// Of `redis`: what all keys begin with.
    pub prefix: Option<String>,
    /// Of `redis`: how long an answer is waited for, such as `50ms`; it is waited for twice at most. More where the
    /// server is far away. The first connection is given a second beside that.
    #[serde(with = "hooks_core::duration::option")]
    #[schemars(with = "Option<String>")]
    pub timeout: Option<Duration>,
    /// Of `redis`: for how long nothing is granted by a server that was emptied, so that all who share it can tell it
    /// what is held, such as `60s`.
    #[serde(with = "hooks_core::duration::option")]
    #[schemars(with = "Option<String>")]
    pub settle: Option<Duration>,
    /// Of `redis`: what a service does, kind by kind, while the store is away. (For lockouts, see `stale_after`.)
    pub away: Option<AwayConfig>,
    /// How long the last known lockouts are believed while the store is away, such as `30s`.
    #[serde(with = "hooks_core::duration::option")]
    #[schemars(with = "Option<String>")]
    pub stale_after: Option<Duration>,
}

/// What a service does while its store is away. Nothing opens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AwayConfig {
    /// What is spent: money, tokens, calls.
    pub spend: AwaySpend,
    /// What comes at a rate.
    pub rates: AwayRates,
    /// Of `rates: share`: among how many the rate is shared at least; as many as were there last, or more where that is
    /// said here.
    pub instances: Option<u32>,
    /// Breakers.
    pub breakers: AwayBreakers,
}

/// What becomes of spending while the store is away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AwaySpend {
    /// What this service has leased is spent; then it is refused.
    #[default]
    Lease,
    /// It is refused at once. Nothing is leased, also while the store is there: each reservation asks it.
    Close,
}

/// What becomes of rates while the store is away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AwayRates {
    /// Each service goes on with its share.
    #[default]
    Share,
    /// Nothing is let through.
    Close,
}

/// What becomes of breakers while the store is away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AwayBreakers {
    /// Each service has its own.
    #[default]
    Local,
    /// They are not known, which is an error.
    Close,
}

/// What keeps state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// This process; all is forgotten with it.
    Memory,
    /// A file that all processes of this machine share.
    #[default]
    File,
    /// A Redis or Valkey server that a fleet shares.
    Redis,
}

/// What an answer of a file survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// The end of any process, however it ends. A power cut may take back what was answered shortly before: what a
    /// checkpoint of SQLite did not yet sync.
    #[default]
    Process,
    /// A power cut, too: each transaction waits for the disk.
    Power,
}

/// What is wrong with a store's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreFault {
    /// Which option.
    pub option: &'static str,
    /// What is wrong.
    pub problem: String,
    /// The way out.
    pub hint: String,
}

impl StoreConfig {
    /// Everything in it that contradicts itself.
    pub fn faults(&self) -> Vec<StoreFault> {
        let mut faults = Vec::new();
        let mut fault = |option, problem: &str, hint: &str| {
            faults.push(StoreFault { option, problem: problem.to_owned(), hint: hint.to_owned() });
        };
        let (file, redis) = (self.engine == Engine::File, self.engine == Engine::Redis);
        if self.path.is_some() && !file {
            fault("path", "only the engine `file` has a path", "leave it out, or write `engine: file`");
        }
        if self.path.as_ref().is_some_and(|path| path.as_os_str().is_empty()) {
            fault("path", "it is empty", "name a file, or leave it out");
        }
        if self.sync != Durability::default() && !file {
            fault("sync", "only the engine `file` syncs", "leave it out, or write `engine: file`");
        }
        if self.names.is_some() && self.engine != Engine::Memory {
            fault("names", "only the engine `memory` has a bound", "leave it out, or write `engine: memory`");
        }
        if self.names.is_some_and(|names| names < LEAST_NAMES) {
            fault("names", "it is less than a few sessions need", "write 1000 or more, or leave it out");
        }
        let of_redis = [
            ("url", self.url.is_some()),
            ("prefix", self.prefix.is_some()),
            ("timeout", self.timeout.is_some()),
            ("settle", self.settle.is_some()),
            ("away", self.away.is_some()),
        ];
        for (option, _) in of_redis.into_iter().filter(|(_, is_said)| *is_said && !redis) {
            fault(option, "only the engine `redis` has it", "leave it out, or write `engine: redis`");
        }
        let lengths = [("timeout", self.timeout, SECOND * 60), ("settle", self.settle, SECOND * 86_400)];
        for (option, length, most) in lengths {
            if length.is_some_and(|length| length < Duration::from_millis(1) || length > most) {
                fault(option, "it is too short or too long", &format!("write 1ms to {}s", most.as_secs()));
            }
        }
        if let Some(AwayConfig { rates, instances: Some(instances), .. }) = self.away {
            if instances == 0 {
                fault("away.instances", "a rate is not shared by nobody", "write 1 or more, or leave it out");
            }
            if rates == AwayRates::Close {
                fault(
                    "away.instances",
                    "nobody shares what is closed",
                    "leave it out, or write `rates: share`",
                );
            }
        }
        match &self.url {
            None if redis => fault("url", "`redis` needs a server", "write `url: redis://127.0.0.1:6379/`"),
            Some(url) if redis => {
                if let Some((problem, hint)) = fault_of_url(url) {
                    fault("url", problem, hint);
                }
            }
            _ => {}
        }
        faults
    }
}

/// What is wrong with the address of a server, and the way out.
fn fault_of_url(url: &str) -> Option<(&'static str, &'static str)> {
    let is = |schemes: &[&str]| schemes.iter().any(|scheme| url.starts_with(scheme));
    // A whole second stack of cryptography for one connection, which a tunnel gives as well.
    if is(&["rediss://", "valkeys://"]) {
        return Some((
            "this program speaks no TLS to its server",
            "write `redis://` and the near end of a tunnel (`stunnel`, `ssh -L`, a service mesh), or use a private \
             network",
        ));
    }
    if !is(&["redis://", "valkey://", "unix://"]) {
        return Some(("it is no address of a Redis server", "begin with `redis://`"));
    }
    #[cfg(feature = "redis")]
    if ::redis::Client::open(url).is_err() {
        return Some(("it cannot be read", "write `redis://[user:password@]host[:port][/database]`"));
    }
    None
}

const SECOND: Duration = Duration::from_secs(1);

/// So many names a store in memory has at least.
const LEAST_NAMES: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_other_engines_are_faults() {
        let faults = |text: serde_json::Value| {
            let config: StoreConfig = serde_json::from_value(text).unwrap();
            config.faults().into_iter().map(|fault| fault.option).collect::<Vec<_>>()
        };
        assert!(faults(serde_json::json!({})).is_empty());
        assert!(faults(serde_json::json!({"engine": "redis", "url": "redis://localhost/"})).is_empty());
        assert_eq!(faults(serde_json::json!({"engine": "redis"})), ["url"]);
        assert_eq!(faults(serde_json::json!({"engine": "redis", "url": "localhost"})), ["url"]);
        let wrong = serde_json::json!({"engine": "memory", "path": "x", "url": "redis://x", "sync": "power"});
        assert_eq!(faults(wrong), ["path", "sync", "url"]);
        let wrong = serde_json::json!({"timeout": "1s", "settle": "1s", "away": {}});
        assert_eq!(faults(wrong), ["timeout", "settle", "away"]);
        assert_eq!(faults(serde_json::json!({"names": 5_000})), ["names"]);
        assert_eq!(faults(serde_json::json!({"engine": "memory", "names": 999})), ["names"]);
        assert!(faults(serde_json::json!({"engine": "memory", "names": 1_000})).is_empty());
    }

    #[test]
    fn what_cannot_be_done_is_said_when_it_is_read() {
        let faults = |option: &str, value: serde_json::Value| {
            let mut text = serde_json::json!({"engine": "redis", "url": "redis://localhost/"});
            text[option] = value;
            let config: StoreConfig = serde_json::from_value(text).unwrap();
            config.faults().into_iter().map(|fault| fault.option).collect::<Vec<_>>()
        };
        for url in ["rediss://localhost/", "valkeys://x", "http://x", "redis:/x"] {
            assert_eq!(faults("url", url.into()), ["url"], "{url}");
        }
        for url in ["redis://localhost", "valkey://user:word@localhost:1/2", "unix:///run/redis.sock"] {
            assert!(faults("url", url.into()).is_empty(), "{url}");
        }
        for (length, is_wrong) in [("0s", true), ("61s", true), ("1ms", false), ("60s", false)] {
            assert_eq!(!faults("timeout", length.into()).is_empty(), is_wrong, "{length}");
        }
        for (length, is_wrong) in [("0s", true), ("2d", true), ("1m", false)] {
            assert_eq!(!faults("settle", length.into()).is_empty(), is_wrong, "{length}");
        }
        let away = |text: serde_json::Value| faults("away", text);
        assert!(
            away(serde_json::json!({"spend": "close", "rates": "close", "breakers": "close"})).is_empty()
        );
        assert!(away(serde_json::json!({"instances": 3})).is_empty());
        assert_eq!(away(serde_json::json!({"instances": 0})), ["away.instances"]);
        assert_eq!(away(serde_json::json!({"instances": 3, "rates": "close"})), ["away.instances"]);
    }
}
