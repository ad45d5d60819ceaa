//! The configuration of the store in `hooks.yaml`.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Store for counters, budgets, children and lockouts.
///
/// ```
/// use std::time::Duration;
/// use hooks_store::{Engine, StoreConfig};
/// use serde_json::json;
///
/// let config: StoreConfig = serde_json::from_value(json!({
///     "engine": "redis", "url": "redis://127.0.0.1:6379/", "timeout": "80ms"
/// }))?;
/// assert_eq!((config.engine, config.timeout), (Engine::Redis, Some(Duration::from_millis(80))));
/// assert!(serde_json::from_value::<StoreConfig>(json!({"engin": "file"})).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct StoreConfig {
    /// Engine that keeps the state.
    pub engine: Engine,
    /// For `file`: path of the file, relative to the configuration. Without it, a separate file in the user's
    /// state folder is used.
    pub path: Option<PathBuf>,
    /// For `file`: the failures that an acknowledged write survives.
    pub sync: Durability,
    /// For `memory`: the number of counters, values, sets and rates that are kept, 262,144 by default. Each takes about 400
    /// bytes, and a session has about ten. If none of them may be dropped, further sessions are refused.
    pub names: Option<usize>,
    /// For `redis`: URL of the server, such as `redis://127.0.0.1:6379/`.
    pub url: Option<String>,
    /// For `redis`: prefix of all keys.
    pub prefix: Option<String>,
    /// For `redis`: time to wait for an answer, such as `50ms`. An operation waits at most twice. Use more
    /// for a distant server. The first connection may take another second.
    #[serde(with = "hooks_core::duration::option")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub timeout: Option<Duration>,
    /// For `redis`: time after the server was emptied in which it grants nothing, such as `60s`. In this
    /// time, all programs that share the store report their reservations to it.
    #[serde(with = "hooks_core::duration::option")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub settle: Option<Duration>,
    /// For `redis`: behaviour of a service while the store is unavailable, for each kind of state. (For
    /// lockouts, see `stale_after`.)
    pub away: Option<AwayConfig>,
    /// Time that the last known lockouts stay valid while the store is unavailable, such as `30s`.
    #[serde(with = "hooks_core::duration::option")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub stale_after: Option<Duration>,
}

/// Behaviour of a service while its store is unavailable. No setting allows more than the limits.
///
/// ```
/// use hooks_store::{AwayConfig, AwayRates, AwaySpend};
/// use serde_json::json;
///
/// assert_eq!(AwayConfig::default().spend, AwaySpend::Lease);
/// let strict: AwayConfig = serde_json::from_value(json!({"spend": "close", "rates": "close"}))?;
/// assert_eq!((strict.spend, strict.rates), (AwaySpend::Close, AwayRates::Close));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AwayConfig {
    /// Spent amounts: money, tokens, calls.
    pub spend: AwaySpend,
    /// Rate limits.
    pub rates: AwayRates,
    /// For `rates: share`: the least number of instances that share the rate. Without it, the last known
    /// number is used; with it, the larger of both.
    pub instances: Option<u32>,
    /// Circuit breakers.
    pub breakers: AwayBreakers,
}

/// Behaviour of budgets while the store is unavailable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AwaySpend {
    /// The service spends what it has leased; after that, reservations are refused.
    #[default]
    Lease,
    /// Reservations are refused at once. The service leases nothing, even while the store is available: each
    /// reservation asks the store.
    Close,
}

/// Behaviour of rate limits while the store is unavailable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AwayRates {
    /// Each service continues with its share of the rate.
    #[default]
    Share,
    /// All calls are refused.
    Close,
}

/// Behaviour of circuit breakers while the store is unavailable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AwayBreakers {
    /// Each service has a breaker of its own.
    #[default]
    Local,
    /// The state of the breaker is unknown, which is an error.
    Close,
}

/// Engine of the state store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// The memory of this process; the state is lost when the process ends.
    Memory,
    /// A file that all processes of this machine share.
    #[default]
    File,
    /// A Redis or Valkey server that many machines share.
    Redis,
}

/// The failures that an acknowledged write to a file survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// The end of any process, however it ends. A power cut may lose recent writes: those after the last
    /// checkpoint of SQLite.
    #[default]
    Process,
    /// A power cut as well: each transaction waits for the disk.
    Power,
}

/// A fault in a store's configuration.
///
/// ```
/// use hooks_store::{Engine, StoreConfig};
///
/// let url = Some("cache.example.org".to_owned());
/// let config = StoreConfig { engine: Engine::Redis, url, ..StoreConfig::default() };
/// let fault = &config.faults()[0];
/// assert_eq!((fault.option, &*fault.problem), ("url", "it is not an address of a Redis server"));
/// assert_eq!(fault.hint, "begin with `redis://`, or `rediss://` for TLS");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreFault {
    /// Name of the option.
    pub option: &'static str,
    /// Description of the fault.
    pub problem: String,
    /// Suggested change.
    pub hint: String,
}

impl StoreConfig {
    /// Returns all faults of the configuration.
    ///
    /// ```
    /// use hooks_store::{Engine, StoreConfig};
    ///
    /// assert!(StoreConfig::default().faults().is_empty());
    /// let config = StoreConfig { engine: Engine::Redis, names: Some(10_000), ..StoreConfig::default() };
    /// let faults: Vec<_> = config.faults().iter().map(|fault| (fault.option, fault.hint.clone())).collect();
    /// assert_eq!(faults[0], ("names", "leave it out, or write `engine: memory`".to_owned()));
    /// assert_eq!(faults[1], ("url", "write `url: redis://127.0.0.1:6379/`".to_owned()));
    /// ```
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
                fault(
                    "away.instances",
                    "a rate cannot be shared by 0 processes",
                    "write 1 or more, or leave it out",
                );
            }
            if rates == AwayRates::Close {
                fault(
                    "away.instances",
                    "a closed store is not shared",
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

/// Returns the fault of a server's URL and the suggested change.
fn fault_of_url(url: &str) -> Option<(&'static str, &'static str)> {
    let is = |schemes: &[&str]| schemes.iter().any(|scheme| url.starts_with(scheme));
    let has_tls = is(&["rediss://", "valkeys://"]);
    if has_tls && !cfg!(feature = "tls") {
        return Some((
            "this program is built without TLS",
            "build it with the feature `tls`; or write `redis://` and the near end of a tunnel (`stunnel`, `ssh -L`, a \
             service mesh), or use a private network",
        ));
    }
    if !has_tls && !is(&["redis://", "valkey://", "unix://"]) {
        return Some((
            "it is not an address of a Redis server",
            "begin with `redis://`, or `rediss://` for TLS",
        ));
    }
    // With it, a client would take any certificate.
    if has_tls && url.contains('#') {
        return Some((
            "it does not check who the server is",
            "leave out what begins with `#`, and let `SSL_CERT_FILE` name its certificate",
        ));
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
        for url in ["rediss://localhost/#insecure", "http://x", "redis:/x"] {
            assert_eq!(faults("url", url.into()), ["url"], "{url}");
        }
        for url in ["rediss://localhost/", "valkeys://x"] {
            assert_eq!(faults("url", url.into()).is_empty(), cfg!(feature = "tls"), "{url}");
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
