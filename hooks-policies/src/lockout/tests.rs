use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::{Strength, assert_policy_laws};
use hooks_facts::calls::{CallReader, PathsConfig};
use hooks_facts::globs::PatternDialect;
use serde_json::json;

use super::*;
use crate::config::LockoutConfig;
use crate::testing::{call_by, verdict_on};

fn policy(dialect: PatternDialect, artifacts: &[&str]) -> ReviewerLockout {
    let reader =
        CallReader::new(&PathsConfig { dialect, ..PathsConfig::default() }, &Default::default()).unwrap();
    let registry = Arc::new(LockoutRegistry::new(dialect));
    for artifact in artifacts {
        registry.lock(Lockout::new(*artifact, "Backend").by("Reviewer").because("no tests"));
    }
    ReviewerLockout::new(&LockoutConfig::default(), registry, &reader)
}

#[track_caller]
fn check(policy: &ReviewerLockout, agent: &str, path: &str, denied: bool) {
    let strength = verdict_on(policy, &call_by(agent, "edit", json!({ "path": path }))).0;
    assert_eq!(strength == Strength::Deny, denied, "{agent} {path}");
}

#[test]
fn a_name_that_is_no_pattern_unlocks_nothing() {
    // Valid alone, but too long with `/**` appended.
    let long = "a".repeat(4095);
    for bad in ["{a", long.as_str()] {
        check(&policy(PatternDialect::Standard, &["src/auth.rs", bad]), "Backend", "src/auth.rs", true);
        check(&policy(PatternDialect::Standard, &[bad]), "Backend", "src/b.rs", true);
    }
}

#[test]
fn an_artifact_is_a_file_a_folder_or_a_glob() {
    let policy =
        policy(PatternDialect::Standard, &["src/auth.rs", "docs", "lib/*.ts", "/etc/hosts", "win\\a.c"]);
    for path in [
        "src/auth.rs",
        "SRC/Auth.rs",
        "src//x/../auth.rs",
        "/repo/src/auth.rs",
        "src\\auth.rs",
        "docs/a/b",
        "lib/a.ts",
        "lib/*.ts",
        "/etc/hosts",
        "~/x",
        "win/a.c",
    ] {
        check(&policy, "Backend", path, true);
        check(&policy, "BACKEND ", path, true);
        check(&policy, "Frontend", path, false);
    }
    for path in ["src/authors.md", "auth.rs", "other/src/auth.rs", "docs2/a", "lib/a/b.ts", "/etc/passwd"] {
        check(&policy, "Backend", path, false);
    }
}

#[test]
fn squads_artifacts_are_meant_in_any_folder() {
    let policy = policy(PatternDialect::Squad, &["src/auth"]);
    for path in ["src/auth/login.ts", "/elsewhere/src/auth/login.ts", "copy/src/auth"] {
        check(&policy, "Backend", path, true);
    }
    check(&policy, "Backend", "src/authors.md", false);
    check(&self::policy(PatternDialect::Squad, &[""]), "Backend", "anything", true);
}

#[test]
fn a_folder_with_the_artifact_and_a_redirection_are_writes_too() {
    let policy = policy(PatternDialect::Standard, &["src/auth.rs"]);
    let verdict_on = |tool, args| verdict_on(&policy, &call_by("Backend", tool, args)).0;
    assert_eq!(verdict_on("delete_file", json!({"path": "src"})), Strength::Deny);
    assert_eq!(verdict_on("move_file", json!({"source": "src", "destination": "x"})), Strength::Deny);
    assert_eq!(verdict_on("bash", json!({"command": "echo x > src/auth.rs"})), Strength::Deny);
    assert_eq!(verdict_on("bash", json!({"command": "cat src/auth.rs"})), Strength::NoOpinion);
    assert_eq!(verdict_on("view", json!({"path": "src/auth.rs"})), Strength::NoOpinion);
}

