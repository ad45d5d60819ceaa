//! Children of children stay within the limits of their root.

use hooks_core::drivers::{SpawnRequest, Spawned};
use hooks_core::{GovernSpawn, HookError};
use hooks_facts::calls::CallReader;
use tower::{ServiceExt, service_fn};

use super::super::config::ParentLimitConfig;
use super::*;

impl Desk {
    /// Returns a context in the session of a child, which may name its parent.
    fn below(&self, session: &str, parent: Option<&str>) -> HookContext {
        let mut context = self.at(session);
        context.parent_session_id = parent.map(str::to_owned);
        context
    }
}

#[tokio::test]
async fn a_tree_has_the_places_of_its_root() {
    let desk = Desk::new(concurrent(3));
    let begin = async |context, id| start(&desk.hooks, context, child("backend", id)).await.is_ok();
    assert!(begin(desk.at("root"), "c1").await);
    assert!(begin(desk.below("c1", Some("root")), "c2").await);
    // A child that does not name its parent is known all the same.
    assert!(begin(desk.below("c2", None), "c3").await);
    assert!(!begin(desk.below("c3", None), "c4").await);
    assert!(!begin(desk.at("root"), "c4").await);
    let tree = desk.children("c3").await;
    let lines: Vec<_> = tree.iter().map(|child| (child.id.as_deref().unwrap(), child.depth)).collect();
    assert_eq!(lines, [("c1", 1), ("c2", 2), ("c3", 3)]);
    assert!(tree.iter().all(|child| child.root == "root"));
    let own =
        desk.hooks.extension::<SpawnBudget>().unwrap().children().started_by(&desk.at("c1")).await.unwrap();
    assert_eq!(own.iter().map(|child| child.id.as_deref()).collect::<Vec<_>>(), [Some("c2")]);
}

#[tokio::test]
async fn no_child_understates_its_depth() {
    let desk = Desk::new(SpawnConfig { depth: Some(2), ..SpawnConfig::default() });
    let begin = async |context, depth, id| {
        let mut start = child("backend", id);
        start.depth = depth;
        super::start(&desk.hooks, context, start).await
    };
    assert_eq!(begin(desk.at("root"), 1, "c1").await, Ok(()));
    assert_eq!(begin(desk.below("c1", None), 1, "c2").await, Ok(()));
    for parent in [None, Some("c1"), Some("elsewhere")] {
        assert_eq!(begin(desk.below("c2", parent), 1, "c3").await, Err("depth".to_owned()));
    }
    assert_eq!(begin(desk.at("root"), 3, "c4").await, Err("depth".to_owned()), "what it says counts too");
}

#[tokio::test]
async fn each_parent_has_its_own_share() {
    let per_parent = Some(ParentLimitConfig { concurrent: Some(1), total: None });
    let desk = Desk::new(SpawnConfig { per_parent, ..concurrent(2) });
    let begin = async |context, id| start(&desk.hooks, context, child("backend", id)).await;
    assert_eq!(begin(desk.at("root"), "c1").await, Ok(()));
    assert_eq!(begin(desk.at("root"), "c2").await, Err("parent-concurrent".to_owned()));
    assert_eq!(begin(desk.below("c1", Some("root")), "c2").await, Ok(()));
    assert_eq!(begin(desk.below("c2", Some("c1")), "c3").await, Err("concurrent".to_owned()));
}

#[tokio::test]
async fn what_a_child_brings_can_only_narrow() {
    let desk = Desk::new(concurrent(2));
    let spawner = service_fn(|_: SubagentStart| async { Ok::<_, HookError>(()) });
    let spawn = async |hooks: &hooks_core::Live, context: HookContext, id: &str| {
        let request = SpawnRequest { context: Arc::new(context), start: child("backend", id) };
        GovernSpawn::new(hooks.clone(), spawner).oneshot(request).await.unwrap()
    };
    let live = hooks_core::Live::new(desk.hooks.clone());
    let Spawned::Running(first, _) = spawn(&live, desk.at("root"), "c1").await else {
        panic!("there is room")
    };
    // The child's own limit is above or below that of its root.
    let own = |limit| {
        let budget = SpawnBudget::new(&concurrent(limit), &CallReader::default()).unwrap();
        let budget = budget.with_store(desk.store.clone()).named(format!("own-{limit}"));
        Hooks::builder().reserve::<SubagentStart>(budget).build()
    };
    let (generous, strict) = (first.hooks().narrowed(own(100)), first.hooks().narrowed(own(0)));
    assert!(matches!(spawn(&strict, desk.at("c1"), "c2").await, Spawned::Denied(..)));
    let Spawned::Running(second, _) = spawn(&generous, desk.at("c1"), "c2").await else {
        panic!("there is room")
    };
    assert!(
        matches!(spawn(&generous, desk.at("c1"), "c3").await, Spawned::Denied(..)),
        "the root's places are taken"
    );
    assert!(matches!(spawn(second.hooks(), desk.at("c2"), "c3").await, Spawned::Denied(..)));
    drop(second);
    assert!(matches!(spawn(&generous, desk.at("c1"), "c3").await, Spawned::Running(..)));
}

#[tokio::test]
async fn tenants_do_not_share() {
    let desk = Desk::new(concurrent(1));
    let begin =
        async |tenant: &str| start(&desk.hooks, desk.at("s").for_tenant(tenant), child("backend", "a")).await;
    assert_eq!(begin("acme").await, Ok(()));
    assert_eq!(begin("initech").await, Ok(()));
}
