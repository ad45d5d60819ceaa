//! Configuration of the redaction: plain data, and its compiled form.

use std::collections::BTreeMap;
use std::sync::Arc;

use hooks_core::{HooksBuilder, HooksConfig, PolicyErrors};
use serde::{Deserialize, Serialize};

use crate::arguments::Options;
use crate::detector::Detector;
use crate::label::{Label, Labels, UnknownLabel};
use crate::recorder::ArgumentRecorder;
use crate::results::ResultRedaction;
use crate::scrubber::Scrubber;
use crate::treatment::Treatment;

/// Data that is scrubbed from tool results.
///
/// ```
/// use hooks_core::Hooks;
/// use hooks_redaction::{ArgumentRecorder, RedactionConfig};
/// use serde_json::json;
///
/// let hooks = Hooks::from_policy(RedactionConfig::default())?;
/// let recorder = hooks.extension::<ArgumentRecorder>().expect("the configuration adds one");
/// assert_eq!(recorder.text(&json!({"ip": "10.1.2.3"})), r#"{"ip":"[IPV4_REDACTED]"}"#);
///
/// let labels = Some(vec!["EMAIL".to_owned(), "FAX".to_owned()]);
/// let errors = Hooks::from_policy(RedactionConfig { labels, ..RedactionConfig::default() }).expect_err("no faxes");
/// assert_eq!(errors.as_slice()[0].field, "redaction.labels[1]");
/// # Ok::<(), hooks_core::PolicyErrors>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RedactionConfig {
    /// Labels of the data to find; if missing, all.
    pub labels: Option<Vec<String>>,
    /// Further patterns, each with the name of its marker.
    pub patterns: BTreeMap<String, String>,
    /// Detectors, each with the name of its marker: a pattern with words around it, a check, and examples.
    pub detectors: BTreeMap<String, Detector>,
    /// Values that stay, such as the address of a mailing list.
    pub allow: Vec<String>,
    /// Treatment of findings, by label; if missing, the marker takes their place.
    pub treatment: BTreeMap<String, Treatment>,
    /// Key of the hashes: the same value has the same hash under the same key.
    pub hash_key: Option<HashKey>,
    /// Whether texts are read and recorded as Squad does: an address ends at the last letter of its top-level
    /// domain (of `a@x.xn--p1ai`, the `--p1ai` stays), and a recorded list has index keys.
    pub dialect: TextDialect,
}

/// Key of hashes; not printed.
///
/// ```
/// let key: hooks_redaction::HashKey = serde_json::from_str("\"a key that only the host has\"")?;
/// assert_eq!(format!("{key:?}"), "HashKey(..)");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct HashKey(String);

impl std::fmt::Debug for HashKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HashKey(..)")
    }
}

/// Shortest key of hashes: a shorter one could be guessed.
const LEAST_KEY: usize = 16;

/// Way in which texts are read and recorded.
///
/// ```
/// use hooks_core::Hooks;
/// use hooks_redaction::{ArgumentRecorder, RedactionConfig, TextDialect};
/// use serde_json::json;
///
/// let hooks = Hooks::from_policy(RedactionConfig { dialect: TextDialect::Squad, ..RedactionConfig::default() })?;
/// let recorder = hooks.extension::<ArgumentRecorder>().expect("the configuration adds one");
/// assert_eq!(recorder.text(&json!(["a", "b"])), r#"{"0":"a","1":"b"}"#);
/// # Ok::<(), hooks_core::PolicyErrors>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TextDialect {
    /// An address ends where its domain does.
    #[default]
    Standard,
    /// As in Squad.
    Squad,
}

