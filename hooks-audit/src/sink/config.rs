//! Settings of sinks and their feeds.

use std::collections::BTreeMap;
use std::net::Ipv6Addr;
use std::time::Duration;

use hooks_core::Strength;
use serde::{Deserialize, Serialize};

use crate::read::Committed;
use crate::record::Record;

/// Settings of a feed.
///
/// ```
/// use std::time::Duration;
/// use hooks_audit::sink::FeedSettings;
///
/// let settings = FeedSettings::new("archive").with_batch(50).within(Duration::from_secs(5));
/// assert_eq!((settings.batch, settings.timeout), (50, Duration::from_secs(5)));
/// assert!(!settings.payload && settings.with_payload().payload);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FeedSettings {
    /// Name of the feed's position in the log.
    pub name: String,
    /// Limit on the records in a batch.
    pub batch: usize,
    /// Time to wait for an answer.
    pub timeout: Duration,
    /// Pause after a step without new records.
    pub poll: Duration,
    /// Upper limit of the first pause after a failure.
    pub least_pause: Duration,
    /// Upper limit of all pauses.
    pub most_pause: Duration,
    /// Tenants whose records are sent; if empty, all tenants.
    pub tenants: Vec<String>,
    /// Decisions whose records are sent; if empty, all records.
    pub only: Vec<Strength>,
    /// Whether payloads are sent, which may hold personal data.
    pub payload: bool,
}

impl FeedSettings {
    /// Defaults: a delay of at most a quarter of a second, and pauses of up to half a second to a minute
    /// after failures.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            batch: 256,
            timeout: Duration::from_secs(30),
            poll: Duration::from_millis(250),
            least_pause: Duration::from_millis(500),
            most_pause: Duration::from_secs(60),
            tenants: Vec::new(),
            only: Vec::new(),
            payload: false,
        }
    }

    /// Sets the limit on the records in a batch.
    #[must_use]
    pub const fn with_batch(mut self, batch: usize) -> Self {
        self.batch = batch;
        self
    }

    /// Sends only records of these tenants.
    ///
    /// ```
    /// use hooks_audit::sink::FeedSettings;
    ///
    /// let settings = FeedSettings::new("billing");
    /// assert!(settings.tenants.is_empty(), "by default, records of all tenants are sent");
    /// let settings = settings.of_tenants(["acme".to_owned()]).of_tenants(["zeta".to_owned()]);
    /// assert_eq!(settings.tenants, ["acme", "zeta"]);
    /// ```
    #[must_use]
    pub fn of_tenants(mut self, tenants: impl IntoIterator<Item = String>) -> Self {
        self.tenants.extend(tenants);
        self
    }

    /// Sends only records of these decisions, or of these answers that a client received.
    ///
    /// ```
    /// use hooks_audit::sink::FeedSettings;
    /// use hooks_core::Strength;
    ///
    /// let settings = FeedSettings::new("alerts").of_decisions([Strength::Deny, Strength::Ask]);
    /// assert_eq!(settings.only, [Strength::Deny, Strength::Ask]);
    /// ```
    #[must_use]
    pub fn of_decisions(mut self, decisions: impl IntoIterator<Item = Strength>) -> Self {
        self.only.extend(decisions);
        self
    }

    /// Sends payloads as well.
    #[must_use]
    pub const fn with_payload(mut self) -> Self {
        self.payload = true;
        self
    }

    /// Sets the time to wait for an answer.
    #[must_use]
    pub const fn within(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    pub(super) fn wants(&self, record: &Committed) -> bool {
        let tenant = record.record.tenant.as_ref();
        let is_of_tenant =
            self.tenants.is_empty() || tenant.is_some_and(|tenant| self.tenants.contains(tenant));
        let is_wanted = |decision: Option<Strength>| decision.is_some_and(|it| self.only.contains(&it));
        let record = &record.record;
        is_of_tenant && (self.only.is_empty() || is_wanted(record.outcome) || is_wanted(answered(record)))
    }
}

