//! agentmesh: one denied action per folder, the path being part of the action's name.

use agentmesh::policy::PolicyEngine;
use agentmesh::types::PolicyDecision;

use crate::{Engine, Error};

/// One denied action per folder.
pub fn engine(rules: usize) -> Result<Engine, Error> {
    let mut yaml = "version: \"1.0\"\nagent: agent\npolicies:\n".to_owned();
    for place in 0..rules {
        yaml.push_str(&format!(
            "  - name: rule-{place}\n    type: capability\n    denied_actions: [\"edit:packages/package-{place}/*\"]\n"
        ));
    }
    let engine = PolicyEngine::new();
    engine.load_from_yaml(&yaml)?;
    Ok(Box::new(move |path| engine.evaluate(&format!("edit:{path}"), None) == PolicyDecision::Allow))
}
