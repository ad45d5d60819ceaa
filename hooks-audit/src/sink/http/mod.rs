//! HTTP for sinks, through any tower service of requests: [`PlainHttp`], with the feature `tls` `TlsHttp`, or one of the host.

mod client;
#[cfg(test)]
pub(super) mod recorder;

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use hooks_core::{BoxError, HookFuture};
use http::header::{HeaderName, HeaderValue};
use http::{HeaderMap, Request, Response, StatusCode};
use tower::ServiceExt;
use tower_service::Service;

#[cfg(feature = "tls")]
pub use self::client::TlsHttp;
pub use self::client::{HttpClient, PlainHttp};
use super::SinkError;

/// Sends requests. Every tower service of `http::Request<Bytes>` implements it; a clone of the service is
/// made ready for each request.
///
/// Customised: each request gets a header of the host.
///
/// ```
/// use bytes::Bytes;
/// use hooks_audit::sink::http::SendHttp;
/// use http::{HeaderValue, Request, Response};
/// use tower::{ServiceBuilder, service_fn};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_core::BoxError> {
/// let echo = service_fn(|request: Request<Bytes>| async move {
///     let mut response = Response::new(Bytes::new());
///     *response.headers_mut() = request.headers().clone();
///     Ok::<_, std::convert::Infallible>(response)
/// });
/// let client = ServiceBuilder::new()
///     .map_request(|mut request: Request<Bytes>| {
///         request.headers_mut().insert("x-region", HeaderValue::from_static("eu"));
///         request
///     })
///     .service(echo);
/// let response = client.send(Request::new(Bytes::new())).await?;
/// assert_eq!(response.headers()["x-region"], "eu");
/// # Ok(())
/// # }
/// ```
pub trait SendHttp: Send + Sync {
    /// Sends a request.
    fn send(&self, request: Request<Bytes>) -> HookFuture<'static, Result<Response<Bytes>, BoxError>>;
}

impl<S> SendHttp for S
where
    S: Service<Request<Bytes>, Response = Response<Bytes>, Error: Into<BoxError>, Future: Send>
        + Clone
        + Send
        + Sync
        + 'static,
{
    fn send(&self, request: Request<Bytes>) -> HookFuture<'static, Result<Response<Bytes>, BoxError>> {
        let service = self.clone();
        HookFuture::later(async move { service.oneshot(request).await.map_err(Into::into) })
    }
}

/// Limit on the message of a server in characters; longer ones are cut.
const LONGEST_MESSAGE: usize = 200;

/// Maps the answer of a server to a result: 400, 413 and 422 refuse the batch permanently. Any other error
/// may go away later, also one that an operator has to fix (401, 403, 404), so that a configuration mistake
/// loses no records.
pub(super) fn meaning(answer: &Response<Bytes>) -> Result<(), SinkError> {
    let status = answer.status();
    if status.is_success() {
        return Ok(());
    }
    let message = format!("the server answered `{status}`: {}", shortened(answer.body()));
    match status {
        StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE | StatusCode::UNPROCESSABLE_ENTITY => {
            Err(SinkError::Refused { message })
        }
        _ => Err(SinkError::Again { message, after: retry_after(answer.headers()) }),
    }
}

/// Error for a request without an answer, with all of its causes: "client error (Connect)" alone is not
/// helpful.
pub(super) fn unanswered(error: &(dyn std::error::Error + 'static)) -> SinkError {
    let (mut text, mut source) = (error.to_string(), error.source());
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    SinkError::again(text)
}

/// Shortens the message of a server and removes control characters.
pub(super) fn shortened(text: &[u8]) -> String {
    String::from_utf8_lossy(text).chars().filter(|c| !c.is_control()).take(LONGEST_MESSAGE).collect()
}

/// Seconds that the server asks to wait. A date is ignored, because clocks differ.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(http::header::RETRY_AFTER)?.to_str().ok()?.trim();
    let is_number = !seconds.is_empty() && seconds.bytes().all(|byte| byte.is_ascii_digit());
    // A number that overflows means the longest time, not zero.
    is_number.then(|| Duration::from_secs(seconds.parse().unwrap_or(u64::MAX)))
}

/// Builds the headers of a configuration, with values from the environment through `variable`.
///
/// # Errors
/// Returns `Name` or `Value` if a name or value is not valid for a header, `Variable` if a variable is not
/// set.
///
/// ```
/// use std::collections::BTreeMap;
/// use hooks_audit::sink::http::headers_of;
///
/// let named = BTreeMap::from([("authorization".to_owned(), "COLLECTOR_TOKEN".to_owned())]);
/// let headers = headers_of(&named, |_variable| Some("Bearer t0k3n".to_owned()))?;
/// assert_eq!(headers["authorization"], "Bearer t0k3n");
/// assert!(!format!("{headers:?}").contains("t0k3n"), "secrets are not shown");
/// let error = headers_of(&named, |_variable| None).err().map(|error| error.to_string());
/// assert_eq!(
///     error.as_deref(),
///     Some("the environment variable `COLLECTOR_TOKEN` is not set; set it, or leave the header out")
/// );
/// # Ok::<(), hooks_audit::sink::http::HeaderError>(())
/// ```
pub fn headers_of(
    named: &BTreeMap<String, String>,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<HeaderMap, HeaderError> {
    let mut headers = HeaderMap::new();
    for (name, of) in named {
        let value = variable(of).ok_or_else(|| HeaderError::Variable(of.clone()))?;
        let header = HeaderName::try_from(name).map_err(|_| HeaderError::Name(name.clone()))?;
        let mut value = HeaderValue::try_from(value).map_err(|_| HeaderError::Value(of.clone()))?;
        value.set_sensitive(true);
        headers.insert(header, value);
    }
    Ok(headers)
}

/// Reason why a header cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// The variable is not set.
    #[error("the environment variable `{0}` is not set; set it, or leave the header out")]
    Variable(String),
    /// The name is not valid.
    #[error("`{0}` is not a name of a header; use letters, digits and `-`")]
    Name(String),
    /// The value is not valid.
    #[error("the environment variable `{0}` is not a valid header value; set it to one line of text")]
    Value(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_that_is_asked_for_is_capped_and_not_ignored() {
        let requested = |value: &str| {
            retry_after(&HeaderMap::from_iter([(http::header::RETRY_AFTER, value.parse().unwrap())]))
        };
        assert_eq!(requested(" 7 "), Some(Duration::from_secs(7)));
        assert_eq!(requested("99999999999999999999"), Some(Duration::from_secs(u64::MAX)));
        for none in ["", "-1", "+1", "1.5", "Wed, 21 Oct 2026 07:28:00 GMT"] {
            assert_eq!(requested(none), None, "{none}");
        }
    }
}
