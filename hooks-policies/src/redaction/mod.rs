//! Finds personal data and secrets in text and JSON and replaces them with markers.
//!
//! The engine is pure: no event, no clock, no I/O. The labels are a fixed list ([`Label`]). Each is found by
//! its *documented form* (prefix, checksum, grammar, real top-level domain) and, if the form is not specific
//! enough, by the words around it. Entropy alone never decides, because tool output is full of digests and
//! identifiers.
//!
//! ```
//! use hooks_policies::redaction::Scrubber;
//!
//! let scrubber = Scrubber::all();
//! assert_eq!(scrubber.scrub("mail jane@example.com"), "mail [EMAIL_REDACTED]");
//! ```
//!
//! | file | idea |
//! | --- | --- |
//! | `label` | what can be found, and sets of it |
//! | `span` | where it was found; overlaps settled |
//! | `scrubber`, `json` | the engine on text, and on a JSON value |
//! | `marker` | what stands in its place, and how it is known again |
//! | `email`, `tld` | e-mail addresses |
//! | `digits`, `card`, `ssn`, `iban`, `phone`, `network` | what is made of digits |
//! | `triggers` | one pass over the text for every literal that may begin a secret |
//! | `vendors`, `forms` | tokens with a documented prefix, and how one is read |
//! | `pem`, `url`, `headers`, `assignments` | keys, passwords in addresses, credentials in headers and assignments |
//! | `names`, `value` | does this name promise a secret, is this value one |
//! | `arguments` | tool arguments for telemetry |
//!
//! Cost: one pass for `@` and its encodings, one for literals, one for digits and colons. Every check around
//! a hit is bounded or cached, so the time is linear on any input.

mod arguments;
mod assignments;
mod card;
mod digits;
mod email;
mod error;
mod forms;
mod headers;
mod iban;
mod json;
mod label;
mod marker;
mod names;
mod network;
mod pem;
mod phone;
mod scrubber;
mod span;
mod ssn;
mod text;
mod tld;
mod triggers;
mod url;
mod value;
mod vendors;

#[cfg(test)]
mod tests;

pub use arguments::{Options, redact_arguments};
pub use error::ScrubberError;
pub use label::{Label, Labels, UnknownLabel};
pub use marker::Marker;
pub use scrubber::Scrubber;
pub use span::Span;
