//! The sections about context and a team's folder: the context of new sessions, the notes that survive a
//! compaction, the files written at a session's end, the Scribe, and the notices.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks_context::TeamPlace;
use hooks_context::auto::AutoContext;
use hooks_context::compaction::Compacting;
use hooks_context::config::{CompactionConfig, ContextConfig, SessionEndConfig};
use hooks_context::model_choice::ModelChoices;
use hooks_context::prompt::PromptConfig;
use hooks_context::session_end::SessionEnding;
use hooks_context::source::{FileSource, Threads};
use hooks_core::event::{CompactionSource, PreCompact};
use hooks_core::state::StateStore;
use hooks_core::{HookContext, HooksBuilder};
use hooks_scribe::ScribeConfig;
use hooks_scribe::notice::NoticesConfig;
use hooks_system::{StdFileSystem, TokioTimer};
use serde::Serialize;
use serde_json::{Map, Value};

use super::audit;
use super::build::Kept;
use super::command::Host;
use super::error::Mistakes;
use super::notices;
use super::open_work::{self, WorkSource};
use super::paths::resolved;
use super::plain;
use super::prompts;
use super::protect::as_pattern;
use super::prune::Pruned;
use super::scribe::{self, Around};
use super::section;

/// Keys of the sections.
pub(super) const KEYS: [&str; 6] =
    [CONTEXT, COMPACTION, SESSION_END, prompts::KEY, scribe::KEY, notices::KEY];
const CONTEXT: &str = "context";
const COMPACTION: &str = "compaction";
const SESSION_END: &str = "session_end";

/// Longest time that a session's start and its end wait for files to be put away. It is shorter than any
/// client waits. A later start does the rest.
const PUTTING_AWAY: Duration = Duration::from_secs(5);

/// The sections about context; `None` for each that the file does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ContextSections {
    /// Context of new sessions, turns and children.
    pub context: Option<ContextConfig>,
    /// Notes that survive a compaction.
    pub compaction: Option<CompactionConfig>,
    /// Files written at a session's end.
    pub session_end: Option<SessionEndConfig>,
    /// Treatment of a user's messages.
    pub prompts: Option<PromptConfig>,
    /// The Scribe, which keeps the team's folder in order.
    pub scribe: Option<ScribeConfig>,
    /// Notices to agents about what other agents wrote.
    pub notices: Option<NoticesConfig>,
}

/// Adds the schemas of the sections to `properties`, and their definitions to those of `root`.
pub(super) fn schemas(properties: &mut Map<String, Value>, root: &mut Map<String, Value>) {
    properties.insert(CONTEXT.to_owned(), section::schema::<ContextConfig>(root));
    properties.insert(COMPACTION.to_owned(), section::schema::<CompactionConfig>(root));
    properties.insert(SESSION_END.to_owned(), section::schema::<SessionEndConfig>(root));
    properties.insert(prompts::KEY.to_owned(), section::schema::<PromptConfig>(root));
    properties.insert(scribe::KEY.to_owned(), section::schema::<ScribeConfig>(root));
    properties.insert(notices::KEY.to_owned(), section::schema::<NoticesConfig>(root));
}

/// Removes the sections from `sections` and returns whether they certainly have no mistake.
pub(super) fn are_right(sections: &mut Map<String, Value>) -> bool {
    plain::is_right_in::<ContextConfig>(sections, CONTEXT)
        && plain::is_right_in::<CompactionConfig>(sections, COMPACTION)
        && plain::is_right_in::<SessionEndConfig>(sections, SESSION_END)
        && plain::is_right_in::<PromptConfig>(sections, prompts::KEY)
        && plain::is_right_in::<ScribeConfig>(sections, scribe::KEY)
        && plain::is_right_in::<NoticesConfig>(sections, notices::KEY)
}

/// Removes the sections from `sections` and reads them.
pub(super) fn take(
    sections: &mut Map<String, Value>,
    tree: &Pruned,
    mistakes: &mut Mistakes,
) -> ContextSections {
    let read = ContextSections {
        context: section::taken(CONTEXT, sections, tree, mistakes),
        compaction: section::taken(COMPACTION, sections, tree, mistakes),
        session_end: section::taken(SESSION_END, sections, tree, mistakes),
        prompts: section::taken(prompts::KEY, sections, tree, mistakes),
        scribe: section::taken(scribe::KEY, sections, tree, mistakes),
        notices: section::taken(notices::KEY, sections, tree, mistakes),
    };
    if let Some(config) = &read.notices {
        notices::check(config, tree, mistakes);
    }
    if let Some(work) = read.session_end.as_ref().and_then(|config| config.open_work.as_ref()) {
        open_work::check(work, &format!("{SESSION_END}.open_work"), tree, mistakes);
    }
    read
}