/// The answer that a client received, as a decision. It can be stronger, because not every client can ask.
fn answered(record: &Record) -> Option<Strength> {
    match record.answered.as_deref()? {
        "deny" | "block" | "stop" => Some(Strength::Deny),
        "ask" => Some(Strength::Ask),
        "allow" => Some(Strength::Allow),
        _ => None,
    }
}

/// One sink: an entry of the section `sinks` of `hooks.yaml`. It has a name, and exactly one of `otlp`,
/// `webhook`, `postgres` and `nats`.
///
/// ```
/// use hooks_audit::sink::{SinkConfig, SinkConfigError};
/// use serde_json::{from_value, json};
///
/// let sinks: Vec<SinkConfig> = from_value(json!([
///     {"name": "collector", "otlp": {"endpoint": "http://localhost:4318"}, "tenants": ["acme"]},
///     {"name": "archive"},
/// ]))?;
/// assert_eq!(sinks[0].feed().tenants, ["acme"]);
/// assert!(!sinks[0].payload, "payloads are sent only on request");
/// // The second entry has no kind of sink.
/// let error = SinkConfigError::Kind("archive".to_owned());
/// assert_eq!(SinkConfig::check_all(&sinks), Err((1, error)));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SinkConfig {
    /// Name of the sink: lower-case letters, digits, `-` and `_`. Its position in the log is stored under
    /// this name.
    pub name: String,
    /// Tenants whose records are sent; if empty, all tenants.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tenants: Vec<String>,
    /// Decisions whose records are sent, such as `[deny, ask]`; if empty, all records. An answer that a client received counts
    /// like a decision.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<Strength>,
    /// Whether payloads are sent (arguments, results, prompts, scrubbed), which may hold personal data.
    #[serde(default)]
    pub payload: bool,
    /// Limit on the records in a batch.
    #[serde(default = "default_batch")]
    pub batch: usize,
    /// Time to wait for an answer.
    #[serde(default = "default_timeout", with = "hooks_core::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub timeout: Duration,
    /// An OpenTelemetry collector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otlp: Option<OtlpConfig>,
    /// An HTTP server that receives records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<WebhookConfig>,
    /// A table in Postgres.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postgres: Option<PostgresConfig>,
    /// A stream of NATS JetStream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nats: Option<NatsConfig>,
}

/// An OpenTelemetry collector, by OTLP over HTTP with JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct OtlpConfig {
    /// URL of the collector, such as `http://localhost:4318`.
    pub endpoint: String,
    /// Service name in the data.
    #[serde(default = "default_service")]
    pub service: String,
    /// Signals to send.
    #[serde(default = "every_signal")]
    pub signals: Vec<Signal>,
    /// Interval between metrics.
    #[serde(default = "default_interval", with = "hooks_core::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub interval: Duration,
    /// Headers, with the names of the environment variables that hold their values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers_env: BTreeMap<String, String>,
}

/// A kind of data for a collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Signal {
    /// A span for each session, child, model call and tool call.
    Traces,
    /// A log record for each record.
    Logs,
    /// All metrics.
    Metrics,
}

/// An HTTP server that receives records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct WebhookConfig {
    /// URL of the server.
    pub url: String,
    /// Name of the environment variable with the secret that signs the bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_env: Option<String>,
    /// Headers, with the names of the environment variables that hold their values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers_env: BTreeMap<String, String>,
}

/// A table in Postgres.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PostgresConfig {
    /// Name of the environment variable with the connection string.
    pub url_env: String,
    /// Name of the table; it is created if it does not exist.
    #[serde(default = "default_table")]
    pub table: String,
}

/// A stream of NATS JetStream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NatsConfig {
    /// Host and port, such as `localhost:4222` or `nats://localhost:4222`.
    pub server: String,
    /// Subject of the published records; a stream has to subscribe to it.
    pub subject: String,
    /// Name of the environment variable with a token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_env: Option<String>,
}

