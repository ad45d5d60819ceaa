//! Who calls, and about which event: what the command line says, and then what the payload says.

use std::ffi::OsString;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hooks_protocols::{Client, DecodeError, Decoded, Limits, Place, Reply, decode, decode_unnamed, failure};

use super::Failure;
use crate::cli::Run;

/// Who calls. The answer to a failure is in the words of whoever is known so far.
#[derive(Debug)]
pub(super) struct Caller {
    known: Mutex<Known>,
    limit: Option<Duration>,
    /// Why what the command line says cannot be meant.
    refused: Option<String>,
}

/// What is known of the caller.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) client: Option<Client>,
    /// In the client's words.
    pub(super) event: Option<String>,
}

impl Caller {
    /// Who calls with these options.
    pub(super) fn new(asked: &Run) -> Self {
        let (client, refused) = match asked.client.as_deref().map(str::parse) {
            Some(Ok(client)) => (Some(client), None),
            Some(Err(error)) => (None, Some(format!("`--client`: {error}"))),
            None => (None, None),
        };
        Self {
            known: Mutex::new(Known { client, event: asked.event.clone() }),
            limit: asked.deadline,
            refused,
        }
    }

    /// Who calls on a command line that cannot be read as a whole; `None` where it is not one of `hooks run`.
    pub(super) fn of_line(mut line: impl Iterator<Item = OsString>) -> Option<Self> {
        let (_, command) = (line.next()?, line.next()?);
        let words: Vec<String> = line.filter_map(|word| word.into_string().ok()).collect();
        let value = |name: &str| {
            let at = words.iter().position(|word| word == name)?;
            words.get(at.checked_add(1)?).cloned()
        };
        let known =
            Known { client: value("--client").and_then(|name| name.parse().ok()), event: value("--event") };
        (command == "run").then(|| Self { known: Mutex::new(known), limit: None, refused: None })
    }

    /// Whether the command line can be meant.
    pub(super) fn refused(&self) -> Result<(), Failure> {
        self.refused.clone().map_or(Ok(()), Err)
    }

    /// How long the client waits, where the command line says so.
    pub(super) const fn limit(&self) -> Option<Duration> {
        self.limit
    }

    /// What is known by now.
    pub(super) fn known(&self) -> Known {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The payload was read.
    pub(super) fn learn(&self, decoded: &Decoded) {
        self.learn_of(Some(decoded.client), &decoded.event_name);
    }

    fn learn_of(&self, client: Option<Client>, event: &str) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.client = client.or(known.client);
        known.event = Some(event.to_owned());
    }

    /// Reads the payload: of the client and event that were named, of whichever it is where none was.
    pub(super) fn decode(&self, payload: &[u8]) -> Result<Decoded, Failure> {
        let Known { client, event } = self.known();
        let decoded = match client {
            Some(client) => decode(client, event.as_deref(), payload).map(Some),
            None => decode_unnamed(payload, Limits::default()),
        };
        match decoded {
            Ok(Some(decoded)) if is_called(event.as_deref(), &decoded) => Ok(decoded),
            Ok(Some(decoded)) => {
                let error = DecodeError::OtherEvent {
                    called: event.unwrap_or_default(),
                    payload: decoded.event_name.clone(),
                };
                self.learn(&decoded);
                Err(error.to_string())
            }
            Ok(None) => {
                Err("whose payload this is cannot be told; name the client: `--client claude`".to_owned())
            }
            Err(error) => {
                // Which event the client asks about it says itself; that is the one to deny.
                if let DecodeError::OtherEvent { payload: event, .. } | DecodeError::Fields { event, .. } =
                    &error
                {
                    self.learn_of(None, event);
                }
                Err(error.to_string())
            }
        }
    }

    /// What to answer where no hook can be asked.
    pub(super) fn failure(&self, reason: &str) -> Reply {
        let Known { client, event } = self.known();
        match (client, event.as_deref()) {
            (Some(client), Some(event)) => failure(Place::Event(client, event), reason),
            (Some(client), None) => failure(Place::Client(client), reason),
            (None, _) => failure(Place::Nowhere, reason),
        }
    }
}

/// Whether the payload is of the event that was named.
fn is_called(event: Option<&str>, decoded: &Decoded) -> bool {
    event.is_none_or(|event| event.eq_ignore_ascii_case(&decoded.event_name))
}
