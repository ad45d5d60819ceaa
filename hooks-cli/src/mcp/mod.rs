//! `hooks mcp`: a proxy between an MCP client and an MCP server that it starts.
//!
//! | part | module |
//! | --- | --- |
//! | the rules, as settings of the proxy | [`rules`] |
//! | the server: its processes, signals, status | [`server`] |
//! | standard input and output without threads | [`streams`] |
//! | the proxy itself | `hooks-mcp` |

#[cfg(unix)]
mod rules;
#[cfg(unix)]
mod server;
#[cfg(unix)]
mod streams;

use std::io::Write;
use std::process::ExitCode;

use crate::cli::Mcp;
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
        match options.guard_for {
            Some(parent) => server::guard(options, parent).await,
            None => govern(options).await,
        }
    });
    // Does not wait for a thread that reads standard input.
    runtime.shutdown_background();
    status.map(ExitCode::from)
}

#[cfg(unix)]
async fn govern(options: &Mcp) -> Result<u8, Failure> {
    use hooks_mcp::{Bounds, Side, proxy};

    let rules = rules::load(options)?;
    let mut bounds = Bounds::default();
    bounds.longest = usize::from(options.longest) << 20;
    let (mut server, reader, writer) = server::start(options)?;
    let (input, output) = streams::standard()?;
    let layer = rules.layer();
    let client = Side { reader: input, writer: output };
    let proxying = Box::pin(proxy(layer, bounds, client, Side { reader, writer }));
    let client_gone = async {
        streams::hung_up().await;
        tokio::time::sleep(bounds.linger).await;
    };
    let status = server.until_end(proxying, client_gone).await;
    rules.close().await;
    status
}
