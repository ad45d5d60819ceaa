//! `add_context`: text from the configuration, with values of the event filled in.

use super::{BuiltinError, Call, Output, World};

/// Renders each argument as a template over the event, and drops blank results.
pub(super) fn add_context(call: &Call<'_>, world: &World) -> Result<Output, BuiltinError> {
    if call.args.is_empty() {
        return Ok(Output::default());
    }
    let missing = BuiltinError::Missing { name: "add_context", what: "something that fills templates" };
    let templates = world.templates.as_ref().ok_or(missing)?;
    let mut texts = Vec::with_capacity(call.args.len());
    for (at, template) in call.args.iter().enumerate() {
        let text = templates.render(template, call.input);
        let text = text.map_err(|reason| BuiltinError::Template { number: at + 1, reason })?;
        if !text.trim().is_empty() {
            texts.push(text);
        }
    }
    Ok(Output::context(call.event(), texts.join("\n")))
}
