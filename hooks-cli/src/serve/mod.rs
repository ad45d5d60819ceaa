//! `hooks serve`: a process that answers events, for programs that are not written in Rust.
//!
//! [`conversation`] is the protocol on any pair of streams; [`socket`] has one for each connection.

mod conversation;
#[cfg(unix)]
mod socket;

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use hooks::config::LiveConfig;

use self::conversation::{Ended, converse};
use crate::audit::feed;
use crate::cli::{Serve, ToolNames};
use crate::eval::report;
use crate::failure::{Failure, Status};
use crate::load;

/// Answers events until the input ends, or a request or a signal ends it.
pub(crate) fn run(options: &Serve) -> Result<Status, Failure> {
    let path = load::named_or_found(options.config.path.as_deref())?;
    let rules = load::live(&path, options.config.profile, ToolNames::default(), true)?;
    let server = Arc::new(Server::new(rules, std::path::absolute(path)?));
    let watching = match options.no_reload {
        true => None,
        false => Some(server.rules.watch(|new| report("serve", &new))?),
    };
    let feeding = Arc::clone(&server);
    feed::beside(move || feeding.rules.current())?;
    #[cfg(unix)]
    let ended = match &options.socket {
        Some(socket) => socket::listen(&server, socket),
        None => on_standard_streams(&server),
    };
    #[cfg(not(unix))]
    let ended = on_standard_streams(&server);
    drop(watching);
    ended
}

/// The rules, and whether they still answer.
struct Server {
    rules: LiveConfig,
    path: PathBuf,
    /// Whether the rules are closed. Each answer holds it, so that the end waits for the answers in work.
    is_closed: RwLock<bool>,
}

impl Server {
    fn new(rules: LiveConfig, path: PathBuf) -> Self {
        Self { rules, path, is_closed: RwLock::new(false) }
    }

    /// Keeps the rules open while an answer is in work; `None` once they are closed.
    fn open(&self) -> Option<RwLockReadGuard<'_, bool>> {
        let is_closed = self.is_closed.read().unwrap_or_else(PoisonError::into_inner);
        (!*is_closed).then_some(is_closed)
    }

    /// Waits for the answers in work, then for state and record.
    fn close(&self) -> Result<(), Failure> {
        let mut is_closed = self.is_closed.write().unwrap_or_else(PoisonError::into_inner);
        *is_closed = true;
        let Err(error) = crate::eval::runtime()?.block_on(self.rules.close()) else { return Ok(()) };
        // The log has what a sink did not get, so nothing is lost.
        let (sinks, others): (Vec<_>, Vec<_>) = error.failed().partition(|(name, _)| *name == "sinks");
        for (_, why) in sinks {
            drop(writeln!(anstream::stderr(), "{why}"));
        }
        if others.is_empty() { Ok(()) } else { Err(Failure::message(error.to_string())) }
    }
}

fn on_standard_streams(server: &Server) -> Result<Status, Failure> {
    let (mut input, mut out) = (io::stdin().lock(), io::stdout().lock());
    let ended = converse(server, &mut input, &mut out);
    // Whatever became of the pipe: what was answered is kept.
    let closed = server.close();
    let Ended { is_well } = ended?;
    closed?;
    writeln!(out, "{}", conversation::end())?;
    out.flush()?;
    Ok(if is_well { Status::Well } else { Status::Found })
}
