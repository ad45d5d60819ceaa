//! Events as JSON: one object with the name of the event, its context and its own fields.

use std::fmt;

use serde::{Deserialize as _, Deserializer, Serialize, Serializer, ser::SerializeMap};
use serde_json::Value;

use super::*;
use crate::context::HookContext;

macro_rules! wire {
    (
        deciding { $( #[doc = $ddoc:literal] $failure:ident $dname:ident: $DType:ident => $DOutcome:ty, rewrites $DRewrite:ident, $dalias:literal methods $prepare:ident $judge:ident $reserve:ident $observe:ident; )* }
        informing { $( #[doc = $idoc:literal] $iname:ident: $IType:ident => $IOutcome:ty, $ialias:literal; )* }
    ) => {
        /// Any event, in its JSON form:
        /// `{"event": "pre_tool_use", "at": {"session_id": "s1", …}, "tool_name": "bash", …}`.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum WireEvent {
            $( #[doc = $ddoc] $DType($DType), )*
            $( #[doc = $idoc] $IType($IType), )*
        }

        impl WireEvent {
            /// Returns the kind of the event.
            pub fn kind(&self) -> EventKind {
                match self {
                    $( Self::$DType(_) => EventKind::$DType, )*
                    $( Self::$IType(_) => EventKind::$IType, )*
                }
            }

            /// Reads the fields of an event.
            ///
            /// # Errors
            /// Returns [`WireError::Fields`], which names the field, if one is missing, unknown or of the
            /// wrong type.
            pub fn from_fields(kind: EventKind, fields: Value) -> Result<Self, WireError> {
                let read = match kind {
                    $( EventKind::$DType => serde_json::from_value(fields).map(Self::$DType), )*
                    $( EventKind::$IType => serde_json::from_value(fields).map(Self::$IType), )*
                };
                read.map_err(|source| WireError::Fields { kind, source })
            }

            /// Reads the fields of an event from any format.
            ///
            /// # Errors
            /// Returns the error of the format if a field is missing, unknown or of the wrong type.
            pub fn deserialize_fields<'de, D: Deserializer<'de>>(
                kind: EventKind,
                fields: D,
            ) -> Result<Self, D::Error> {
                match kind {
                    $( EventKind::$DType => $DType::deserialize(fields).map(Self::$DType), )*
                    $( EventKind::$IType => $IType::deserialize(fields).map(Self::$IType), )*
                }
            }
        }

        impl Serialize for WireEvent {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let fields = match self {
                    $( Self::$DType(event) => serde_json::to_value(event), )*
                    $( Self::$IType(event) => serde_json::to_value(event), )*
                };
                let fields = fields.map_err(serde::ser::Error::custom)?;
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("event", self.kind().name())?;
                for (name, value) in fields.as_object().into_iter().flatten() {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }

        $( impl From<$DType> for WireEvent { fn from(event: $DType) -> Self { Self::$DType(event) } } )*
        $( impl From<$IType> for WireEvent { fn from(event: $IType) -> Self { Self::$IType(event) } } )*
    };
}
for_each_event!(wire);

/// The reason why a JSON value is not an event.
#[derive(Debug)]
#[non_exhaustive]
pub enum WireError {
    /// The value is not an object.
    NotAnObject,
    /// The name of the event is missing.
    NoName,
    /// No event has this name.
    UnknownEvent(String),
    /// The context is invalid.
    Context(serde_json::Error),
    /// The fields of the event are invalid.
    Fields {
        /// Kind of the event.
        kind: EventKind,
        /// Name of the field, and what is wrong with it.
        source: serde_json::Error,
    },
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnObject => f.write_str(
                r#"an event is a JSON object such as `{"event": "pre_tool_use", "tool_name": …}`"#,
            ),
            Self::NoName => f.write_str("`event` is missing: name one of the events, such as `pre_tool_use`"),
            Self::UnknownEvent(name) => write!(f, "`{name}` is not an event; there are {}", names()),
            Self::Context(source) => write!(f, "`at`, the context of the event, cannot be read: {source}"),
            Self::Fields { kind, source } => write!(f, "the fields of `{kind}` cannot be read: {source}"),
        }
    }
}

impl std::error::Error for WireError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Context(source) | Self::Fields { source, .. } => Some(source),
            Self::NotAnObject | Self::NoName | Self::UnknownEvent(_) => None,
        }
    }
}

fn names() -> String {
    EventKind::ALL.iter().map(|kind| format!("`{kind}`")).collect::<Vec<_>>().join(", ")
}

impl WireEvent {
    /// Reads an event with its context. The context is the value of `at`, which may be missing.
    ///
    /// # Errors
    /// Returns `NotAnObject`, `NoName` or `UnknownEvent` if the event cannot be identified; `Context` or
    /// `Fields` if a field is missing, unknown or of the wrong type. Unknown fields are errors, because
    /// guards would not see an argument with a misspelt name.
    ///
    /// ```
    /// use hooks_core::WireEvent;
    /// use serde_json::json;
    ///
    /// let (context, event) = WireEvent::read(json!({
    ///     "event": "pre_tool_use", "at": {"session_id": "s1"}, "tool_name": "bash", "tool_args": {"command": "ls"}
    /// }))?;
    /// assert_eq!((context.session_id.as_str(), event.kind().name()), ("s1", "pre_tool_use"));
    ///
    /// let misspelt = json!({"event": "pre_tool_use", "tool_name": "bash", "tool_argz": {}});
    /// let error = WireEvent::read(misspelt).expect_err("an unknown field").to_string();
    /// assert!(error.contains("unknown field `tool_argz`"));
    /// # Ok::<(), hooks_core::event::WireError>(())
    /// ```
    pub fn read(value: Value) -> Result<(HookContext, Self), WireError> {
        let Value::Object(mut fields) = value else { return Err(WireError::NotAnObject) };
        let kind = match fields.shift_remove("event") {
            Some(Value::String(name)) => EventKind::from_name(&name).ok_or(WireError::UnknownEvent(name))?,
            _ => return Err(WireError::NoName),
        };
        let context = match fields.shift_remove("at") {
            Some(context) => serde_json::from_value(context).map_err(WireError::Context)?,
            None => HookContext::default(),
        };
        Ok((context, Self::from_fields(kind, Value::Object(fields))?))
    }
}