#[test]
fn the_locked_agent_cannot_clear_its_lockout() {
    let registry = LockoutRegistry::default();
    for agent in ["b", "a", "c", "a"] {
        registry.lock(Lockout::new("x", agent));
    }
    registry.lock(Lockout::new("y", "a"));
    assert_eq!(registry.locked_agents("x"), ["b", "a", "c"]);
    assert!(registry.is_locked_out("x", "a") && !registry.is_locked_out("x", "A"));
    let error = registry.clear("x", "A").unwrap_err();
    assert_eq!(error.artifact, "x");
    assert!(registry.clear_all("b").is_err());
    registry.clear("x", "Reviewer").unwrap();
    assert!(registry.locked_agents("x").is_empty() && registry.is_locked_out("y", "a"));
    registry.clear_all("Reviewer").unwrap();
    assert!(registry.all().is_empty());
}

#[test]
fn a_change_is_seen_by_the_next_call() {
    let registry = Arc::new(LockoutRegistry::default());
    let policy =
        ReviewerLockout::new(&LockoutConfig::default(), Arc::clone(&registry), &CallReader::default());
    check(&policy, "Backend", "x", false);
    registry.lock(Lockout::new("x", "Backend"));
    check(&policy, "Backend", "x", true);
    registry.lock(Lockout::new("y", "Backend"));
    check(&policy, "Backend", "y", true);
    registry.clear("x", "").unwrap();
    check(&policy, "Backend", "x", false);
    check(&policy, "Backend", "y", true);
}

#[test]
fn laws() {
    assert_policy_laws!(PreToolUse, policy(PatternDialect::Standard, &["src", "**/*.md", ""]));
    let context = hooks_core::HookContext::new("s", "Backend").in_dir("/repo");
    assert_policy_laws!(PreToolUse, policy(PatternDialect::Squad, &["src", "**/*.md"]), context);
}

#[test]
fn a_lockout_ends_with_its_time() {
    let registry = Arc::new(LockoutRegistry::default());
    registry.lock(Lockout::new("x", "Backend").until(hooks_core::time::Timestamp(0)));
    registry.lock(Lockout::new("y", "Backend").until(hooks_core::time::Timestamp(u64::MAX)));
    let policy =
        ReviewerLockout::new(&LockoutConfig::default(), Arc::clone(&registry), &CallReader::default());
    check(&policy, "Backend", "x", false);
    check(&policy, "Backend", "y", true);
}

#[test]
fn where_everyone_is_locked_out_a_person_is_asked() {
    let registry = Arc::new(LockoutRegistry::default());
    let team = ["Backend", "frontend"].map(str::to_owned).to_vec();
    let config = LockoutConfig { team, ..LockoutConfig::default() };
    let policy = ReviewerLockout::new(&config, Arc::clone(&registry), &CallReader::default());
    let verdict_on = |path: &str| verdict_on(&policy, &call_by("Backend", "edit", json!({ "path": path })));
    registry.lock(Lockout::new("src/auth.rs", "Backend"));
    assert_eq!(verdict_on("src/auth.rs").0, Strength::Deny);
    registry.lock(Lockout::new("src", "Frontend"));
    assert_eq!(verdict_on("src/x/../auth.rs").0, Strength::Ask);
    // A place that another agent of the team may write is denied, not asked about.
    registry.lock(Lockout::new("docs", "Backend"));
    let both = json!({"paths": ["src/auth.rs", "docs/a.md"]});
    assert_eq!(
        crate::testing::verdict_on(&policy, &call_by("Backend", "delete_file", both)).0,
        Strength::Deny
    );
}

mod stored {
    use std::time::Duration;

    use hooks_core::state::{Memory, Op, StateStore, StepResult, StoreError};
    use hooks_core::testing::VirtualTime;
    use hooks_core::time::{SeededRandom, Timer};
    use hooks_core::{HookFuture, Hooks, HooksProvider, Judged};

    use super::*;
    use crate::Guards;
    use crate::config::GuardsSettings;

    /// Store that can be unavailable.
    struct Away(Memory, std::sync::atomic::AtomicBool);

