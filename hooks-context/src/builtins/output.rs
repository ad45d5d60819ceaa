//! Output of a builtin: the object that a command hook prints.

use serde::Serialize;
use serde_json::{Map, Value};

/// Output of a builtin. It is empty if the builtin has nothing to add.
///
/// ```
/// use hooks_context::builtins::Output;
///
/// assert_eq!(serde_json::to_string(&Output::default())?, "{}"); // nothing to add
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Output {
    /// `block` if the event is to be stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<&'static str>,
    /// Reason of the decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Message for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_message: Option<String>,
    /// Fields that depend on the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook_specific_output: Option<Box<Specific>>,
}

/// The part of an output that depends on the event.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Specific {
    /// Name of the event.
    pub hook_event_name: String,
    /// Text for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additional_context: Option<String>,
    /// Texts for the model that have a key, so that the host sends only those that changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instruction_context: Vec<InstructionContext>,
    /// Verdict about a tool call: `allow` or `ask`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_decision: Option<&'static str>,
    /// Reason of the verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_decision_reason: Option<String>,
    /// Texts for the user who is asked, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Changed arguments, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<Map<String, Value>>,
    /// All messages, if one of them changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_messages: Option<Vec<Value>>,
    /// The new result of the tool, which may be empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_tool_response: Option<String>,
}

/// A text for the model with a key of its own.
///
/// A file of instructions, with the text that the model reads after the file is removed:
///
/// ```
/// use std::path::Path;
/// use std::sync::Arc;
/// use hooks_context::builtins::{Call, World, run};
/// # use hooks_core::programs::{Finished, Program, Programs};
/// use hooks_core::testing::{FakeClock, FakeDisk};
/// use serde_json::json;
///
/// # struct NoPrograms;
/// # impl Programs for NoPrograms {
/// #     fn run(&self, _program: &Program) -> std::io::Result<Finished> {
/// #         Err(std::io::ErrorKind::NotFound.into())
/// #     }
/// # }
/// let disk = Arc::new(FakeDisk::default().with_file("/repo/AGENTS.md", "Be kind.\n"));
/// let world = World::new(Arc::new(FakeClock::default()), disk, Arc::new(NoPrograms), "/var/lib/hooks");
/// let (args, input) = (["AGENTS.md".to_owned()], json!({"hook_event_name": "turn_start"}));
/// let cwd = Some(Path::new("/repo/src/api"));
/// let output = run(&Call { name: "add_prompt_files", args: &args, cwd, input: &input }, &world)?;
/// let file = &output.hook_specific_output.expect("a file was found").instruction_context[0];
/// assert_eq!(file.content, "Instructions from: /repo/AGENTS.md\nBe kind.\n");
/// assert_eq!(file.removed_content, "The previously loaded instructions from /repo/AGENTS.md no longer apply.");
/// # Ok::<(), hooks_context::builtins::BuiltinError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InstructionContext {
    /// Key of the text.
    pub key: String,
    /// Group of texts that are replaced together.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub group: &'static str,
    /// Short description of the text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// Text to send if the model does not have it yet.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub content: String,
    /// Text to send if the model has another version of it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub changed_content: String,
    /// Text to send if the text was removed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub removed_content: String,
    /// Whether the text was removed.
    #[serde(skip_serializing_if = "is_false")]
    pub removed: bool,
    /// Whether the state of the text is unknown.
    #[serde(skip_serializing_if = "is_false")]
    pub unavailable: bool,
    /// Whether texts of the group that are not listed now were removed.
    #[serde(skip_serializing_if = "is_false")]
    pub complete_group: bool,
    /// Whether this entry only describes its group and has no text of its own.
    #[serde(skip_serializing_if = "is_false")]
    pub set_marker: bool,
}

impl Output {
    /// An output with text for the model; empty if the text is empty.
    pub(super) fn context(event: &str, text: String) -> Self {
        if text.is_empty() {
            return Self::default();
        }
        Self::specific(event, |specific| specific.additional_context = Some(text))
    }

    /// An output with texts for the model that have keys.
    pub(super) fn instructions(event: &str, texts: Vec<InstructionContext>) -> Self {
        Self::specific(event, |specific| specific.instruction_context = texts)
    }

    /// An output for `event` with the fields that `write` sets.
    pub(super) fn specific(event: &str, write: impl FnOnce(&mut Specific)) -> Self {
        let mut specific = Specific { hook_event_name: event.to_owned(), ..Specific::default() };
        write(&mut specific);
        Self { hook_specific_output: Some(Box::new(specific)), ..Self::default() }
    }

    /// Adds a message for the user.
    pub(super) fn telling(mut self, message: String) -> Self {
        self.system_message = Some(message);
        self
    }
}

/// Serde passes the field by reference.
fn is_false(flag: &bool) -> bool {
    !flag
}
