//! Handle to the ceremonies that are held: hosts start and end them, gates look at them.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use hooks_core::HookContext;
use hooks_team::{HeldCeremony, Participants, TeamError, TeamPlace};

use super::config::CeremoniesConfig;

/// Ceremonies that are held now. Clones share them.
///
/// With a team folder, they are kept there in a file, and all processes see them; otherwise in memory, for each tenant and
/// folder. A ceremony ends by itself when its time is over, by the clock of the context.
///
/// ```
/// use std::time::Duration;
/// use hooks_core::HookContext;
/// use hooks_core::testing::{FakeFileSystem, world};
/// use hooks_team_rules::ceremonies::{CeremoniesConfig, HeldCeremonies};
///
/// let held = HeldCeremonies::new(CeremoniesConfig::default());
/// let (environment, clock, _) = world(FakeFileSystem::default());
/// let context = HookContext::new("session-1", "lead").in_dir("/repo").with_environment(environment);
/// held.start(&context, "Design Review", "the host")?;
/// assert_eq!(held.active(&context)?[0].name, "Design Review");
/// clock.advance(Duration::from_secs(45 * 60));
/// assert!(held.active(&context)?.is_empty()); // its time is over
/// # Ok::<(), hooks_team::TeamError>(())
/// ```
#[derive(Clone, Debug)]
pub struct HeldCeremonies {
    config: Arc<CeremoniesConfig>,
    team: Option<TeamPlace>,
    memory: Arc<Mutex<Vec<(Scope, HeldCeremony)>>>,
}

/// Tenant and folder of sessions that share ceremonies in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Scope(Option<String>, PathBuf);

impl HeldCeremonies {
    /// Keeps ceremonies in memory. Their time and participants are those of `config`.
    pub fn new(config: CeremoniesConfig) -> Self {
        Self { config: Arc::new(config), team: None, memory: Arc::default() }
    }

    /// Keeps ceremonies in the folder of the session's team, if there is one; its `ceremonies.md` has their time budget and
    /// participants.
    #[must_use]
    pub fn with_team(self, team: impl Into<TeamPlace>) -> Self {
        Self { team: Some(team.into()), ..self }
    }

    /// Goes on with the ceremonies that `earlier` keeps in memory: for a configuration that is read again.
    ///
    /// ```
    /// use hooks_core::HookContext;
    /// use hooks_core::testing::{FakeFileSystem, world};
    /// use hooks_team_rules::ceremonies::{CeremoniesConfig, HeldCeremonies};
    ///
    /// let held = HeldCeremonies::new(CeremoniesConfig::default());
    /// let (environment, ..) = world(FakeFileSystem::default());
    /// let context = HookContext::new("session-1", "lead").in_dir("/repo").with_environment(environment);
    /// held.start(&context, "Design Review", "Ada")?;
    /// let again = HeldCeremonies::new(CeremoniesConfig::default()).continuing(&held);
    /// assert_eq!(again.active(&context)?.len(), 1);
    /// # Ok::<(), hooks_team::TeamError>(())
    /// ```
    #[must_use]
    pub fn continuing(self, earlier: &Self) -> Self {
        Self { memory: Arc::clone(&earlier.memory), ..self }
    }

    /// Returns the configuration.
    pub fn config(&self) -> &CeremoniesConfig {
        &self.config
    }

    /// Starts a ceremony in the name of `by`, and returns it. One of the same name starts anew.
    ///
    /// # Errors
    /// Returns `Invalid` if the ceremony has no name or no time, or an error if the folder cannot be read or written.
    ///
    /// ```
    /// use hooks_core::HookContext;
    /// use hooks_core::testing::{FakeFileSystem, world};
    /// use hooks_team_rules::ceremonies::{CeremoniesConfig, HeldCeremonies};
    ///
    /// let held = HeldCeremonies::new(CeremoniesConfig::default());
    /// let (environment, ..) = world(FakeFileSystem::default());
    /// let context = HookContext::new("session-1", "lead").in_dir("/repo").with_environment(environment);
    /// let review = held.start(&context, "Design Review", "Ada")?;
    /// assert_eq!(review.by.as_deref(), Some("Ada"));
    /// assert!(review.until > review.since);
    /// # Ok::<(), hooks_team::TeamError>(())
    /// ```
    pub fn start(&self, context: &HookContext, name: &str, by: &str) -> Result<HeldCeremony, TeamError> {
        let team = self.team(context)?;
        let known = match &team {
            Some(team) => {
                team.ceremonies()?.all().iter().find(|one| crate::agents::is_same(&one.name, name)).cloned()
            }
            None => None,
        };
        let (budget, told, facilitator) = known
            .as_ref()
            .map(|known| (&*known.time_budget, &*known.participants, &*known.facilitator))
            .unwrap_or_default();
        let participants = match self.config.gate(name) {
            Some(gate) if !gate.participants.is_empty() => Participants::Named(gate.participants.clone()),
            _ => Participants::parse(told, facilitator),
        };
        let since = context.environment.clock.now();
        let until = since.after(self.config.time_of(name, budget));
        let name = known.map_or_else(|| name.trim().to_owned(), |known| known.name);
        let ceremony = HeldCeremony::new(name, participants, since, until).by(by);
        match team {
            Some(team) => team.start_ceremony(&ceremony)?,
            None => self.remember(context, ceremony.clone()),
        }
        Ok(ceremony)
    }