/// Reason why the settings of a sink are not valid.
///
/// ```
/// use hooks_audit::sink::SinkConfig;
/// use serde_json::{from_value, json};
///
/// let error = |sinks| -> Result<String, serde_json::Error> {
///     let sinks: Vec<SinkConfig> = from_value(sinks)?;
///     Ok(SinkConfig::check_all(&sinks).err().map(|(_, error)| error.to_string()).unwrap_or_default())
/// };
/// let webhook = |name: &str, url: &str| json!({"name": name, "webhook": {"url": url}});
/// assert_eq!(error(json!([webhook("a", "http://localhost/hook")]))?, "");
/// let other = error(json!([webhook("a", "ftp://example.com/hook")]))?;
/// assert!(other.starts_with("`ftp://example.com/hook` is not an address for `a`"));
/// let twice = error(json!([webhook("a", "http://localhost/1"), webhook("a", "http://localhost/2")]))?;
/// assert!(twice.starts_with("two sinks are called `a`"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SinkConfigError {
    /// The name is not valid.
    #[error("`{0}` is not a name of a sink; use 1 to 64 small letters, digits, `-` and `_`")]
    Name(String),
    /// Two sinks have the same name.
    #[error("two sinks are called `{0}`, and would share one place in the log; name one of them otherwise")]
    Twice(String),
    /// The entry has no kind of sink, or several.
    #[error("`{0}` has no kind, or several; write one of `otlp`, `webhook`, `postgres` and `nats`")]
    Kind(String),
    /// The address is not valid.
    #[error("`{address}` is not an address for `{name}`; {way_out}")]
    Address {
        /// Name of the sink.
        name: String,
        /// The address as written.
        address: String,
        /// Example of a valid address.
        way_out: &'static str,
    },
    /// The name of the table would have to be quoted.
    #[error(
        "`{0}` is not a name of a table; use letters, digits and `_`, with a schema and a dot before it if need be"
    )]
    Table(String),
    /// A limit is 0.
    #[error("`{0}` is 0, and nothing would be sent; leave it out")]
    Zero(&'static str),
}

