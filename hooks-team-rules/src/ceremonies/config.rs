//! Configuration of ceremonies, as plain data.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Tools that are closed while a ceremony is held.
///
/// ```
/// use std::time::Duration;
/// use hooks_team_rules::ceremonies::{CeremoniesConfig, Closed};
/// use serde_json::json;
///
/// let config: CeremoniesConfig = serde_json::from_value(json!({
///     "gates": {"Retrospective": {"closes": ["spawns"], "time": "30m"}},
/// }))?;
/// assert_eq!(config.closes, [Closed::Writes, Closed::WritingCommands].into());
/// assert_eq!(config.gates["Retrospective"].time, Some(Duration::from_secs(1_800)));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CeremoniesConfig {
    /// Folder of the team, relative to the folder of the session. It has the state of ceremonies.
    pub team: PathBuf,
    /// Tools that every ceremony closes, unless its gate has a list of its own.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Closed>"))]
    pub closes: BTreeSet<Closed>,
    /// Time of a ceremony whose time budget is `focused`.
    #[serde(with = "hooks_core::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub focused: Duration,
    /// Time of a ceremony whose time budget is `extended`, or is not known.
    #[serde(with = "hooks_core::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub extended: Duration,
    /// Gates by the name of the ceremony.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub gates: BTreeMap<String, GateConfig>,
}

/// Gate of one ceremony: the tools that it closes, and its time.
///
/// ```
/// use std::time::Duration;
/// use hooks_team_rules::ceremonies::{Closed, GateConfig};
/// use serde_json::json;
///
/// let gate: GateConfig = serde_json::from_value(json!({"closes": ["commands"], "participants": ["lead"], "time": "20m"}))?;
/// assert_eq!(gate.time, Some(Duration::from_secs(1_200)));
/// assert!(gate.closes.is_some_and(|closes| closes.contains(&Closed::Commands)));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct GateConfig {
    /// Tools that the ceremony closes; if missing, those that every ceremony closes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<Closed>>"))]
    pub closes: Option<BTreeSet<Closed>>,
    /// Names of further tools that it closes, without regard to case, `*` for any text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Agents that take part; if empty, those in `ceremonies.md`, or else all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub participants: Vec<String>,
    /// Time of the ceremony; if missing, by its time budget in `ceremonies.md`.
    #[serde(with = "hooks_core::duration::option", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub time: Option<Duration>,
    /// Names of tools whose successful call starts the ceremony, without regard to case, `*` for any text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub started_by: Vec<String>,
    /// Names of tools whose successful call ends the ceremony, if the caller does not take part in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ended_by: Vec<String>,
}

/// Tools that a ceremony closes for its participants.
///
/// ```
/// use hooks_team_rules::ceremonies::Closed;
///
/// let closed: Vec<Closed> = serde_json::from_str(r#"["writes", "writing_commands"]"#)?;
/// assert_eq!(closed, [Closed::Writes, Closed::WritingCommands]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Closed {
    /// Tools that create, change or remove files.
    Writes,
    /// Commands that write files, or whose effect is not known.
    WritingCommands,
    /// All commands.
    Commands,
    /// Tools that start agents, and the start of agents.
    Spawns,
    /// Routing of tasks to agents.
    Routes,
}

impl Closed {
    /// Describes the tools for a reason.
    ///
    /// ```
    /// use hooks_team_rules::ceremonies::Closed;
    ///
    /// assert_eq!(Closed::Spawns.words(), "starts of agents");
    /// ```
    pub const fn words(self) -> &'static str {
        match self {
            Self::Writes => "tools that write files",
            Self::WritingCommands => "commands that write",
            Self::Commands => "commands",
            Self::Spawns => "starts of agents",
            Self::Routes => "routing of tasks",
        }
    }
}

impl Default for CeremoniesConfig {
    fn default() -> Self {
        Self {
            team: ".squad".into(),
            closes: [Closed::Writes, Closed::WritingCommands].into(),
            focused: Duration::from_secs(15 * 60),
            extended: Duration::from_secs(45 * 60),
            gates: BTreeMap::new(),
        }
    }
}

