//! Settings: plain data.

/// Settings of a [`CedarPolicy`](crate::CedarPolicy).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CedarConfig {
    /// Files with policies. Together they are one set.
    pub files: Vec<CedarFile>,
    /// Schema that the policies are validated against, instead of the one of [`schema`](crate::schema).
    pub schema: Option<CedarFile>,
    /// Answer if no policy matches.
    pub default: DefaultAnswer,
}

/// A file and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CedarFile {
    /// Name in errors.
    pub name: String,
    /// The text.
    pub text: String,
}

/// Answer if no policy matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DefaultAnswer {
    /// The call is denied, as in Cedar: policies list what is permitted.
    #[default]
    Deny,
    /// No opinion: policies list what is forbidden.
    NoOpinion,
}

impl CedarConfig {
    /// Policies of one file, validated against the schema of [`schema`](crate::schema); a call that none of them permits is
    /// denied.
    ///
    /// ```
    /// use hooks_cedar::{CedarConfig, CedarPolicy, DefaultAnswer};
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::{HookContext, HookRequest, Policy, Strength};
    /// use hooks_facts::calls::CallReader;
    /// use serde_json::json;
    ///
    /// // A list of what is forbidden, not of what is permitted.
    /// let text = "forbid (principal, action == Action::\"web_search\", resource);";
    /// let mut config = CedarConfig::new("tools.cedar", text);
    /// config.default = DefaultAnswer::NoOpinion;
    /// let policy = CedarPolicy::new(&config, &CallReader::default())?;
    /// let judge = |tool: &str| {
    ///     let call = PreToolUse::new(tool, json!({"query": "cedar"}));
    ///     policy.judge(&HookRequest::new(HookContext::new("session-1", "backend"), call)).strength()
    /// };
    /// assert_eq!((judge("web_search"), judge("view")), (Strength::Deny, Strength::NoOpinion));
    /// # Ok::<(), hooks_cedar::CedarErrors>(())
    /// ```
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { files: vec![CedarFile::new(name, text)], schema: None, default: DefaultAnswer::default() }
    }
}

impl CedarFile {
    /// A file with this name and text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }
}
