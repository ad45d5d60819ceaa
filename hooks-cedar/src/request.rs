//! A call as a request of Cedar.

use std::collections::{BTreeSet, HashSet};

use cedar_policy::{
    Context, Entities, Entity, EntityId, EntityTypeName, EntityUid, ParseErrors, Request,
    RestrictedExpression,
};
use hooks_core::event::PreToolUse;
use hooks_core::{Event as _, HookRequest};
use hooks_facts::calls::{Call, CallReader, PlainFacts};
use hooks_facts::tools::ToolKind;

use crate::value;

/// Types of the entities of a request.
#[derive(Clone, Debug)]
pub(crate) struct Types {
    agent: EntityTypeName,
    action: EntityTypeName,
    kind: EntityTypeName,
    workspace: EntityTypeName,
}

impl Types {
    /// Parses the names of the types.
    pub(crate) fn new() -> Result<Self, Box<ParseErrors>> {
        let name = |text: &str| text.parse::<EntityTypeName>().map_err(Box::new);
        Ok(Self {
            agent: name("Agent")?,
            action: name("Action")?,
            kind: name("Kind::Action")?,
            workspace: name("Workspace")?,
        })
    }

    /// Returns the tool that an action is.
    pub(crate) fn tool_of<'a>(&self, entity: &'a EntityUid) -> Option<&'a str> {
        (*entity.type_name() == self.action).then(|| entity.id().unescaped())
    }

    /// Returns the request about a call, and the entities that it names; the problem if Cedar cannot hold it.
    pub(crate) fn request(
        &self,
        request: &HookRequest<PreToolUse>,
        reader: &CallReader,
    ) -> Result<(Request, Entities), String> {
        let (event, context) = (request.event(), request.context());
        let call = reader.read(request);
        let entity =
            |of: &EntityTypeName, id: &str| EntityUid::from_type_name_and_id(of.clone(), EntityId::new(id));
        let action = entity(&self.action, &event.tool_name);
        let root = reader.fixed_root().map_or_else(|| context.root().to_string_lossy(), Into::into);
        let workspace = entity(&self.workspace, &root);
        let kinds: HashSet<_> = kinds_of(call).map(|kind| entity(&self.kind, kind)).collect();
        let asked = facts(call)?;
        let cedar =
            Request::new(entity(&self.agent, &context.agent_name), action.clone(), workspace, asked, None);
        let cedar = cedar.map_err(|error| error.to_string())?;
        let entities = Entities::from_entities([Entity::new_no_attrs(action, kinds)], None);
        Ok((cedar, entities.map_err(|error| error.to_string())?))
    }
}

/// Kinds of a call, the names of groups of actions.
fn kinds_of(call: Call<'_>) -> impl Iterator<Item = &'static str> {
    let writes = call.writes_files() && !call.kind().writes_files();
    kinds(call.kind()).iter().copied().chain(writes.then_some("writes_files"))
}

/// Groups of actions that a kind of tools is in.
pub(crate) fn kinds(kind: ToolKind) -> &'static [&'static str] {
    match kind {
        ToolKind::WriteFile | ToolKind::MoveFile | ToolKind::CopyFile | ToolKind::Patch => &["writes_files"],
        ToolKind::ViewOrEdit => &["reads_files", "writes_files"],
        ToolKind::DeleteFile => &["deletes_files", "writes_files"],
        ToolKind::Shell | ToolKind::WindowsShell => &["runs_commands"],
        ToolKind::AskUser => &["asks_user"],
        ToolKind::SpawnAgent => &["starts_agents"],
        ToolKind::Read => &["reads_files"],
        ToolKind::Unknown => &["unlisted"],
        _ => &[],
    }
}

/// The context of a request.
fn facts(call: Call<'_>) -> Result<Context, String> {
    let context = call.request().context();
    let input = value::from_json(call.arguments()).ok_or("the arguments are nested too deep for Cedar")?;
    let PlainFacts { writes, reads, runs, .. } = PlainFacts::of_call(call);
    let with_folders = |paths: Vec<String>| {
        let all: BTreeSet<_> = paths.iter().flat_map(|path| above(path)).collect();
        value::set(all)
    };
    let text = |text: &Option<String>| text.as_deref().map(value::text);
    let pairs: [(&str, Option<RestrictedExpression>); 10] = [
        ("input", Some(input)),
        ("event", Some(value::text(PreToolUse::KIND.name()))),
        ("session", Some(value::text(&context.session_id))),
        ("agent_id", text(&context.agent_id)),
        ("tenant", text(&context.tenant)),
        ("repo", text(&context.repo)),
        ("parent_session", text(&context.parent_session_id)),
        ("writes", writes.map(with_folders)),
        ("reads", reads.map(with_folders)),
        ("runs", runs.map(|runs| value::set(runs.iter().map(String::as_str)))),
    ];
    let pairs = pairs.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Context::from_pairs(pairs).map_err(|error| error.to_string())
}

/// A path, and the folders above it.
fn above(path: &str) -> impl Iterator<Item = &str> {
    let folders =
        path.match_indices('/').filter_map(|(at, _)| path.get(..at)).filter(|folder| !folder.is_empty());
    folders.chain([path])
}