impl SinkConfig {
    /// Creates an entry without a kind of sink.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            tenants: Vec::new(),
            only: Vec::new(),
            payload: false,
            batch: default_batch(),
            timeout: default_timeout(),
            otlp: None,
            webhook: None,
            postgres: None,
            nats: None,
        }
    }

    /// Settings of its feed.
    pub fn feed(&self) -> FeedSettings {
        FeedSettings {
            tenants: self.tenants.clone(),
            only: self.only.clone(),
            payload: self.payload,
            batch: self.batch,
            timeout: self.timeout,
            ..FeedSettings::new(self.name.clone())
        }
    }

    /// Checks the sinks, each alone and all together.
    ///
    /// # Errors
    /// Returns the index of the first invalid sink, and the error.
    pub fn check_all(sinks: &[Self]) -> Result<(), (usize, SinkConfigError)> {
        for (at, sink) in sinks.iter().enumerate() {
            sink.check().map_err(|error| (at, error))?;
            if sinks.iter().take(at).any(|other| other.name == sink.name) {
                return Err((at, SinkConfigError::Twice(sink.name.clone())));
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), SinkConfigError> {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
        if self.name.is_empty() || self.name.len() > 64 || !self.name.chars().all(is_plain) {
            return Err(SinkConfigError::Name(self.name.clone()));
        }
        if self.batch == 0 || self.timeout.is_zero() {
            return Err(SinkConfigError::Zero(if self.batch == 0 { "batch" } else { "timeout" }));
        }
        let Self { name, otlp, webhook, postgres, nats, .. } = self;
        let address = |address: &String, way_out| {
            let (name, address) = (name.clone(), address.clone());
            Err(SinkConfigError::Address { name, address, way_out })
        };
        let way_out = match HAS_TLS {
            true => "write one that begins with `http://` or `https://`",
            false => {
                "write one that begins with `http://`; this program is built without TLS (feature `tls`), so send through a \
                 collector or a proxy on this machine"
            }
        };
        match (otlp, webhook, postgres, nats) {
            (Some(otlp), None, None, None) if !is_http(&otlp.endpoint) => address(&otlp.endpoint, way_out),
            (None, Some(webhook), None, None) if !is_http(&webhook.url) => address(&webhook.url, way_out),
            (None, None, Some(postgres), None) if !is_table(&postgres.table) => {
                Err(SinkConfigError::Table(postgres.table.clone()))
            }
            (None, None, None, Some(nats)) if !is_host_and_port(nats.address()) => {
                let way_out = "write host and port, such as `localhost:4222`; there is no TLS here, and a token stands in the variable of `token_env`";
                address(&nats.server, way_out)
            }
            (None, None, None, Some(nats)) if !is_subject(&nats.subject) => {
                address(&nats.subject, "write a subject without wildcards, such as `hooks.audit`")
            }
            (Some(_), None, None, None)
            | (None, Some(_), None, None)
            | (None, None, Some(_), None)
            | (None, None, None, Some(_)) => Ok(()),
            _ => Err(SinkConfigError::Kind(name.clone())),
        }
    }
}

impl OtlpConfig {
    /// Creates settings for a collector at `endpoint` that receives all signals.
    pub fn new(endpoint: impl Into<String>) -> Self {
        Self {
            endpoint: endpoint.into(),
            service: default_service(),
            signals: every_signal(),
            interval: default_interval(),
            headers_env: BTreeMap::new(),
        }
    }
}

/// Whether `name` is a table, or a schema and a table, that need no quotes.
pub(super) fn is_table(name: &str) -> bool {
    let is_name = |part: &str| {
        part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.len() <= 63
    };
    name.split('.').count() <= 2 && name.split('.').all(is_name)
}

impl NatsConfig {
    /// Host and port without the scheme.
    pub(super) fn address(&self) -> &str {
        self.server.strip_prefix("nats://").unwrap_or(&self.server).trim_end_matches('/')
    }
}

/// Whether sinks can send to `https://`.
const HAS_TLS: bool = cfg!(feature = "tls");

/// Whether `url` is valid for the HTTP client: `http://`, or `https://` with TLS, a host, an optional port, and a path of
/// characters that need no escapes.
fn is_http(url: &str) -> bool {
    let with_tls = url.strip_prefix("https://").filter(|_| HAS_TLS);
    let Some(rest) = url.strip_prefix("http://").or(with_tls) else { return false };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let is_plain =
        |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}');
    (is_host(authority) || is_host_and_port(authority)) && path.chars().all(is_plain)
}

fn is_host_and_port(address: &str) -> bool {
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
    address.rsplit_once(':').is_some_and(|(host, port)| is_host(host) && is_port(port))
}

/// Whether `host` is a name, an IPv4 address, or an IPv6 address in brackets.
fn is_host(host: &str) -> bool {
    match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => {
            !host.is_empty()
                && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        }
    }
}

/// Whether `subject` has no character that would end a line of the protocol, and no wildcard.
pub(super) fn is_subject(subject: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '*' | '>');
    !subject.is_empty()
        && subject.len() <= 255
        && subject.chars().all(is_plain)
        && subject.split('.').all(|part| !part.is_empty())
}

const fn default_batch() -> usize {
    256
}

const fn default_timeout() -> Duration {
    Duration::from_secs(30)
}

fn default_service() -> String {
    "hooks".to_owned()
}

fn every_signal() -> Vec<Signal> {
    vec![Signal::Traces, Signal::Logs, Signal::Metrics]
}

const fn default_interval() -> Duration {
    Duration::from_secs(15)
}

fn default_table() -> String {
    "hooks_audit".to_owned()
}
