//! Definitions of the tools for a model.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Team;
use crate::folder::TeamPath;

use super::{DecideArgs, MemoryArgs, RouteArgs, SkillArgs, StatusArgs, ToolError};

/// The arguments of a tool.
pub trait Tool: DeserializeOwned + JsonSchema + Send + 'static {
    /// Name of the tool.
    const NAME: &'static str;
    /// Purpose of the tool, for the model.
    const DESCRIPTION: &'static str;
    /// Whether the tool never changes anything, with any arguments.
    const READ_ONLY: bool = false;

    /// Parses the arguments that a model gave.
    ///
    /// # Errors
    /// Returns `Arguments` if an argument is missing, unknown, or has another type.
    fn parse(args: Value) -> Result<Self, ToolError> {
        serde_json::from_value(args)
            .map_err(|error| ToolError::Arguments { tool: Self::NAME, reason: error.to_string() })
    }

    /// Returns the file that a call with these arguments writes; `None` if it writes none, or will fail.
    fn writes(&self, _team: &Team) -> Option<TeamPath> {
        None
    }

    /// Returns the definition that a host gives to its model.
    fn definition() -> ToolDefinition {
        let schema = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
        let mut schema = Value::from(schema.into_generator().into_root_schema_for::<Self>());
        if let Some(schema) = schema.as_object_mut() {
            for of_no_use in ["$schema", "title", "description"] {
                schema.remove(of_no_use);
            }
        }
        ToolDefinition {
            name: Self::NAME,
            description: Self::DESCRIPTION,
            read_only: Self::READ_ONLY,
            input_schema: schema,
        }
    }
}

/// Definition of a tool for a model.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct ToolDefinition {
    /// Name of the tool.
    pub name: &'static str,
    /// Purpose of the tool.
    pub description: &'static str,
    /// Whether the tool never changes anything.
    pub read_only: bool,
    /// JSON schema of the arguments.
    pub input_schema: Value,
}

/// Returns the definitions of all tools, in a fixed order.
///
/// ```
/// let names: Vec<_> = hooks_team::tools::definitions().into_iter().map(|tool| tool.name).collect();
/// assert!(names.iter().any(|name| *name == "squad_decide"));
/// assert_eq!(names.len(), 5);
/// ```
pub fn definitions() -> Vec<ToolDefinition> {
    vec![
        DecideArgs::definition(),
        MemoryArgs::definition(),
        SkillArgs::definition(),
        StatusArgs::definition(),
        RouteArgs::definition(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_say_what_is_asked_for() {
        let definitions = definitions();
        let names: Vec<_> = definitions.iter().map(|definition| definition.name).collect();
        assert_eq!(names, ["squad_decide", "squad_memory", "squad_skill", "squad_status", "squad_route"]);
        for definition in &definitions {
            let schema = &definition.input_schema;
            assert_eq!(
                (&schema["type"], &schema["additionalProperties"]),
                (&"object".into(), &false.into()),
                "{schema:#}"
            );
            let properties = schema["properties"].as_object().unwrap();
            assert!(properties.values().all(|property| property["description"].is_string()), "{schema:#}");
            assert!(!schema.to_string().contains("$ref"), "{schema:#}");
        }
        assert_eq!(definitions[0].input_schema["required"], serde_json::json!(["author", "summary", "body"]));
        assert_eq!(definitions[4].input_schema["required"], serde_json::json!(["targetAgent", "task"]));
    }
}