impl CeremoniesConfig {
    /// Returns the gate of a ceremony, in any spelling of its name.
    ///
    /// ```
    /// use hooks_team_rules::ceremonies::CeremoniesConfig;
    /// use serde_json::json;
    ///
    /// let config: CeremoniesConfig =
    ///     serde_json::from_value(json!({"gates": {"Design Review": {"participants": ["lead"]}}}))?;
    /// assert_eq!(config.gate("design review").map(|gate| gate.participants.len()), Some(1));
    /// assert!(config.gate("Retrospective").is_none());
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn gate(&self, ceremony: &str) -> Option<&GateConfig> {
        self.gates.iter().find(|(name, _)| crate::agents::is_same(name, ceremony)).map(|(_, gate)| gate)
    }

    /// Returns the gate of a ceremony, in any spelling of its name, to change it; a missing gate is added.
    ///
    /// ```
    /// use hooks_team_rules::ceremonies::CeremoniesConfig;
    ///
    /// let mut config = CeremoniesConfig::default();
    /// config.gate_mut("Design Review").tools.push("deploy*".to_owned());
    /// config.gate_mut("design review").participants.push("lead".to_owned());
    /// assert_eq!(config.gates.len(), 1);
    /// ```
    pub fn gate_mut(&mut self, ceremony: &str) -> &mut GateConfig {
        let known = self.gates.keys().find(|name| crate::agents::is_same(name, ceremony)).cloned();
        self.gates.entry(known.unwrap_or_else(|| ceremony.trim().to_owned())).or_default()
    }

    /// Returns the time of a ceremony with this time budget, as `ceremonies.md` writes it: `focused`, `extended`, `20 min`,
    /// `1h`. Another text counts as `extended`, so that no gate opens too early.
    ///
    /// ```
    /// use std::time::Duration;
    /// use hooks_team_rules::ceremonies::CeremoniesConfig;
    ///
    /// let config = CeremoniesConfig::default();
    /// let minutes = |budget: &str| config.time_of("Design Review", budget).as_secs() / 60;
    /// assert_eq!((minutes("focused"), minutes("Extended"), minutes("")), (15, 45, 45));
    /// assert_eq!((minutes("20 minutes"), minutes("1h30m"), minutes("focused (10 min)")), (20, 90, 10));
    /// ```
    pub fn time_of(&self, ceremony: &str, budget: &str) -> Duration {
        if let Some(time) = self.gate(ceremony).and_then(|gate| gate.time) {
            return time;
        }
        let words: Vec<String> = budget
            .split(|c: char| c.is_whitespace() || "()[]~≤<,;*".contains(c))
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        let whole = words.iter().find_map(|word| hooks_core::duration::parse(word).ok());
        let apart = || words.windows(2).find_map(|pair| amount(pair.first()?, pair.get(1)?));
        let joined = || {
            words.iter().find_map(|word| {
                let end = word.find(|c: char| !c.is_ascii_digit())?;
                let (number, unit) = word.split_at_checked(end)?;
                amount(number, unit.trim_start_matches('-'))
            })
        };
        let told = whole.or_else(apart).or_else(joined).filter(|time| !time.is_zero());
        let is_focused = words.iter().any(|word| word == "focused");
        told.unwrap_or(if is_focused { self.focused } else { self.extended })
    }
}

/// Returns a number of minutes, hours or seconds in words.
fn amount(number: &str, unit: &str) -> Option<Duration> {
    let number: u64 = number.parse().ok()?;
    let seconds = match unit.trim_end_matches('.') {
        "m" | "min" | "mins" | "minute" | "minutes" => 60,
        "h" | "hour" | "hours" | "hr" | "hrs" => 3_600,
        "s" | "sec" | "secs" | "second" | "seconds" => 1,
        _ => return None,
    };
    number.checked_mul(seconds).map(Duration::from_secs)
}
