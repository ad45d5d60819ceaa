//! Which tools are cached, and how much is kept.

use std::collections::HashMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Which tools are cached, and how much is kept: the section `cache` of `hooks.yaml`. Without tools, nothing is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct CacheConfig {
    /// The tools whose results are reused.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<CacheTool>,
    /// Tools that are not known to change nothing, and change nothing: they empty nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub harmless: Vec<String>,
    /// The most results that are kept, of all sessions together.
    pub most_results: usize,
    /// The most bytes that they take together.
    pub most_bytes: u64,
    /// Longer results are not kept, in bytes.
    pub longest_result: u64,
    /// Whose results are reused; everybody's, where nobody is named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tenants: Vec<String>,
}

/// One tool whose results are reused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CacheTool {
    /// Its name, as it is called. It has to be a tool that changes nothing.
    pub tool: String,
    /// What its results depend on beside its arguments.
    pub depends: Depends,
    /// How a file is told to be what it was.
    #[serde(default)]
    pub check: Check,
    /// How long a result is reused at most. As long as the session, where absent; results from outside need one.
    #[serde(
        default,
        rename = "for",
        with = "hooks_core::duration::option",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub lasts: Option<Duration>,
}

/// What results depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Depends {
    /// The files that the arguments name.
    Files,
    /// Anything below the agent's folder.
    Tree,
    /// Nothing on this machine.
    Outside,
}

/// How a file is told to be what it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Check {
    /// By its inode, its length, and when it was changed; one that was changed just now, by its content too.
    #[default]
    Stamp,
    /// By its content as well, which is read each time.
    Content,
}

/// Why a configuration makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CacheConfigError {
    /// A tool stands in the list twice.
    #[error("`{0}` is listed twice; say once what its results depend on")]
    Twice(String),
    /// A tool is known to change files.
    #[error("`{0}` changes files or runs commands, and what it did cannot be reused; leave it out")]
    Writes(String),
    /// A tool that is said to be harmless is known to change files.
    #[error(
        "`{0}` changes files or runs commands, and what it does empties the cache; leave it out of `harmless`"
    )]
    Harmful(String),
    /// What stands for a name is a pattern.
    #[error("`{0}` is no name of a tool, and patterns are not read here; list the tools")]
    Pattern(String),
    /// A result from outside would be believed for ever.
    #[error(
        "`{0}` depends on what is outside, and would be believed for as long as its session lasts; write `for`, such as `10m`"
    )]
    ForEver(String),
    /// A bound is nothing.
    #[error("`{0}` is 0, and nothing would be kept; leave it out, or leave out the section")]
    Zero(&'static str),
}

impl CacheConfigError {
    /// Where it stands below the section, as a path.
    pub fn field(&self, config: &CacheConfig) -> String {
        match self {
            Self::Zero(field) => (*field).to_owned(),
            Self::Twice(tool)
            | Self::Writes(tool)
            | Self::ForEver(tool)
            | Self::Harmful(tool)
            | Self::Pattern(tool) => {
                let listed = config.tools.iter().rposition(|listed| listed.tool == *tool);
                let listed = listed.filter(|_| !matches!(self, Self::Harmful(_)));
                let harmless = config.harmless.iter().position(|listed| listed == tool);
                match (listed, harmless) {
                    (Some(at), _) => format!("tools[{at}]"),
                    (None, Some(at)) => format!("harmless[{at}]"),
                    (None, None) => "tools".to_owned(),
                }
            }
        }
    }
}

impl Default for CacheConfig {
    /// Ours: results of one conversation that is a few hundred reads long, in less memory than a browser tab.
    fn default() -> Self {
        Self {
            tools: Vec::new(),
            harmless: Vec::new(),
            most_results: 1_024,
            most_bytes: 32 << 20,
            longest_result: 1 << 20,
            tenants: Vec::new(),
        }
    }
}

impl CacheConfig {
    /// Nothing is cached yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool whose results depend on `depends`.
    #[must_use]
    pub fn with_tool(mut self, tool: CacheTool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Adds a tool that changes nothing.
    #[must_use]
    pub fn with_harmless(mut self, tool: impl Into<String>) -> Self {
        self.harmless.push(tool.into());
        self
    }

    /// Reuses results of these tenants only.
    #[must_use]
    pub fn of_tenants(mut self, tenants: impl IntoIterator<Item = String>) -> Self {
        self.tenants.extend(tenants);
        self
    }

    /// Keeps so many results of so many bytes together.
    #[must_use]
    pub const fn within(mut self, most_results: usize, most_bytes: u64) -> Self {
        (self.most_results, self.most_bytes) = (most_results, most_bytes);
        self
    }

    /// The tools by name.
    ///
    /// # Errors
    /// What makes no sense.
    pub(super) fn by_name(&self) -> Result<HashMap<String, CacheTool>, CacheConfigError> {
        let table = hooks_facts::tools::ToolTable::default();
        let mut by_name = HashMap::with_capacity(self.tools.len());
        let names = self.tools.iter().map(|tool| &tool.tool).chain(&self.harmless);
        if let Some(pattern) = names.into_iter().find(|name| name.contains('*')) {
            return Err(CacheConfigError::Pattern(pattern.clone()));
        }
        for tool in &self.harmless {
            let kind = table.kind(tool);
            if kind.writes_files() || kind.runs_commands() {
                return Err(CacheConfigError::Harmful(tool.clone()));
            }
        }
        for tool in &self.tools {
            let kind = table.kind(&tool.tool);
            if kind.writes_files() && kind != hooks_facts::tools::ToolKind::ViewOrEdit || kind.runs_commands()
            {
                return Err(CacheConfigError::Writes(tool.tool.clone()));
            }
            if tool.depends == Depends::Outside && tool.lasts.is_none() {
                return Err(CacheConfigError::ForEver(tool.tool.clone()));
            }
            if by_name.insert(tool.tool.clone(), tool.clone()).is_some() {
                return Err(CacheConfigError::Twice(tool.tool.clone()));
            }
        }
        let bounds = [
            ("most_results", self.most_results as u64),
            ("most_bytes", self.most_bytes),
            ("longest_result", self.longest_result),
        ];
        match bounds.into_iter().find(|(_, bound)| *bound == 0) {
            Some((field, _)) => Err(CacheConfigError::Zero(field)),
            None => Ok(by_name),
        }
    }
}

impl CacheTool {
    /// Results of `tool` depend on `depends`.
    pub fn new(tool: impl Into<String>, depends: Depends) -> Self {
        Self { tool: tool.into(), depends, check: Check::default(), lasts: None }
    }

    /// Files are told by `check`.
    #[must_use]
    pub const fn checked_by(mut self, check: Check) -> Self {
        self.check = check;
        self
    }

    /// Results are reused for so long at most.
    #[must_use]
    pub const fn lasting(mut self, lasts: Duration) -> Self {
        self.lasts = Some(lasts);
        self
    }
}
