//! One pattern of calls, or a list of them.

use std::fmt;

use hooks_core::PolicyErrors;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::call::Call;
use super::call_pattern::{CallPattern, CallPatternConfig};
use super::reader::CallReader;

/// Calls that match a pattern, or any pattern of a list.
///
/// ```
/// use hooks_facts::calls::CallPatternsConfig;
/// use serde_json::json;
///
/// let one: CallPatternsConfig = serde_json::from_value(json!({"tools": ["edit"]}))?;
/// assert_eq!(one.as_slice().len(), 1);
/// let any: CallPatternsConfig = serde_json::from_value(json!([{"tools": ["fetch"]}, {"commands": ["curl"]}]))?;
/// assert_eq!(any.as_slice()[1].commands, ["curl"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum CallPatternsConfig {
    /// One pattern.
    One(CallPatternConfig),
    /// A call matches if one of the patterns does.
    Any(Vec<CallPatternConfig>),
}

/// Compiled [`CallPatternsConfig`].
#[derive(Clone, Debug)]
pub struct CallPatterns(Vec<CallPattern>);

impl CallPatternsConfig {
    /// Returns the patterns.
    pub fn as_slice(&self) -> &[CallPatternConfig] {
        match self {
            Self::One(pattern) => std::slice::from_ref(pattern),
            Self::Any(patterns) => patterns,
        }
    }

    /// Returns each pattern with its field, below `field`.
    pub fn fields<'c>(&'c self, field: &str) -> impl Iterator<Item = (String, &'c CallPatternConfig)> {
        let is_one = matches!(self, Self::One(_));
        self.as_slice().iter().enumerate().map(move |(at, pattern)| match is_one {
            true => (field.to_owned(), pattern),
            false => (format!("{field}[{at}]"), pattern),
        })
    }
}

impl CallPatterns {
    /// Compiles patterns; each part that cannot be used is reported below `field`.
    pub fn compile(
        config: &CallPatternsConfig,
        field: &str,
        reader: &CallReader,
        errors: &mut PolicyErrors,
    ) -> Self {
        let compiled = config
            .fields(field)
            .map(|(field, pattern)| CallPattern::compile(pattern, &field, reader, errors));
        Self(compiled.collect())
    }

    /// Returns whether a call may match, apart from its result.
    pub fn may_match(&self, call: Call<'_>) -> bool {
        self.0.iter().any(|pattern| pattern.may_match(call))
    }

    /// Returns whether a call may match a pattern that needs no result.
    pub fn may_match_before_it_runs(&self, call: Call<'_>) -> bool {
        self.0.iter().any(|pattern| pattern.is_unconditional() && pattern.may_match(call))
    }

    /// Returns whether a call that failed, or did not, may match.
    pub fn may_match_result(&self, call: Call<'_>, failed: bool) -> bool {
        self.0.iter().any(|pattern| pattern.fits_result(failed) && pattern.may_match(call))
    }

    /// Returns whether a call surely matches, apart from its result.
    pub fn surely_match(&self, call: Call<'_>) -> bool {
        self.0.iter().any(|pattern| pattern.surely_matches(call))
    }

    /// Returns whether a call that failed, or did not, surely matches.
    pub fn surely_match_result(&self, call: Call<'_>, failed: bool) -> bool {
        self.0.iter().any(|pattern| pattern.fits_result(failed) && pattern.surely_matches(call))
    }
}

impl Default for CallPatternsConfig {
    /// No pattern, which matches no call.
    fn default() -> Self {
        Self::Any(Vec::new())
    }
}

impl<'de> Deserialize<'de> for CallPatternsConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrAny;

        // The form decides, so that an error names the wrong key.
        impl<'de> Visitor<'de> for OneOrAny {
            type Value = CallPatternsConfig;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a pattern of calls, or a list of them")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                Deserialize::deserialize(MapAccessDeserializer::new(map)).map(CallPatternsConfig::One)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
                Deserialize::deserialize(SeqAccessDeserializer::new(seq)).map(CallPatternsConfig::Any)
            }
        }

        deserializer.deserialize_any(OneOrAny)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for CallPatternsConfig {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CallPatternsConfig".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let any = generator.subschema_for::<Vec<CallPatternConfig>>();
        let one = generator.subschema_for::<CallPatternConfig>();
        schemars::json_schema!({
            "description": "Calls that match a pattern, or any pattern of a list.",
            "anyOf": [any, one],
        })
    }
}
