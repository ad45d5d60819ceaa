//! Limits on the number of children: from the configuration to the scopes of one reservation.

use std::borrow::Cow;
use std::time::Duration;

use hooks_core::state::{Key, Lineage, MAX_AMOUNT, Scope, Window};
use hooks_core::{Evidence, PolicyErrors, Reason};

use super::NAME;
use super::child_request::ChildRequest;
use super::config::SpawnConfig;
use super::keys::Keys;
use super::names::{Names, folded};

/// Longest rate window and lease; longer values are treated as mistakes.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);
/// Shortest lease; shorter ones would end between two signs of life.
const SHORTEST_LEASE: Duration = Duration::from_secs(1);

/// All limits.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    pub(super) depth: Option<u64>,
    pub(super) lease: Duration,
    pub(super) waiting: Duration,
    concurrent: Option<u64>,
    total: Option<u64>,
    rate: Option<(u64, Duration)>,
    parent_concurrent: Option<u64>,
    parent_total: Option<u64>,
    roles: Vec<Role>,
}

#[derive(Clone, Debug)]
struct Role {
    name: String,
    agents: Names,
    task_types: Names,
    concurrent: Option<u64>,
    total: Option<u64>,
}

/// Scopes that a child is charged to, with the text for each that is full.
#[derive(Debug, Default)]
pub(super) struct Charges {
    pub(super) scopes: Vec<Scope>,
    limits: Vec<Limit>,
}

/// Description of one limit for a reason.
#[derive(Debug)]
struct Limit {
    rule: Cow<'static, str>,
    whose: String,
    wait: &'static str,
    option: String,
}

impl Limits {
    pub(super) fn compile(config: &SpawnConfig, errors: &mut PolicyErrors) -> Self {
        let mut within = |field: &str, given: Duration, least: Duration| {
            if given < least || given > LONGEST {
                let (least, most) =
                    (hooks_core::duration::write(least), hooks_core::duration::write(LONGEST));
                let problem = format!("`{}` makes no sense here", hooks_core::duration::write(given));
                errors.push(format!("spawn.{field}"), problem, format!("write {least} to {most}"));
            }
        };
        within("lease", config.lease, SHORTEST_LEASE);
        within("waiting", config.waiting, SHORTEST_LEASE);
        if let Some(rate) = &config.rate {
            within("rate.per", rate.per, Duration::from_millis(1));
        }
        let parent = config.per_parent.clone().unwrap_or_default();
        let mut numbers = vec![
            ("concurrent".to_owned(), config.concurrent),
            ("total".to_owned(), config.total),
            ("depth".to_owned(), config.depth),
            ("rate.children".to_owned(), config.rate.as_ref().map(|rate| rate.children)),
            ("per_parent.concurrent".to_owned(), parent.concurrent),
            ("per_parent.total".to_owned(), parent.total),
        ];
        for (index, role) in config.roles.iter().enumerate() {
            numbers.push((format!("roles[{index}].concurrent"), role.concurrent));
            numbers.push((format!("roles[{index}].total"), role.total));
        }
        for (field, _) in numbers.iter().filter(|(_, number)| *number > Some(MAX_AMOUNT)) {
            let hint = format!("write at most {MAX_AMOUNT}");
            errors.push(format!("spawn.{field}"), "more than can be counted", hint);
        }
        Self {
            depth: config.depth,
            lease: config.lease,
            waiting: config.waiting,
            concurrent: config.concurrent,
            total: config.total,
            rate: config.rate.as_ref().map(|rate| (rate.children, rate.per)),
            parent_concurrent: parent.concurrent,
            parent_total: parent.total,
            roles: roles(config, errors),
        }
    }

    /// Returns the scopes that the child `child` is charged to, in the tree of `lineage`, below `parent`.
    pub(super) fn charges(
        &self,
        child: &ChildRequest,
        lineage: &Lineage,
        parent: &Parent<'_>,
        keys: &Keys,
    ) -> Charges {
        let mut charges = Charges::default();
        let root = &*lineage.root;
        let tree = || "this session and those below it".to_owned();
        if let Some(limit) = self.concurrent {
            charges.places(
                keys.counter("concurrent", &[root]),
                limit,
                "concurrent",
                tree(),
                "spawn.concurrent",
            );
        }
        if let Some(limit) = self.total {
            charges.spent(keys.counter("total", &[root]), limit, "total", tree(), "spawn.total");
        }
        if let Some((limit, per)) = self.rate {
            let whose = format!("{} in {}", tree(), hooks_core::duration::write(per));
            let scope = Scope::spent(keys.counter("rate", &[root]), limit).per(Window::Every(per));
            charges.add(scope, "rate", whose, "wait, or ", "spawn.rate.children");
        }
        let agent: String = folded(parent.agent).into_iter().collect();
        let own = || format!("`{}`", parent.agent);
        if let Some(limit) = self.parent_concurrent {
            let key = keys.counter("parent-concurrent", &[parent.session, &agent]);
            charges.places(key, limit, "parent-concurrent", own(), "spawn.per_parent.concurrent");
        }
        if let Some(limit) = self.parent_total {
            let key = keys.counter("parent-total", &[parent.session, &agent]);
            charges.spent(key, limit, "parent-total", own(), "spawn.per_parent.total");
        }
        for (index, role) in self.roles.iter().enumerate().filter(|(_, role)| role.covers(child)) {
            let whose = || format!("the role `{}`", role.name);
            let (rule, option) = (role.name.clone(), format!("spawn.roles[{index}]"));
            if let Some(limit) = role.concurrent {
                let key = keys.counter("role-concurrent", &[root, &role.name]);
                charges.places(key, limit, rule.clone(), whose(), &format!("{option}.concurrent"));
            }
            if let Some(limit) = role.total {
                let key = keys.counter("role-total", &[root, &role.name]);
                charges.spent(key, limit, rule, whose(), &format!("{option}.total"));
            }
        }
        charges
    }

