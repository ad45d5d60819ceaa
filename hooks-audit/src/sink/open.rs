//! Opens sinks from their configuration.

use std::fmt;
use std::sync::Arc;

use hooks_core::Environment;

use super::config::SinkConfig;
use super::{MetricsSource, Sink};

/// Reason why a sink cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// This program was built without the feature of the sink.
    #[error("`{name}` needs the feature `{feature}` of `hooks-audit`, and this program is built without it")]
    Feature {
        /// Name of the sink.
        name: String,
        /// Name of the missing feature.
        feature: &'static str,
    },
    /// Something that the sink needs is missing or not valid.
    #[error("`{name}`: {problem}")]
    Unusable {
        /// Name of the sink.
        name: String,
        /// Description of the problem.
        problem: String,
    },
}

/// Environment and metrics for opening sinks.
#[derive(Clone, Default)]
pub struct Opening {
    #[cfg_attr(
        not(any(feature = "http", feature = "nats")),
        expect(dead_code, reason = "no sink asks for it")
    )]
    environment: Environment,
    metrics: Option<Arc<dyn MetricsSource>>,
}

impl Opening {
    /// Opens sinks in this environment.
    pub const fn new(environment: Environment) -> Self {
        Self { environment, metrics: None }
    }

    /// Sets the metrics, for sinks that send metrics.
    #[must_use]
    pub fn with_metrics(mut self, metrics: Option<Arc<dyn MetricsSource>>) -> Self {
        self.metrics = metrics;
        self
    }

    /// Opens the sink of `config`; `variable` returns environment variables with secrets. Does not connect:
    /// connection errors appear at the first delivery.
    ///
    /// # Errors
    /// Returns `Feature` if this program is built without the sink, or `Unusable` if something that it needs
    /// is missing or not valid.
    ///
    /// ```
    /// use hooks_audit::sink::{Opening, SinkConfig};
    /// use hooks_core::Environment;
    /// use serde_json::{from_value, json};
    ///
    /// let archive = json!({"name": "archive", "postgres": {"url_env": "ARCHIVE_URL"}});
    /// let config: SinkConfig = from_value(archive)?;
    /// let opening = Opening::new(Environment::detached());
    /// let set = |name: &str| (name == "ARCHIVE_URL").then(|| "postgres://hooks@localhost/audit".to_owned());
    /// assert!(opening.open(&config, set).is_ok());
    /// let error = opening.open(&config, |_| None).err().map(|error| error.to_string());
    /// assert_eq!(
    ///     error.as_deref(),
    ///     Some("`archive`: the environment variable `ARCHIVE_URL` is not set; set it")
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[cfg_attr(
        not(any(feature = "http", feature = "nats", feature = "postgres")),
        expect(unused_variables, reason = "no sink needs a secret")
    )]
    pub fn open(
        &self,
        config: &SinkConfig,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Arc<dyn Sink>, OpenError> {
        let name = || config.name.clone();
        #[cfg(any(feature = "http", feature = "nats", feature = "postgres"))]
        let unusable = |problem: String| OpenError::Unusable { name: name(), problem };
        #[cfg(any(feature = "http", feature = "nats", feature = "postgres"))]
        let secret = |of: &str| {
            variable(of)
                .ok_or_else(|| unusable(format!("the environment variable `{of}` is not set; set it")))
        };
        #[cfg(feature = "http")]
        if let Some(otlp) = &config.otlp {
            let headers = super::http::headers_of(&otlp.headers_env, &variable);
            let headers = headers.map_err(|error| unusable(error.to_string()))?;
            let clock = Arc::clone(&self.environment.clock);
            let client = client_for(&otlp.endpoint).map_err(|error| unusable(error.to_string()))?;
            let sink = super::otlp::OtlpSink::new(client, otlp.clone(), clock);
            let sink = sink.with_headers(headers);
            return Ok(match &self.metrics {
                Some(metrics) => Arc::new(sink.with_metrics(Arc::clone(metrics))),
                None => Arc::new(sink),
            });
        }
        #[cfg(feature = "http")]
        if let Some(webhook) = &config.webhook {
            let headers = super::http::headers_of(&webhook.headers_env, &variable);
            let headers = headers.map_err(|error| unusable(error.to_string()))?;
            let url = webhook.url.parse().map_err(|error| unusable(format!("`{}`: {error}", webhook.url)))?;
            let client = client_for(&webhook.url).map_err(|error| unusable(error.to_string()))?;
            let sink = super::webhook::WebhookSink::new(client, url).with_headers(headers);
            return Ok(match &webhook.secret_env {
                Some(of) => Arc::new(sink.signed_by(secret(of)?)),
                None => Arc::new(sink),
            });
        }
        #[cfg(feature = "postgres")]
        if let Some(postgres) = &config.postgres {
            // The text of the error does not contain the connection string, which may hold a password.
            let database = secret(&postgres.url_env)?.parse();
            let database = database.map_err(|error| {
                unusable(format!("`{}` does not contain an address: {error}", postgres.url_env))
            })?;
            let sink = super::postgres::PostgresSink::new(database, postgres.table.clone());
            return Ok(Arc::new(sink.map_err(|error| unusable(error.to_string()))?));
        }
        #[cfg(feature = "nats")]
        if let Some(nats) = &config.nats {
            let token = nats.token_env.as_deref().map(secret).transpose()?;
            let random = Arc::clone(&self.environment.random);
            let sink = super::nats::NatsSink::new(nats.clone(), token, random);
            return Ok(Arc::new(sink.map_err(|error| unusable(error.to_string()))?));
        }
        Err(OpenError::Feature { name: name(), feature: config.feature() })
    }
}

/// A client for `url`, with TLS if it begins with `https://`.
#[cfg(feature = "tls")]
fn client_for(
    url: &str,
) -> std::io::Result<tower::util::Either<super::http::TlsHttp, super::http::PlainHttp>> {
    Ok(match url.starts_with("https://") {
        true => tower::util::Either::Left(super::http::TlsHttp::new()?),
        false => tower::util::Either::Right(super::http::PlainHttp::new()),
    })
}

/// A client for any URL that the configuration takes.
#[cfg(all(feature = "http", not(feature = "tls")))]
fn client_for(_url: &str) -> Result<super::http::PlainHttp, std::convert::Infallible> {
    Ok(super::http::PlainHttp::new())
}

impl fmt::Debug for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_metrics = self.metrics.is_some();
        f.debug_struct("Opening").field("has_metrics", &has_metrics).finish_non_exhaustive()
    }
}