    impl StateStore for Away {
        fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
            match self.1.load(std::sync::atomic::Ordering::Relaxed) {
                true => HookFuture::now(Err(StoreError::Unavailable("cut off".into()))),
                false => self.0.apply(op),
            }
        }
    }

    fn lockouts(store: &Arc<dyn StateStore>, tenant: &str, time: &Arc<VirtualTime>) -> Arc<StoredLockouts> {
        let world = (time.clone() as _, Arc::new(SeededRandom::new(7)) as _);
        Arc::new(StoredLockouts::new(Arc::clone(store), Some(tenant), Arc::default(), world))
    }

    fn hooks(lockouts: &Arc<StoredLockouts>) -> Hooks {
        let reviewer_lockout = Some(LockoutConfig::default());
        let config = GuardsSettings { reviewer_lockout, ..GuardsSettings::default() };
        let policies = Guards::new(config).with_stored_lockouts(Arc::clone(lockouts));
        Hooks::from_policy(policies).unwrap()
    }

    fn denies(hooks: &Hooks, time: &VirtualTime, path: &str) -> bool {
        let request = call_by("Backend", "edit", json!({ "path": path }));
        let prepared = time.block_on(hooks.prepare_pre_tool_use(request.clone())).unwrap();
        prepared.outcome.is_denied() || hooks.judge_pre_tool_use(&request).is_denied()
    }

    #[test]
    fn a_lockout_binds_everybody_on_the_store_and_no_other_tenant() {
        let time = Arc::new(VirtualTime::default());
        let store: Arc<dyn StateStore> = Arc::new(Memory::new(time.clone()));
        let [here, there] = [(), ()].map(|()| lockouts(&store, "acme", &time));
        let [hooks, stranger] = [&there, &lockouts(&store, "other", &time)].map(hooks);
        assert!(!denies(&hooks, &time, "x"));
        let lockout = Lockout::new("x", "backend").by("Reviewer").because("no tests");
        time.block_on(here.lock(lockout.clone(), Some(Duration::from_secs(60)))).unwrap().unwrap();
        assert!(denies(&hooks, &time, "x") && !denies(&stranger, &time, "x"));
        // Two lockouts of the same agent and artifact are one, and the longer one stays.
        let verdict_on = |why: &str, lasting: Option<u64>| {
            let lasting = lasting.map(Duration::from_secs);
            time.block_on(there.lock(lockout.clone().because(why), lasting)).unwrap().unwrap();
            let all = time.block_on(here.all()).unwrap().unwrap();
            (all.len(), all[0].why.clone().unwrap(), all[0].until.is_some())
        };
        assert_eq!(verdict_on("shorter", Some(1)), (1, "no tests".to_owned(), true));
        assert_eq!(verdict_on("for ever", None), (1, "for ever".to_owned(), false));
        assert_eq!(verdict_on("shorter again", Some(90)), (1, "for ever".to_owned(), false));
        let error = time.block_on(there.clear("x", "BACKEND")).unwrap().unwrap_err();
        assert!(matches!(error, LockoutError::LockedOut(_)), "{error}");
        time.block_on(here.clear("x", "Reviewer")).unwrap().unwrap();
        assert!(!denies(&hooks, &time, "x"));
        let cleared = time.block_on(there.cleared()).unwrap().unwrap();
        assert_eq!((&*cleared[0].artifact, &*cleared[0].by), ("x", "Reviewer"));
        assert!(hooks.extension::<StoredLockouts>().is_some());
    }

    #[test]
    fn a_store_that_is_away_keeps_its_last_word_for_half_a_minute() {
        let time = Arc::new(VirtualTime::default());
        let away = Arc::new(Away(Memory::new(time.clone()), Default::default()));
        let store: Arc<dyn StateStore> = away.clone();
        let hooks = hooks(&lockouts(&store, "acme", &time));
        assert!(!denies(&hooks, &time, "x"));
        away.1.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(!denies(&hooks, &time, "x"));
        time.block_on(Timer::sleep(&*time, Duration::from_secs(30))).unwrap();
        assert!(denies(&hooks, &time, "x"));
        away.1.store(false, std::sync::atomic::Ordering::Relaxed);
        assert!(!denies(&hooks, &time, "x"));
    }
}
