//! `hooks mcp`: a proxy between an MCP client and an MCP server that it starts.
//!
//! | part | module |
//! | --- | --- |
//! | the rules, as settings of the proxy | [`rules`] |
//! | the server: its processes, signals, status | [`server`] |
//! | a server behind a URL | [`remote`] |
//! | `hooks mcp serve`: tools of our own | [`serve`] |
//! | standard input and output without threads | [`streams`] |
//! | the proxy itself | `hooks-mcp` |

#[cfg(unix)]
mod remote;
#[cfg(unix)]
mod rules;
#[cfg(unix)]
mod serve;
#[cfg(unix)]
mod server;
#[cfg(unix)]
mod streams;

use std::io::Write;
use std::process::ExitCode;

use crate::cli::Mcp;
#[cfg(unix)]
use crate::cli::McpTask;
use crate::failure::Failure;

/// Runs the proxy until the server or the client ends.
pub(crate) fn run(options: &Mcp) -> ExitCode {
    done(options).unwrap_or_else(|failure| {
        // If standard error is closed, the exit status still shows the failure.
        drop(writeln!(anstream::stderr(), "{failure}"));
        failure.status().into()
    })
}

#[cfg(not(unix))]
fn done(_options: &Mcp) -> Result<ExitCode, Failure> {
    Err(Failure::message("`hooks mcp` does not run on this system, so the server was not started"))
}

#[cfg(unix)]
fn done(options: &Mcp) -> Result<ExitCode, Failure> {
    let runtime = crate::eval::runtime()?;
    let status = runtime.block_on(async {
        match (&options.task, options.guard_for) {
            (Some(McpTask::Serve(options)), _) => serve::run(options).await,
            (None, Some(parent)) => server::guard(options, parent).await,
            (None, None) => govern(options).await,
        }
    });
    // Does not wait for a thread that reads standard input.
    runtime.shutdown_background();
    status.map(ExitCode::from)
}

#[cfg(unix)]
async fn govern(options: &Mcp) -> Result<u8, Failure> {
    use std::sync::Arc;

    use hooks_mcp::{Bounds, HttpServer, Side, proxy};

    let mut bounds = Bounds::default();
    bounds.longest = usize::from(options.longest) << 20;
    // The URL names the server if nothing else does.
    let remote = remote::named(options, bounds.longest)?;
    let name = rules::name(options, remote.as_ref().map(HttpServer::host));
    let mut rules = rules::load(options.config.as_deref(), &name)?;
    rules.pin(options)?;
    let layer = rules.layer();
    let client_gone = streams::gone_for(bounds.linger);
    let status = if let Some(remote) = remote {
        let (input, output) = streams::standard()?;
        let (server, session) = remote.connect(Arc::new(hooks::TokioTimer));
        let proxying = Box::pin(proxy(layer, bounds, Side { reader: input, writer: output }, server));
        remote::until_end(proxying, client_gone, session).await
    } else {
        let (mut server, reader, writer) = server::start(options)?;
        let (input, output) = streams::standard()?;
        let client = Side { reader: input, writer: output };
        let proxying = Box::pin(proxy(layer, bounds, client, Side { reader, writer }));
        server.until_end(proxying, client_gone).await
    };
    rules.close().await;
    status
}
