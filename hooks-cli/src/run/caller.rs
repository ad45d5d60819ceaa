//! The calling client and its event: from the command line, and then from the payload.

use std::ffi::OsString;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hooks_protocols::{Client, Decoded, EncodedAnswer, KnownEvent, Limits, Payload, failure};

use super::Failure;
use crate::cli::Run;

/// The caller. The answer to a failure uses the client and event that are known so far.
#[derive(Debug)]
pub(super) struct Caller {
    known: Mutex<Known>,
    limit: Option<Duration>,
    /// Reason why the command line is invalid.
    refused: Option<String>,
}

/// The known facts about the caller.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) client: Option<Client>,
    /// The events, as the client calls them. If the settings name one and the payload another, both, the
    /// payload's last.
    pub(super) events: Vec<String>,
}

impl Caller {
    /// The caller with these options.
    pub(super) fn new(options: &Run) -> Self {
        let (client, refused) = match options.client.as_deref().map(str::parse) {
            Some(Ok(client)) => (Some(client), None),
            Some(Err(error)) => (None, Some(format!("`--client`: {error}"))),
            None => (None, None),
        };
        Self {
            known: Mutex::new(Known { client, events: options.event.iter().cloned().collect() }),
            limit: options.deadline,
            refused,
        }
    }

    /// The caller of a command line that cannot be parsed; `None` if it is not one of `hooks run`.
    pub(super) fn of_line(mut line: impl Iterator<Item = OsString>) -> Option<Self> {
        let (_, command) = (line.next()?, line.next()?);
        let words: Vec<String> = line.filter_map(|word| word.into_string().ok()).collect();
        let value = |name: &str| {
            let at = words.iter().position(|word| word == name)?;
            words.get(at.checked_add(1)?).cloned()
        };
        let client = value("--client").and_then(|name| name.parse().ok());
        let known = Known { client, events: value("--event").into_iter().collect() };
        (command == "run").then(|| Self { known: Mutex::new(known), limit: None, refused: None })
    }

    /// Returns the error in the command line, if there is one.
    pub(super) fn refused(&self) -> Result<(), Failure> {
        self.refused.clone().map_or(Ok(()), Err)
    }

    /// The client's timeout, if the command line names it.
    pub(super) const fn limit(&self) -> Option<Duration> {
        self.limit
    }

    /// The facts that are known now.
    pub(super) fn known(&self) -> Known {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stores the client and the events of the payload. The event of the settings stays, so that a denial has its
    /// form as well.
    fn learn(&self, client: Client, events: &[&str]) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.client = Some(client);
        for event in events {
            known.events.retain(|named| named != event);
            known.events.push((*event).to_owned());
        }
    }

    /// Decodes the payload as that of the named client and event, or else as that of the client and event it
    /// shows.
    pub(super) fn decode(&self, payload: Vec<u8>) -> Result<Decoded, Failure> {
        let read = Payload::read(&payload, Limits::default()).map_err(|error| error.to_string())?;
        // The bytes can be as long as the parsed fields, so they are dropped first.
        drop(payload);
        let Known { client, events } = self.known();
        let client = client.map(|named| if is_of_copilot(named, &read) { Client::Copilot } else { named });
        let Some(client) = client.or_else(|| read.recognised().map(|(client, _)| client)) else {
            return Err(
                "the client of this payload is unknown; name the client: `--client claude`".to_owned()
            );
        };
        match read.decode(client, events.first().map(String::as_str)) {
            Ok(decoded) => {
                self.learn(client, &[&decoded.event_name]);
                Ok(decoded)
            }
            Err(error) => {
                self.learn(client, &error.events());
                Err(error.to_string())
            }
        }
    }

    /// The answer if no hook can be called.
    pub(super) fn failure(&self, reason: &str) -> EncodedAnswer {
        let Known { client, events } = self.known();
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        match (client, events.is_empty()) {
            (Some(client), false) => failure(KnownEvent::Events(client, &events), reason),
            (Some(client), true) => failure(KnownEvent::Client(client), reason),
            (None, _) => failure(KnownEvent::Nowhere, reason),
        }
    }
}

/// Whether Copilot CLI runs this line, which the settings of another client contain. It reads the settings of
/// Claude Code in a project, and every file of hooks of VS Code, and sends payloads of its own. Only keys that the
/// client itself writes are used; a client that was started by an agent of Copilot CLI has the variable too.
fn is_of_copilot(named: Client, payload: &Payload) -> bool {
    matches!(named, Client::Claude | Client::VsCode)
        && std::env::var_os("COPILOT_PROJECT_DIR").is_some()
        && payload.recognised().is_some_and(|(client, _)| client == Client::Copilot)
}
