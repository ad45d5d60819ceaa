//! A server behind a URL.

use std::env;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use hooks_mcp::HttpServer;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::rules::say;
use super::server::Signals;
use crate::cli::Mcp;
use crate::failure::Failure;

/// Time to end the session.
const LAST: Duration = Duration::from_secs(1);

/// The server that the options name by its URL; `None` without one.
pub(super) fn named(options: &Mcp, longest: usize) -> Result<Option<HttpServer>, Failure> {
    let Some(url) = &options.url else {
        if options.header.is_empty() && options.bearer_env.is_none() {
            return Ok(None);
        }
        return Err(Failure::message("`--header` and `--bearer-env` are for a server that `--url` names"));
    };
    let failed = |error: hooks_mcp::HttpServerError| Failure::message(error.to_string());
    let mut server = HttpServer::new(url).map_err(failed)?;
    for header in &options.header {
        let Some((name, value)) = header.split_once(':') else {
            return Err(Failure::message("`--header` has no colon; write it as `Name: value`"));
        };
        server = server.with_header(name.trim(), value.trim()).map_err(failed)?;
    }
    if let Some(variable) = &options.bearer_env {
        let token = env::var(variable).ok().filter(|token| !token.trim().is_empty()).ok_or_else(|| {
            Failure::message(format!("the variable `{variable}` of `--bearer-env` has no token; set it"))
        })?;
        server = server.with_header("Authorization", &format!("Bearer {}", token.trim())).map_err(failed)?;
    }
    server.longest = longest;
    server.report = Some(Arc::new(say));
    Ok(Some(server))
}

/// Forwards messages until the server or the client ends, or a signal comes; returns the exit status.
pub(super) async fn until_end(
    proxying: impl Future<Output = io::Result<()>>,
    client_gone: impl Future<Output = ()>,
    mut session: JoinHandle<()>,
) -> Result<u8, Failure> {
    let mut signals = Signals::new()?;
    let status = {
        tokio::select! {
            proxied = proxying => proxied.map(|()| 0)?,
            () = client_gone => 0,
            signal = signals.next() => u8::try_from(signal.as_raw()).unwrap_or_default().saturating_add(128),
        }
    };
    // The streams are closed. A server that does not answer forgets the session later.
    drop(timeout(LAST, &mut session).await);
    Ok(status)
}
