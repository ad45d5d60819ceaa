//! The record: an audit log, then transcripts.

use std::collections::BTreeSet;

use hooks::audit::Committed;
use hooks_protocols::Client;

use super::cli::Replay;
use super::moment::Step;
use super::question::Rules;
use super::record::{self, Json, LogSource};
use super::sessions::SessionsSource;
use crate::failure::Failure;

/// The rest of the record.
pub(super) struct Source {
    log: Option<LogSource>,
    sessions: Option<SessionsSource>,
    client: Option<Client>,
    /// Files whose last record or line is not complete.
    unfinished: BTreeSet<String>,
}

/// A part of the record.
pub(super) enum Batch {
    Records(Vec<Committed<Json>>, Option<Client>),
    Steps(Vec<Step>),
}

impl Source {
    pub(super) fn new(options: &Replay) -> Result<Self, Failure> {
        let sessions = options.transcripts.as_ref();
        Ok(Self {
            log: options.log.as_deref().map(LogSource::new).transpose()?,
            sessions: sessions
                .map(|folder| SessionsSource::new(folder, options.cwd.as_deref(), &|| false))
                .transpose()?,
            client: options.client,
            unfinished: BTreeSet::new(),
        })
    }

    /// The next part; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Batch>, Failure> {
        if let Some(log) = &mut self.log {
            let records = log.next()?;
            if !records.is_empty() {
                return Ok(Some(Batch::Records(records, self.client)));
            }
            self.unfinished.extend(log.end()?);
            self.log = None;
        }
        let Some(sessions) = &mut self.sessions else { return Ok(None) };
        let steps = sessions.next()?;
        if steps.is_empty() {
            self.unfinished.extend(sessions.unfinished().map(str::to_owned));
            return Ok(None);
        }
        Ok(Some(Batch::Steps(steps)))
    }

    /// Files whose last record or line is not complete, once all was read.
    pub(super) fn unfinished(self) -> BTreeSet<String> {
        self.unfinished
    }
}

impl Batch {
    /// The steps, with the questions of both sides.
    pub(super) fn into_steps(self, new: &Rules, old: Option<&Rules>) -> Result<Vec<Step>, Failure> {
        let mut steps: Vec<_> = match self {
            Self::Records(records, client) => {
                records.into_iter().map(|committed| record::step(committed, client)).collect()
            }
            Self::Steps(steps) => steps,
        };
        steps.iter_mut().try_for_each(|step| step.ask(new, old))?;
        Ok(steps)
    }
}
