//! Settings of the cache: cached tools, and limits on stored results.

use std::collections::HashMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Settings of the cache, which are the section `cache` of `hooks.yaml`: cached tools, and limits on stored
/// results. If no tool is listed, nothing is cached.
///
/// ```
/// use hooks_cache::{CacheConfig, Check, Depends};
/// use serde_json::{from_value, json};
///
/// let config: CacheConfig = from_value(json!({
///     "tools": [{"tool": "read_file", "depends": "files", "check": "content"}],
///     "most_results": 100,
/// }))?;
/// assert_eq!((config.tools[0].depends, config.tools[0].check), (Depends::Files, Check::Content));
/// assert_eq!(config.longest_result, 1 << 20, "the default");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct CacheConfig {
    /// Tools whose results are reused.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<CacheTool>,
    /// Tools that change nothing although `hooks` does not know it; their calls remove no results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub harmless: Vec<String>,
    /// Limit on stored results, of all sessions together.
    pub most_results: usize,
    /// Limit on the bytes of all stored results together.
    pub most_bytes: u64,
    /// Limit on the length of a stored result, in bytes.
    pub longest_result: u64,
    /// Tenants whose results are reused; if empty, all tenants.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tenants: Vec<String>,
}

/// One tool whose results are reused.
///
/// ```
/// use std::time::Duration;
/// use hooks_cache::{CacheTool, Check, Depends};
/// use serde_json::{json, to_value};
///
/// let tool = CacheTool::new("web_search", Depends::Outside).lasting(Duration::from_secs(600));
/// assert_eq!(
///     to_value(&tool)?,
///     json!({"tool": "web_search", "depends": "outside", "check": "stamp", "for": "10m"})
/// );
/// assert_eq!(tool.checked_by(Check::Content).check, Check::Content);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CacheTool {
    /// Name of the tool, as the model calls it. The tool must not change anything.
    pub tool: String,
    /// Dependences of its results beside the arguments.
    pub depends: Depends,
    /// Method to check that a file is unchanged.
    #[serde(default)]
    pub check: Check,
    /// Time for which a result is reused at most. If absent, until the session ends; required for `outside`.
    #[serde(
        default,
        rename = "for",
        with = "hooks_core::duration::option",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub lasts: Option<Duration>,
}

/// Dependences of results.
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

/// Method to check that a file is unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Check {
    /// By inode, length and time of change; a file that was changed in the last two seconds, by content too.
    #[default]
    Stamp,
    /// By content as well, which is read each time.
    Content,
}

/// Reason why a configuration is inconsistent.
///
/// ```
/// use hooks_cache::{CacheConfig, CacheConfigError, CacheTool, Depends, ResultCache};
///
/// let of = |tool: &str, depends| ResultCache::new(CacheConfig::new().with_tool(CacheTool::new(tool, depends)));
/// // A tool that writes cannot be reused, and a result from outside needs a time limit.
/// assert_eq!(of("bash", Depends::Tree).err(), Some(CacheConfigError::Writes("bash".to_owned())));
/// let error = of("web_search", Depends::Outside).err();
/// assert_eq!(error, Some(CacheConfigError::ForEver("web_search".to_owned())));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CacheConfigError {
    /// A tool is listed twice.
    #[error("`{0}` is listed twice; list once what its results depend on")]
    Twice(String),
    /// A listed tool is known to change files or run commands.
    #[error("`{0}` changes files or runs commands, and what it did cannot be reused; leave it out")]
    Writes(String),
    /// A tool listed as harmless is known to change files or run commands.
    #[error(
        "`{0}` changes files or runs commands, and what it does empties the cache; leave it out of `harmless`"
    )]
    Harmful(String),
    /// A pattern is given instead of a name.
    #[error("`{0}` is not a name of a tool, and patterns are not read here; list the tools")]
    Pattern(String),
    /// A result of `outside` has no time limit.
    #[error(
        "`{0}` depends on what is outside, and would be believed for as long as its session lasts; write `for`, such as `10m`"
    )]
    ForEver(String),
    /// A limit is 0.
    #[error("`{0}` is 0, and nothing would be kept; leave it out, or leave out the section")]
    Zero(&'static str),
}

impl CacheConfigError {
    /// Path of the invalid field below the section.
    ///
    /// ```
    /// use hooks_cache::{CacheConfig, CacheTool, Depends, ResultCache};
    ///
    /// let config = CacheConfig::new()
    ///     .with_tool(CacheTool::new("read_file", Depends::Files))
    ///     .with_tool(CacheTool::new("bash", Depends::Tree));
    /// let error = ResultCache::new(config.clone()).err().ok_or("bash writes")?;
    /// assert_eq!(error.field(&config), "tools[1]");
    /// # Ok::<(), &str>(())
    /// ```
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
    /// Limits for one conversation of a few hundred reads, in less memory than a browser tab.
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
    /// Settings without cached tools.
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
    ///
    /// A call of a tool that `hooks` does not know may change anything, unless it is listed here.
    ///
    /// ```
    /// use hooks_cache::{CacheConfig, CacheConfigError, ResultCache};
    ///
    /// assert!(ResultCache::new(CacheConfig::new().with_harmless("get_weather")).is_ok());
    /// // A tool that is known to change files cannot be listed.
    /// let error = ResultCache::new(CacheConfig::new().with_harmless("bash")).err();
    /// assert_eq!(error, Some(CacheConfigError::Harmful("bash".to_owned())));
    /// ```
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

    /// Sets the limits on stored results: their number, and their bytes together.
    ///
    /// ```
    /// use hooks_cache::{CacheConfig, ResultCache};
    ///
    /// assert!(ResultCache::new(CacheConfig::new().within(100, 1 << 20)).is_ok());
    /// let error = ResultCache::new(CacheConfig::new().within(0, 1 << 20)).err().map(|error| error.to_string());
    /// assert!(error.is_some_and(|error| error.starts_with("`most_results` is 0")));
    /// ```
    #[must_use]
    pub const fn within(mut self, most_results: usize, most_bytes: u64) -> Self {
        (self.most_results, self.most_bytes) = (most_results, most_bytes);
        self
    }

    /// Returns the tools by name.
    ///
    /// # Errors
    /// Returns an error if the settings are inconsistent.
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
    /// Creates a tool called `tool` whose results depend on `depends`.
    pub fn new(tool: impl Into<String>, depends: Depends) -> Self {
        Self { tool: tool.into(), depends, check: Check::default(), lasts: None }
    }

    /// Sets the method to check that a file is unchanged.
    ///
    /// ```
    /// use hooks_cache::{CacheTool, Check, Depends};
    ///
    /// let tool = CacheTool::new("view", Depends::Files).checked_by(Check::Content);
    /// assert_eq!(tool.check, Check::Content);
    /// ```
    #[must_use]
    pub const fn checked_by(mut self, check: Check) -> Self {
        self.check = check;
        self
    }

    /// Sets the time for which results are reused at most.
    #[must_use]
    pub const fn lasting(mut self, lasts: Duration) -> Self {
        self.lasts = Some(lasts);
        self
    }
}