    /// Ends a ceremony. Returns whether it was held.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read or written.
    ///
    /// ```
    /// use hooks_core::HookContext;
    /// use hooks_core::testing::{FakeFileSystem, world};
    /// use hooks_team_rules::ceremonies::{CeremoniesConfig, HeldCeremonies};
    ///
    /// let held = HeldCeremonies::new(CeremoniesConfig::default());
    /// let (environment, ..) = world(FakeFileSystem::default());
    /// let context = HookContext::new("session-1", "lead").in_dir("/repo").with_environment(environment);
    /// held.start(&context, "Design Review", "Ada")?;
    /// assert!(held.end(&context, "design review")?);
    /// assert!(!held.end(&context, "design review")?); // it was not held any more
    /// # Ok::<(), hooks_team::TeamError>(())
    /// ```
    pub fn end(&self, context: &HookContext, name: &str) -> Result<bool, TeamError> {
        if let Some(team) = self.team(context)? {
            return team.end_ceremony(name);
        }
        let (scope, mut memory) =
            (Scope::from_context(context), self.memory.lock().unwrap_or_else(PoisonError::into_inner));
        let before = memory.len();
        memory.retain(|(other, held)| *other != scope || !held.is_called(name));
        Ok(memory.len() < before)
    }

    /// Returns the ceremonies that are held now for the session of `context`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read; a gate is closed then.
    ///
    /// ```
    /// use hooks_core::HookContext;
    /// use hooks_core::testing::{FakeFileSystem, world};
    /// use hooks_team_rules::ceremonies::{CeremoniesConfig, HeldCeremonies};
    ///
    /// let held = HeldCeremonies::new(CeremoniesConfig::default());
    /// let (environment, ..) = world(FakeFileSystem::default());
    /// let context = |folder: &str| HookContext::new("session-1", "lead").in_dir(folder).with_environment(environment.clone());
    /// held.start(&context("/repo"), "Design Review", "Ada")?;
    /// assert_eq!(held.active(&context("/repo"))?.len(), 1);
    /// assert!(held.active(&context("/other"))?.is_empty());
    /// # Ok::<(), hooks_team::TeamError>(())
    /// ```
    pub fn active(&self, context: &HookContext) -> Result<Vec<HeldCeremony>, TeamError> {
        let mut all = match self.team(context)? {
            Some(team) => team.held_ceremonies()?,
            None => Vec::new(),
        };
        let scope = Scope::from_context(context);
        let memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(memory.iter().filter(|(other, _)| *other == scope).map(|(_, held)| held.clone()));
        drop(memory);
        let now = context.environment.clock.now();
        all.retain(|held| !held.is_over(now));
        Ok(all)
    }

    fn team(&self, context: &HookContext) -> Result<Option<hooks_team::Team>, TeamError> {
        self.team.as_ref().map_or(Ok(None), |team| team.checked(context))
    }

    fn remember(&self, context: &HookContext, ceremony: HeldCeremony) {
        let (scope, now) = (Scope::from_context(context), ceremony.since);
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        memory.retain(|(other, held)| {
            !(held.is_over(now) || *other == scope && held.is_called(&ceremony.name))
        });
        memory.push((scope, ceremony));
    }
}

impl Scope {
    fn from_context(context: &HookContext) -> Self {
        Self(context.tenant.clone(), context.root().to_owned())
    }
}