/// Compiled redaction: the scrubber of results, and the recorder of arguments.
///
/// Several configurations can be compiled before their errors are reported together:
///
/// ```
/// use hooks_core::{Hooks, PolicyErrors};
/// use hooks_redaction::{ArgumentRecorder, Redaction, RedactionConfig};
///
/// let (mut builder, mut errors) = (Hooks::builder(), PolicyErrors::default());
/// let redaction = Redaction::compile(&RedactionConfig::default(), &mut errors);
/// errors.or(())?;
/// redaction.add_to(&mut builder);
/// assert!(builder.build().extension::<ArgumentRecorder>().is_some());
/// # Ok::<(), PolicyErrors>(())
/// ```
#[derive(Clone, Debug)]
pub struct Redaction {
    scrubber: Scrubber,
    recorder: ArgumentRecorder,
}

impl Redaction {
    /// Compiles a configuration. Invalid parts are left out and reported.
    pub fn compile(config: &RedactionConfig, errors: &mut PolicyErrors) -> Self {
        let scrubber = config.scrubber(errors);
        let recorder = match config.dialect {
            TextDialect::Standard => ArgumentRecorder::new(scrubber.clone()),
            // Squad's telemetry has its own format, but recorded arguments are scrubbed with all labels all
            // the same.
            TextDialect::Squad => {
                ArgumentRecorder::with_options(Options::default().with_list_as_object(true))
            }
        };
        Self { scrubber, recorder }
    }

    /// Returns the scrubber of the configured data.
    pub const fn scrubber(&self) -> &Scrubber {
        &self.scrubber
    }

    /// Adds the scrubber of results; and the recorder and the scrubber as extensions. Add every other hook that changes a
    /// result before them.
    pub fn add_to(self, builder: &mut HooksBuilder) {
        builder.add_extension(Arc::new(self.scrubber.clone()));
        builder.add_transform(ResultRedaction::with_scrubber(self.scrubber));
        builder.add_extension(Arc::new(self.recorder));
    }
}

impl RedactionConfig {
    /// Compiles the scrubber. Unknown labels and invalid patterns are left out and reported.
    pub(crate) fn scrubber(&self, errors: &mut PolicyErrors) -> Scrubber {
        let mut scrubber = Scrubber::new(self.chosen_labels(errors));
        if self.dialect == TextDialect::Squad {
            scrubber = scrubber.with_plain_top_level();
        }
        for (name, pattern) in &self.patterns {
            match scrubber.clone().with_pattern(name, pattern) {
                Ok(more) => scrubber = more,
                Err(error) => {
                    let field = format!("redaction.patterns.{name}");
                    errors.push_text(field, &error.to_string(), "check the pattern");
                }
            }
        }
        for (name, detector) in &self.detectors {
            match scrubber.clone().with_detector(name, detector) {
                Ok(more) => scrubber = more,
                Err(error) => {
                    let field = format!("redaction.detectors.{name}");
                    errors.push_text(field, &error.to_string(), "check the pattern and its examples");
                }
            }
        }
        scrubber = self.treated(scrubber, errors);
        scrubber.with_allowed(self.allow.iter().cloned())
    }

    /// Sets the treatments.
    fn treated(&self, mut scrubber: Scrubber, errors: &mut PolicyErrors) -> Scrubber {
        for (name, treatment) in &self.treatment {
            let field = format!("redaction.treatment.{name}");
            let custom = self.patterns.contains_key(name) || self.detectors.contains_key(name);
            let label = match name.parse::<Label>() {
                Ok(label) => label,
                Err(_) if custom => Label::Custom(Arc::from(name.as_str())),
                Err(error) => {
                    errors.push_text(field, &error.to_string(), "use another");
                    continue;
                }
            };
            match treatment {
                Treatment::Hash if cfg!(not(feature = "keyed")) => {
                    let reason = "hashes need the feature `keyed` of `tower-hooks-redaction`";
                    errors.push_text(field, reason, "enable it, or use `replace` or `mask`");
                }
                Treatment::Vault => {
                    let reason = "a vault belongs to a service; a file cannot set one";
                    errors.push_text(field, reason, "use `replace`, `mask` or `hash`");
                }
                Treatment::Hash if self.hash_key.is_none() => {
                    errors.push_text(field, "a hash needs a key", "set `redaction.hash_key`");
                }
                _ => scrubber = scrubber.with_treatment(label, *treatment),
            }
        }
        match &self.hash_key {
            Some(HashKey(key)) if key.len() < LEAST_KEY => {
                let reason = "the key is shorter than 16 characters, so hashes could be reversed by trial";
                errors.push_text("redaction.hash_key", reason, "use a random text of 32 characters");
                scrubber
            }
            #[cfg(feature = "keyed")]
            Some(HashKey(key)) => scrubber.with_hash_key(key.as_bytes()),
            #[cfg(not(feature = "keyed"))]
            Some(_) => {
                let reason = "this program was built without hashes";
                errors.push_text(
                    "redaction.hash_key",
                    reason,
                    "build it with the feature `keyed` of `hooks-redaction`",
                );
                scrubber
            }
            None => scrubber,
        }
    }

