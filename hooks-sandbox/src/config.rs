//! The section `sandbox` of `hooks.yaml`.

use serde::{Deserialize, Serialize};

/// Permissions of commands in the sandbox beyond those that the guards give.
///
/// ```
/// use hooks_sandbox::{EgressConfig, SandboxConfig, Unavailable};
///
/// let config: SandboxConfig = serde_json::from_str(r#"{"write": ["/srv/out"], "egress": "all"}"#)?;
/// assert_eq!((config.egress, config.unavailable), (EgressConfig::All, Unavailable::Deny));
/// assert!(serde_json::from_str::<SandboxConfig>(r#"{"writes": []}"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SandboxConfig {
    /// Globs of files that commands may read although a rule denies it to tools.
    ///
    /// ```
    /// # use hooks_sandbox::SandboxConfig;
    /// // Tests of this project read their own settings.
    /// let config: SandboxConfig = serde_json::from_str(r#"{"read": ["tests/**/.env"]}"#)?;
    /// assert_eq!(config.read, ["tests/**/.env"]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub read: Vec<String>,
    /// Files and folders that commands may write besides the workspace: absolute, relative to the root, or below the home
    /// (`~/x`). They may have no wildcard.
    ///
    /// ```
    /// # use hooks_sandbox::SandboxConfig;
    /// let config: SandboxConfig = serde_json::from_str(r#"{"write": ["~/.cache/site", "/srv/out"]}"#)?;
    /// assert_eq!(config.write.len(), 2);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub write: Vec<String>,
    /// Destinations that commands may connect to: `none`, `all`, `packages`, or a list of hosts: `example.org`, `*.example.org`,
    /// `example.org:8443`, `10.1.0.0/16`.
    #[cfg_attr(feature = "schema", schemars(with = "EgressForm"))]
    pub egress: EgressConfig,
    /// Treatment of a command where the sandbox cannot hold what the rules promise.
    pub unavailable: Unavailable,
    /// Place where the shell calls of agent clients run.
    pub calls: ShellCalls,
}

/// Place where the shell calls of agent clients run.
///
/// ```
/// use hooks_sandbox::{SandboxConfig, ShellCalls};
///
/// assert_eq!(SandboxConfig::default().calls, ShellCalls::Judged);
/// let config: SandboxConfig = serde_json::from_str(r#"{"calls": "wrapped"}"#)?;
/// assert_eq!(config.calls, ShellCalls::Wrapped);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ShellCalls {
    /// Outside of the sandbox, as the client runs them: the guards judge them, and nothing else holds them.
    #[default]
    Judged,
    /// Under `hooks exec`: in the sandbox, without standard input, with redacted output.
    Wrapped,
}

/// Destinations that commands may connect to.
///
/// ```
/// use hooks_sandbox::EgressConfig;
///
/// assert_eq!(EgressConfig::default(), EgressConfig::None);
/// assert_eq!(serde_json::from_str::<EgressConfig>(r#""all""#)?, EgressConfig::All);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EgressConfig {
    /// Nowhere: programs in the sandbox reach each other over loopback, and nothing else.
    #[default]
    None,
    /// Everywhere.
    All,
    /// The hosts that package managers use, by their settings in folders that commands may not write. None where the kernel refuses a
    /// network of its own, because the port of the proxy is open on every host then.
    ///
    /// ```
    /// # use hooks_sandbox::EgressConfig;
    /// assert_eq!(serde_json::from_str::<EgressConfig>(r#""packages""#)?, EgressConfig::Packages);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    Packages,
    /// These hosts, by a proxy that the command has to use. Programs in the sandbox reach each other over loopback.
    ///
    /// ```
    /// use hooks_sandbox::EgressConfig;
    ///
    /// // Port 80 and 443, another port, and a network that is not public.
    /// let hosts: EgressConfig = serde_json::from_str(r#"["*.example.org", "example.org:8443", "10.1.0.0/16"]"#)?;
    /// assert!(matches!(hosts, EgressConfig::Hosts(hosts) if hosts.len() == 3));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[serde(untagged)]
    Hosts(Vec<String>),
}

/// Form of [`EgressConfig`] in the schema: a word or a list.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum EgressForm {
    Word(EgressWord),
    Hosts(Vec<String>),
}

#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
enum EgressWord {
    /// Nowhere: programs in the sandbox reach each other over loopback, and nothing else.
    None,
    /// Everywhere.
    All,
    /// The hosts that package managers use, by their settings in folders that commands may not write. None where the kernel refuses a
    /// network of its own, because the port of the proxy is open on every host then.
    Packages,
}

/// Treatment of a command where the sandbox cannot hold what the rules promise.
///
/// ```
/// use hooks_sandbox::{SandboxConfig, Unavailable};
///
/// let config: SandboxConfig = serde_json::from_str(r#"{"unavailable": "guards-only"}"#)?;
/// assert_eq!(config.unavailable, Unavailable::GuardsOnly);
/// assert_eq!(Unavailable::default(), Unavailable::Deny);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Unavailable {
    /// The command does not run.
    #[default]
    Deny,
    /// A person is asked. Where none can be asked, it does not run.
    Ask,
    /// The command runs with the promises that are held; the others are printed.
    GuardsOnly,
}