impl SinkConfig {
    /// The feature that the sink needs, if this program is built without it.
    pub fn missing_feature(&self) -> Option<&'static str> {
        let built_in = [
            ("http", cfg!(feature = "http")),
            ("nats", cfg!(feature = "nats")),
            ("postgres", cfg!(feature = "postgres")),
        ];
        Some(self.feature()).filter(|feature| !built_in.contains(&(feature, true)))
    }

    const fn feature(&self) -> &'static str {
        match self {
            Self { postgres: Some(_), .. } => "postgres",
            Self { nats: Some(_), .. } => "nats",
            _ => "http",
        }
    }
}

#[cfg(all(test, feature = "http", feature = "nats", feature = "postgres"))]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_sink_is_opened_with_its_secrets_and_not_without() {
        let variable = |name: &str| match name {
            "URL" => Some("postgres://hooks:secret@localhost/audit".to_owned()),
            "BAD" => Some("postgres://hooks:secret@loc al:x/\n".to_owned()),
            "TOKEN" => Some("t".to_owned()),
            _ => None,
        };
        let open = |config: serde_json::Value| {
            let config: SinkConfig = serde_json::from_value(config).unwrap();
            Opening::new(Environment::detached()).open(&config, variable).err().map(|error| error.to_string())
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let _within = runtime.enter();
        for config in [
            json!({"name": "a", "otlp": {"endpoint": "http://localhost:4318", "headers_env": {"authorization": "TOKEN"}}}),
            json!({"name": "a", "webhook": {"url": "http://localhost/x", "secret_env": "TOKEN"}}),
            json!({"name": "a", "postgres": {"url_env": "URL"}}),
            json!({"name": "a", "nats": {"server": "localhost:4222", "subject": "x", "token_env": "TOKEN"}}),
        ] {
            assert_eq!(open(config.clone()), None, "{config}");
        }
        let missing = open(json!({"name": "a", "postgres": {"url_env": "NONE"}})).unwrap();
        assert_eq!(missing, "`a`: the environment variable `NONE` is not set; set it");
        let bad = open(json!({"name": "a", "postgres": {"url_env": "BAD"}})).unwrap();
        assert!(bad.contains("`BAD`") && !bad.contains("secret"), "{bad}");
    }
}
