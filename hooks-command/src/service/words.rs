//! Every client's tools in docker-agent's words, so that one handler serves all of them.

use hooks_protocols::{Canonical, Dialect};
use serde_json::{Map, Value};

/// What the handlers are told, and how to get back from there.
pub(super) struct Translated {
    /// docker-agent's name of the tool.
    pub(super) name: &'static str,
    /// The call in our names, which knows the way back to the client's.
    call: Canonical,
}

/// A call of another client in docker-agent's words; `None` where it is in those already, or has none there.
pub(super) fn translated(tool: &str, arguments: &Value) -> Option<Translated> {
    let (dialect, name) = meant(tool)?;
    Some(Translated { name, call: dialect.to_canonical(tool, arguments.clone()) })
}

/// docker-agent's name of a tool, where that is another.
pub(super) fn dockers_name(tool: &str) -> Option<&'static str> {
    meant(tool).map(|(_, name)| name)
}

fn meant(tool: &str) -> Option<(Dialect, &'static str)> {
    if Dialect::DockerAgent.canonical_name(tool).is_some() {
        return None;
    }
    let known = |dialect: &Dialect| Some((*dialect, dialect.canonical_name(tool)?));
    let (dialect, canonical) = Dialect::ALL.iter().find_map(known)?;
    Some((dialect, Dialect::DockerAgent.spelling(canonical)?))
}

impl Translated {
    /// The arguments that the handlers are told.
    pub(super) fn arguments(&self) -> Value {
        Dialect::DockerAgent
            .to_canonical(self.name, Value::Object(Map::new()))
            .back(self.call.arguments.clone())
    }

    /// What handlers made of the arguments, in the client's words.
    pub(super) fn back(&self, arguments: Map<String, Value>) -> Value {
        let canonical = Dialect::DockerAgent.to_canonical(self.name, Value::Object(arguments));
        self.call.back(canonical.arguments)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn there_and_back() {
        let told = translated("Bash", &json!({"command": "ls", "timeout": 5})).unwrap();
        assert_eq!((told.name, told.arguments()), ("shell", json!({"cmd": "ls", "timeout": 5})));
        let changed = json!({"cmd": "ls -h", "timeout": 5, "cwd": "."});
        let back = told.back(changed.as_object().cloned().unwrap());
        assert_eq!(back, json!({"command": "ls -h", "timeout": 5, "cwd": "."}));

        let told = translated("Write", &json!({"file_path": "a", "content": "x"})).unwrap();
        assert_eq!((told.name, told.arguments()), ("write_file", json!({"path": "a", "content": "x"})));
        let back = told.back(told.arguments().as_object().cloned().unwrap());
        assert_eq!(back, json!({"file_path": "a", "content": "x"}));
    }

    #[test]
    fn what_is_theirs_or_nobodys_stays() {
        for tool in ["shell", "edit_file", "mcp:github:list", "nobody_knows", ""] {
            assert!(translated(tool, &json!({})).is_none(), "{tool}");
        }
    }
}
