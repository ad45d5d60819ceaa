//! Configuration of the redaction: plain data, and its compiled form.

use std::collections::BTreeMap;
use std::sync::Arc;

use hooks_core::{HooksBuilder, HooksConfig, PolicyErrors};
use serde::{Deserialize, Serialize};

use crate::arguments::Options;
use crate::label::{Label, Labels, UnknownLabel};
use crate::recorder::ArgumentRecorder;
use crate::results::ResultRedaction;
use crate::scrubber::Scrubber;

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
    /// Whether texts are read and recorded as Squad does: an address ends at the last letter of its top-level
    /// domain (of `a@x.xn--p1ai`, the `--p1ai` stays), and a recorded list has index keys.
    pub dialect: TextDialect,
}

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

    /// Adds the scrubber of results, and the recorder as an extension. Add every other hook that changes a
    /// result before them.
    pub fn add_to(self, builder: &mut HooksBuilder) {
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
        scrubber
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
