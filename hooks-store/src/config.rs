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
    /// Of `redis`: the server, such as `redis://127.0.0.1:6379/`.
    pub url: Option<String>,
    /// Of `redis`: what all keys begin with.
    pub prefix: Option<String>,
    /// How long the last known lockouts are believed while the store is away, such as `30s`.
    #[serde(with = "hooks_core::duration::option")]
    #[schemars(with = "Option<String>")]
    pub stale_after: Option<Duration>,
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
        for (option, value) in [("url", &self.url), ("prefix", &self.prefix)] {
            if value.is_some() && !redis {
                fault(option, "only the engine `redis` has it", "leave it out, or write `engine: redis`");
            }
        }
        match &self.url {
            None if redis => fault("url", "`redis` needs a server", "write `url: redis://127.0.0.1:6379/`"),
            Some(url) if redis && !["redis://", "rediss://"].iter().any(|scheme| url.starts_with(scheme)) => {
                fault("url", "it is no address of a Redis server", "begin with `redis://` or `rediss://`");
            }
            _ => {}
        }
        faults
    }
}

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
    }
}
