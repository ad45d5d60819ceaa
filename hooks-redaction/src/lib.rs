//! Finds personal data and secrets in text and JSON and replaces them with markers.
//!
//! [`Scrubber`] is the engine. It is pure: no event, no clock, no I/O. [`ResultRedaction`] applies it to tool
//! results, and [`ArgumentRecorder`] to arguments before they are recorded; [`RedactionConfig`] builds both
//! from plain data. The labels are a fixed list ([`Label`]). Each is found by
//! its *documented form* (prefix, checksum, grammar, real top-level domain) and, if the form is not specific
//! enough, by the words around it. Entropy alone never decides, because tool output is full of digests and
//! identifiers.
//!
//! ```
//! use hooks_redaction::Scrubber;
//!
//! let scrubber = Scrubber::all();
//! assert_eq!(scrubber.scrub("mail jane@example.com"), "mail [EMAIL_REDACTED]");
//! ```
//!
//! Customised: without phone numbers, with a pattern of the host, and with other markers.
//!
//! ```
//! use hooks_redaction::{Label, Labels, Marker, Scrubber};
//!
//! let scrubber = Scrubber::new(Labels::all().without(&Label::Phone))
//!     .with_pattern("TICKET", "ACME-[0-9]+")?
//!     .with_marker(Marker::new("<", ">")?);
//! assert_eq!(
//!     scrubber.scrub("jane@example.com on ACME-12: call +1 303-555-0110"),
//!     "<EMAIL> on <TICKET>: call +1 303-555-0110",
//! );
//! # Ok::<(), hooks_redaction::ScrubberError>(())
//! ```
//!
//! | file | idea |
//! | --- | --- |
//! | `label` | the labels of findings, and sets of labels |
//! | `span` | positions of findings; merging of overlaps |
//! | `scrubber`, `json` | scrubbing of text, and of JSON values |
//! | `detector` | detectors of a user, with examples that are tried |
//! | `stream`, `pieces` | text that comes in chunks, and where a long text may be cut |
//! | `treatment`, `vault`, `report` | what takes the place of a finding, and what is said about it |
//! | `marker` | replacements, and how they are recognised |
//! | `email`, `tld` | e-mail addresses |
//! | `digits`, `card`, `ssn`, `iban`, `phone`, `network` | data that consists of digits |
//! | `classes`, `anchors`, `literals`, `scan` | one pass over the text for every position that may start a finding |
//! | `vendors`, `body`, `forms`, `wrap` | tokens with a documented prefix, and their parser, also over line ends |
//! | `view`, `escapes`, `encoded` | text that is hidden by invisible characters, terminal codes, escapes or base64 |
//! | `margins`, `cells`, `below`, `split` | what stands in front of lines, rows and values that go on below, and what stays of them |
//! | `pem`, `url`, `headers`, `assignments` | keys, passwords in addresses, credentials in headers and assignments |
//! | `separators`, `quotation`, `accounts` | what stands between a name and its value, where a value ends, passwords beside their users |
//! | `names`, `value`, `placeholder`, `code` | judge whether a name suggests a secret, and whether a value is one |
//! | `arguments`, `recorder` | tool arguments for telemetry |
//! | `results` | tool results, before a model or a log gets them |
//! | `config` | the same as plain data |
//!
//! Cost: one pass over classes of bytes, 64 positions at a time. Every check around an anchor is bounded or cached, so
//! the time is linear on any input.

mod accounts;
mod anchors;
mod arguments;
mod assignments;
mod below;
mod body;
mod calls;
mod card;
mod cells;
mod classes;
mod code;
mod commands;
mod config;
mod detector;
mod digits;
mod elements;
mod email;
mod encoded;
mod error;
mod escapes;
mod forms;
mod headers;
mod iban;
mod joint;
mod json;
mod label;
mod lines;
mod literals;
mod margins;
mod marker;
mod names;
mod network;
mod pem;
mod phone;
mod pieces;
mod placeholder;
mod prose;
mod quotation;
pub mod recorder;
mod report;
pub mod results;
mod scan;
mod scrubber;
mod separators;
mod span;
mod split;
mod ssn;
pub mod stream;
mod tables;
mod text;
mod tld;
mod treatment;
mod url;
mod value;
#[cfg(feature = "keyed")]
mod vault;
mod vendors;
mod view;
mod wrap;

#[cfg(test)]
mod tests;

pub use self::arguments::{Options, redact_arguments};
pub use self::config::{HashKey, Redaction, RedactionConfig, TextDialect};
pub use self::detector::{Check, Detector};
pub use self::error::ScrubberError;
pub use self::label::{Label, Labels, UnknownLabel};
pub use self::marker::Marker;
pub use self::recorder::{ArgumentRecorder, RecordedCalls};
pub use self::report::{Report, Scrubbed};
pub use self::results::{ResultRedaction, ResultRedactionLayer};
pub use self::scrubber::Scrubber;
pub use self::span::Span;
pub use self::stream::{ScrubBytes, ScrubReader, ScrubStream};
pub use self::treatment::{Treatment, Vault};
#[cfg(feature = "keyed")]
pub use self::vault::MemoryVault;