impl ContextSections {
    /// Patterns that protect the files in which hooks leave work for each other, in the folders of teams. A
    /// writer of these files would control what the next process moves and writes. `path` is that of the
    /// configuration.
    pub(super) fn files_of(&self, path: Option<&Path>) -> Vec<String> {
        let of_end = self.session_end.as_ref().map(|config| &config.team);
        let of_scribe = self.scribe.as_ref().map(|config| &config.team);
        let of_notices = self.notices.as_ref().map(|config| &config.team);
        own_folders([of_end, of_scribe, of_notices].into_iter().flatten(), path)
    }

    /// Adds the choice of models. It comes before budgets, which may choose a cheaper one.
    pub(super) fn add_model_choice(&self, builder: HooksBuilder) -> HooksBuilder {
        let Some(config) = &self.context else { return builder };
        let Some(choice) = &config.model else { return builder };
        let team = TeamPlace::below(Arc::new(StdFileSystem), &config.team);
        ModelChoices::new(choice.clone(), team, Threads).add_to(builder)
    }

    /// Adds the hooks of the sections. The store of `kept` remembers what sessions were given; the memory of
    /// sessions in `kept` holds the rest.
    pub(super) fn add_to(
        &self,
        mut builder: HooksBuilder,
        kept: &Kept,
        around: &Around<'_>,
        host: &Host,
    ) -> HooksBuilder {
        let context = self.context.as_ref().map(|config| auto_context(config, kept.store()));
        // Before the others: a start first puts the leftovers of killed sessions in order.
        if let Some(config) = &self.session_end {
            let team = TeamPlace::below(Arc::new(StdFileSystem), &config.team);
            let ending = SessionEnding::new(team, Threads).with(config.settings());
            let ending = ending.remembering_in(kept.sessions()).counting_in(Arc::clone(kept.store()));
            let ending = ending.within(PUTTING_AWAY, Arc::new(TokioTimer));
            let ending = match &config.open_work {
                Some(work) => ending.watching(WorkSource::new(work, host, around.redaction)),
                None => ending,
            };
            builder = ending.add_to(builder);
        }
        if let Some(context) = &context {
            builder = context.add_to(builder);
        }
        if let Some(config) = &self.compaction {
            builder = compacting(config, context).remembering_in(kept.sessions()).add_to(builder);
        }
        let scribe = self.scribe.as_ref().map(|config| scribe::built(config, around));
        if let Some(scribe) = &scribe {
            builder = scribe.add_to(builder);
        }
        if let Some(config) = &self.notices {
            builder = notices::built(config, around, scribe).add_to(builder);
        }
        builder
    }
}

/// Patterns of the folders `.hooks` in these folders of teams, in which hooks leave files for each other.
pub(super) fn own_folders<'a>(teams: impl Iterator<Item = &'a PathBuf>, path: Option<&Path>) -> Vec<String> {
    let project = path.map(audit::project_of);
    let mut patterns = Vec::new();
    for team in teams {
        let kept = team.join(".hooks");
        // A pattern with `..` in it is refused.
        if !kept.components().any(|part| part == Component::ParentDir) {
            patterns.push(as_pattern(&kept));
        }
        let placed = project.as_ref().map(|project| resolved(&project.join(&kept)));
        patterns.extend(placed.into_iter().flatten().map(|place| as_pattern(&place)));
    }
    patterns.sort();
    patterns.dedup();
    patterns
}

fn auto_context(config: &ContextConfig, store: &Arc<dyn StateStore>) -> AutoContext {
    let team = TeamPlace::below(Arc::new(StdFileSystem), &config.team);
    let context = AutoContext::new(Arc::new(TokioTimer))
        .within(config.settings())
        .remembering_in(Arc::clone(store))
        .with_team(team, Threads, config.limits());
    config.files.iter().fold(context, |context, file| {
        context.with_source(2, FileSource::new(Arc::new(StdFileSystem), Threads, file))
    })
}

fn compacting(config: &CompactionConfig, context: Option<AutoContext>) -> Compacting {
    let mut compacting = Compacting::new(config.settings(), Arc::new(TokioTimer));
    if let Some(context) = context {
        compacting = compacting.with_context(context);
    }
    match config.not_below_percent {
        Some(percent) => {
            compacting.unless(move |_: &HookContext, compaction: &PreCompact| too_early(compaction, percent))
        }
        None => compacting,
    }
}

/// Reason why a conversation is not compacted automatically yet.
fn too_early(compaction: &PreCompact, percent: u64) -> Option<String> {
    let (current, max) = (u128::from(compaction.current_token_count), u128::from(compaction.max_tokens));
    let is_early = max > 0 && current * 100 < max * u128::from(percent);
    (is_early && compaction.source == CompactionSource::Auto).then(|| {
        format!(
            "the conversation has {current} of {max} tokens, and is compacted from {percent} % on; ask for it by hand, or lower `compaction.not_below_percent`"
        )
    })
}
