//! regorus: one rule over a list of folders.

use std::cell::RefCell;

use regorus::{Engine as Rego, Value};

use crate::{Engine, Error};

const POLICY: &str = r#"
package hooks

default allow := true

allow := false if {
    input.tool == "edit"
    some folder in data.folders
    startswith(input.path, folder)
}
"#;

/// One folder per rule.
pub fn engine(rules: usize) -> Result<Engine, Error> {
    let mut engine = Rego::new();
    engine.add_policy("hooks.rego".to_owned(), POLICY.to_owned())?;
    let folders: Vec<_> = (0..rules).map(|place| format!("packages/package-{place}/")).collect();
    engine.add_data(Value::from_json_str(&serde_json::json!({ "folders": folders }).to_string())?)?;
    let engine = RefCell::new(engine);
    Ok(Box::new(move |path| {
        let mut engine = engine.borrow_mut();
        let Ok(input) =
            Value::from_json_str(&serde_json::json!({ "tool": "edit", "path": path }).to_string())
        else {
            return false;
        };
        engine.set_input(input);
        engine.eval_rule("data.hooks.allow".to_owned()).is_ok_and(|allowed| allowed == Value::from(true))
    }))
}
