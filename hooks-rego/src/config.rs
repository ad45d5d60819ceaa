//! Settings: plain data.

/// Settings of a [`RegoPolicy`](crate::RegoPolicy).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegoConfig {
    /// Name of the module's file in errors.
    pub name: String,
    /// Text of the module.
    pub text: String,
    /// Package whose rules count, without `data`.
    pub package: String,
}

impl RegoConfig {
    /// A module whose package is `hooks`.
    ///
    /// ```
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::{HookContext, HookRequest, Policy, Strength};
    /// use hooks_facts::calls::CallReader;
    /// use hooks_rego::{RegoConfig, RegoPolicy};
    /// use serde_json::json;
    ///
    /// let mut config = RegoConfig::new("tools.rego", "package team.agents\nask if input.tool_name == \"web_search\"");
    /// config.package = "team.agents".to_owned();
    /// let policy = RegoPolicy::new(&config, &CallReader::default())?;
    /// let call = PreToolUse::new("web_search", json!({"query": "rego"}));
    /// let request = HookRequest::new(HookContext::new("session-1", "backend"), call);
    /// assert_eq!(policy.judge(&request).strength(), Strength::Ask);
    /// # Ok::<(), hooks_rego::RegoError>(())
    /// ```
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into(), package: "hooks".to_owned() }
    }
}