    fn chosen_labels(&self, errors: &mut PolicyErrors) -> Labels {
        let Some(names) = &self.labels else { return Labels::all() };
        let mut chosen: Vec<Label> = Vec::with_capacity(names.len());
        for (index, name) in names.iter().enumerate() {
            match name.parse() {
                Ok(label) => chosen.push(label),
                Err(error) => {
                    let error: UnknownLabel = error;
                    errors.push_text(format!("redaction.labels[{index}]"), &error.to_string(), "use another");
                }
            }
        }
        chosen.into_iter().collect()
    }
}

impl HooksConfig for RedactionConfig {
    type Error = PolicyErrors;

    /// # Errors
    /// Returns all errors of the configuration; nothing is added in that case.
    fn add_to(self, builder: &mut HooksBuilder) -> Result<(), PolicyErrors> {
        let mut errors = PolicyErrors::default();
        let redaction = Redaction::compile(&self, &mut errors);
        errors.or(())?;
        redaction.add_to(builder);
        Ok(())
    }
}

#[cfg(test)]
#[cfg(feature = "keyed")]
mod tests {
    use serde_json::json;

    use super::*;

    fn compiled(config: serde_json::Value) -> (Scrubber, Vec<String>) {
        let config: RedactionConfig = serde_json::from_value(config).unwrap();
        let mut errors = PolicyErrors::default();
        let scrubber = config.scrubber(&mut errors);
        (scrubber, errors.as_slice().iter().map(|error| error.field.clone()).collect())
    }

    #[test]
    fn each_option_changes_the_answer() {
        let (scrubber, errors) = compiled(json!({
            "detectors": {"STAFF": {"pattern": "E[0-9]{5}", "context": ["employee"], "match": ["employee E12345"]}},
            "allow": ["help@example.com"],
            "treatment": {"CREDIT_CARD": "mask", "EMAIL": "hash", "STAFF": "mask"},
            "hash_key": "0123456789abcdef0123",
        }));
        assert!(errors.is_empty(), "{errors:?}");
        let scrubbed = scrubber.scrub("employee E12345, help@example.com, a@b.org, card 4111 1111 1111 1111");
        assert!(scrubbed.starts_with("employee [STAFF:5_REDACTED], help@example.com, [EMAIL:"), "{scrubbed}");
        assert!(scrubbed.ends_with("card [CREDIT_CARD:1111_REDACTED]"), "{scrubbed}");
        assert_eq!(scrubber.scrub(&scrubbed), scrubbed);
    }

    #[test]
    fn what_cannot_work_is_reported() {
        let (_, errors) = compiled(json!({
            "detectors": {"STAFF": {"pattern": "E[0-9]{5}", "match": ["employee 12345"]}},
            "treatment": {"FAX": "mask", "EMAIL": "vault", "PHONE": "hash"},
        }));
        let wanted = ["detectors.STAFF", "treatment.EMAIL", "treatment.FAX", "treatment.PHONE"];
        assert_eq!(errors, wanted.map(|field| format!("redaction.{field}")));
        let (_, errors) = compiled(json!({"hash_key": "short"}));
        assert_eq!(errors, ["redaction.hash_key"]);
    }
}