    /// Returns the reason to deny a child of this generation, if it is too deep.
    pub(super) fn too_deep(&self, depth: u32) -> Option<Reason> {
        let limit = self.depth.filter(|limit| u64::from(depth) > *limit)?;
        let message = match limit {
            0 => "no agent may have children".to_owned(),
            _ => format!("a child here would be {depth} generations below its root, and {limit} are allowed"),
        };
        let evidence = Evidence::Count { used: u64::from(depth), limit };
        let reason = Reason::new(NAME, "depth", message).because(evidence);
        Some(reason.instead("do the task yourself").unless("raise `spawn.depth`"))
    }
}

/// Parent of a requested child.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parent<'a> {
    pub(super) session: &'a str,
    pub(super) agent: &'a str,
}

impl Role {
    /// Returns whether a child has the role. An unknown property is assumed to match (law 4), if the role
    /// also names another property.
    fn covers(&self, child: &ChildRequest) -> bool {
        let by_agent = child.agent.is_empty() || self.agents.covers(Some(&child.agent));
        let by_kind = match &child.task_type {
            None => self.task_types.is_empty() || !self.agents.is_empty(),
            Some(kind) => self.task_types.covers(Some(kind)),
        };
        by_agent && by_kind
    }
}

impl Charges {
    fn places(
        &mut self,
        key: Key,
        limit: u64,
        rule: impl Into<Cow<'static, str>>,
        whose: String,
        option: &str,
    ) {
        let scope = Scope::places(key, limit);
        self.add(scope, rule, whose, "wait until one ends, or ", option);
    }

    fn spent(
        &mut self,
        key: Key,
        limit: u64,
        rule: impl Into<Cow<'static, str>>,
        whose: String,
        option: &str,
    ) {
        self.add(Scope::spent(key, limit).per(Window::SESSION), rule, whose, "", option);
    }

    fn add(
        &mut self,
        scope: Scope,
        rule: impl Into<Cow<'static, str>>,
        whose: String,
        wait: &'static str,
        option: &str,
    ) {
        self.scopes.push(scope);
        self.limits.push(Limit { rule: rule.into(), whose, wait, option: option.to_owned() });
    }

    /// Returns the reason that there is no room for another child.
    pub(super) fn refusal(&self, scope: usize, used: u64, limit: u64) -> Reason {
        let Some(refused) = self.limits.get(scope) else {
            return Reason::new(NAME, "limit", "there is no room for a child")
                .unless("raise the limits of `spawn`");
        };
        let Limit { rule, whose, wait, option } = refused;
        let message = match limit {
            0 => format!("{whose} may have no children"),
            _ => format!("{whose} have {used} of {limit} children"),
        };
        let reason = Reason::new(NAME, rule.clone(), message).because(Evidence::Count { used, limit });
        reason.instead(format!("{wait}do the task yourself")).unless(format!("raise `{option}`"))
    }
}

fn roles(config: &SpawnConfig, errors: &mut PolicyErrors) -> Vec<Role> {
    let mut roles: Vec<Role> = Vec::new();
    for (index, role) in config.roles.iter().enumerate() {
        let field = |name: &str| format!("spawn.roles[{index}].{name}");
        if role.name.trim().is_empty() || roles.iter().any(|known| known.name == role.name) {
            let hint = "give each role a name of its own: its children are counted under it";
            errors.push(field("name"), "it is empty, or another role's", hint);
        }
        if role.concurrent.is_none() && role.total.is_none() {
            errors.push(field("concurrent"), "the role has no limit", "write `concurrent`, `total` or both");
        }
        roles.push(Role {
            name: role.name.clone(),
            agents: Names::compile(&role.agents, &field("agents"), errors),
            task_types: Names::compile(&role.task_types, &field("task_types"), errors),
            concurrent: role.concurrent,
            total: role.total,
        });
    }
    roles
}
