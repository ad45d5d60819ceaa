use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::join_all;
use hooks_core::cache::{CacheAnswer, CacheHistory as _};
use hooks_core::drivers::{ToolCall, ToolOutcome, ToolRequest, ToolResult};
use hooks_core::event::{PostToolUse, PreToolUse};
use hooks_core::testing::{FakeClock, FakeFileSystem, world};
use hooks_core::time::Timestamp;
use hooks_core::{BoxError, Govern, HookContext, HookRequest, Hooks, Reason, Verdict, policy_fn};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tower::{Layer, Service, ServiceExt, service_fn};

use super::*;

/// Far later than the change times of the files that tests create, so that these are not young.
const LATER: Timestamp = Timestamp(4_000_000_000_000);

struct Bench {
    folder: tempfile::TempDir,
    clock: Arc<FakeClock>,
    context: Arc<HookContext>,
    cache: ResultCache,
    runs: Arc<AtomicU64>,
}

fn config(depends: Depends) -> CacheConfig {
    CacheConfig::new()
        .with_tool(CacheTool::new("read_file", Depends::Files))
        .with_tool(CacheTool::new("search", depends).lasting(Duration::from_secs(60)))
}

impl Bench {
    fn new(config: CacheConfig) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "1").unwrap();
        let (environment, clock, _) = world(FakeFileSystem::default());
        clock.set(LATER);
        let context = HookContext::new("s", "a").in_dir(folder.path()).with_environment(environment);
        let cache = ResultCache::new(config).unwrap();
        Self { folder, clock, context: Arc::new(context), cache, runs: Arc::default() }
    }

    fn at(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// Tools that answer with the number of runs so far; `fail` fails, `write_file` and `bash` do nothing.
    fn tools(
        &self,
    ) -> impl Service<ToolCall, Response = ToolResult, Error = BoxError, Future: Send> + Clone + Send + use<>
    {
        let runs = Arc::clone(&self.runs);
        let layer = CacheLayer::new(self.cache.clone(), Arc::clone(&self.context));
        layer.layer(service_fn(move |call: ToolCall| {
            let run = runs.fetch_add(1, Ordering::SeqCst) + 1;
            async move {
                match call.args["do"].as_str() {
                    Some("fail") => Ok(ToolResult::failed("no")),
                    Some("err") => Err(BoxError::from("broken")),
                    Some("panic") => panic!("it fell over"),
                    Some("wrote") => Ok(ToolResult::ok(run).wrote(["x".to_owned()])),
                    Some("long") => Ok(ToolResult::ok("x".repeat(2 << 20))),
                    _ => Ok::<_, BoxError>(ToolResult::ok(run)),
                }
            }
        }))
    }

    async fn run(&self, tool: &str, args: Value) -> Value {
        let answer = self.tools().oneshot(ToolCall::new(tool, args)).await;
        answer.map(|result| result.content).unwrap_or_else(|error| error.to_string().into())
    }
}

#[tokio::test]
async fn a_result_is_reused_while_its_files_are_what_they_were() {
    let bench = Bench::new(config(Depends::Outside));
    let read = |name: &str| bench.run("read_file", json!({"path": name}));
    assert_eq!((read("a").await, read("a").await, read("a").await), (json!(1), json!(1), json!(1)));
    // Another spelling of the path is another call.
    assert_eq!(read("./a").await, 2);
    fs::write(bench.at("a"), "22").unwrap();
    assert_eq!((read("a").await, read("a").await), (json!(3), json!(3)));
    // A missing file, a folder, and paths that tools interpret differently are never cached.
    for name in ["none", ".", "~/a", "$HOME", "*"] {
        assert_ne!(read(name).await, read(name).await, "{name}");
    }
    let counts = bench.cache.counts();
    assert_eq!((counts.hits, counts.misses, counts.stale, counts.passed), (3, 2, 1, 10));
}

#[tokio::test]
async fn a_file_that_was_changed_just_now_is_told_by_its_content() {
    let bench = Bench::new(config(Depends::Outside));
    bench.clock.set(Timestamp(1));
    let mut stamps = FixedStamps::default();
    stamps.look.is_file = true;
    let bench = Bench { cache: bench.cache.clone().with_files(stamps.clone()), ..bench };
    let read = || bench.run("read_file", json!({"path": "a"}));
    assert_eq!((read().await, read().await), (json!(1), json!(1)));
    // The same stamp with different content.
    *stamps.content.lock().unwrap() = 7;
    assert_eq!((read().await, read().await), (json!(2), json!(2)));
}

#[derive(Clone, Default)]
struct FixedStamps {
    look: Look,
    content: Arc<Mutex<u8>>,
}

impl Stamps for FixedStamps {
    fn look(&self, _path: &Path) -> std::io::Result<Option<Look>> {
        Ok(Some(self.look))
    }

    fn digest(&self, _path: &Path, _limit: u64) -> std::io::Result<[u8; 32]> {
        Ok([*self.content.lock().unwrap(); 32])
    }

    fn real(&self, path: &Path) -> std::io::Result<std::path::PathBuf> {
        Ok(path.to_owned())
    }
}

#[tokio::test]
async fn what_depends_on_the_tree_is_never_reused_across_what_could_change_it() {
    let bench = Bench::new(config(Depends::Tree).with_harmless("think"));
    let search = async || bench.run("search", json!({"pattern": "x"})).await.as_u64().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let outside = elsewhere.path().join("f");
    let first = search().await;
    for harmless in [
        ("think", json!({})),
        ("grep", json!({"pattern": "x"})),
        ("ask_user", json!({})),
        ("write_file", json!({"path": outside, "content": ""})),
    ] {
        bench.run(harmless.0, harmless.1.clone()).await;
        assert_eq!(search().await, first, "{harmless:?}");
    }
    fs::hard_link(bench.at("a"), elsewhere.path().join("also a")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(bench.folder.path(), elsewhere.path().join("link")).unwrap();
    let around = elsewhere.path().join("..").join(bench.folder.path().file_name().unwrap()).join("x");
    let mut last = first;
    for change in [
        ("write_file", json!({"path": "b", "content": ""})),
        ("write_file", json!({"path": "new/folder/b", "content": ""})),
        ("write_file", json!({"path": elsewhere.path().join("also a"), "content": ""})),
        #[cfg(unix)]
        ("write_file", json!({"path": elsewhere.path().join("link/b"), "content": ""})),
        ("write_file", json!({"path": around, "content": ""})),
        ("write_file", json!({"path": elsewhere.path().join("none/../x"), "content": ""})),
        ("write_file", json!({"content": ""})),
        ("delete_file", json!({"path": bench.folder.path().parent()})),
        ("bash", json!({"command": "ls"})),
        ("who_knows", json!({})),
        ("Task", json!({"prompt": "x"})),
    ] {
        bench.run(change.0, change.1.clone()).await;
        let now = search().await;
        assert!(now > last, "{change:?}");
        assert_eq!(search().await, now);
        last = now;
    }
    for pattern in ["../**", "/etc/*", "~/x"] {
        let search = || bench.run("search", json!({"pattern": pattern}));
        assert_ne!(search().await, search().await, "{pattern}");
    }
}

#[tokio::test]
async fn a_folder_that_a_search_names_counts_with_the_tree_and_one_it_may_not_heed_is_not_cached() {
    let bench = Bench::new(config(Depends::Tree));
    let elsewhere = tempfile::tempdir().unwrap();
    let search = |key: &str| bench.run("search", json!({"pattern": "x", key: elsewhere.path()}));
    for key in ["dir_path", "directory"] {
        let first = search(key).await;
        assert_eq!(search(key).await, first, "{key}");
        bench.run("write_file", json!({"path": elsewhere.path().join("b"), "content": ""})).await;
        assert_ne!(search(key).await, first, "{key}");
    }
    for key in ["cwd", "workdir", "Working-Directory"] {
        assert_ne!(search(key).await, search(key).await, "{key}");
    }
}

#[tokio::test]
async fn a_command_in_the_background_keeps_the_tree_from_being_reused_until_its_session_ends() {
    let bench = Bench::new(config(Depends::Tree));
    let search = || bench.run("search", json!({"pattern": "x"}));
    bench.run("bash", json!({"command": "sleep 1 &"})).await;
    assert_ne!(search().await, search().await);
    bench.cache.end_session(&bench.context);
    assert_eq!(search().await, search().await);
}

#[tokio::test]
async fn more_sessions_with_commands_in_the_background_than_are_told_apart_end_the_reuse_of_trees() {
    for (sessions, is_reused) in [(1_000, true), (1_025, false)] {
        let bench = Bench::new(config(Depends::Tree));
        let contexts = (0..sessions)
            .map(|session| Arc::new(HookContext::new(format!("s{session}"), "a").in_dir(&bench.context.cwd)));
        for context in contexts.clone() {
            let layer = CacheLayer::new(bench.cache.clone(), context);
            let tools = layer.layer(service_fn(async |_: ToolCall| Ok::<_, BoxError>(ToolResult::ok(""))));
            tools.oneshot(ToolCall::new("bash", json!({"command": "sleep 1 &"}))).await.unwrap();
        }
        contexts.for_each(|context| bench.cache.end_session(&context));
        let search = || bench.run("search", json!({"pattern": "x"}));
        assert_eq!(search().await == search().await, is_reused, "{sessions}");
    }
}

#[tokio::test]
async fn a_result_from_outside_outlives_writes_and_not_its_time() {
    let bench = Bench::new(config(Depends::Outside));
    let search = || bench.run("search", json!({"query": "x"}));
    let first = search().await;
    bench.run("bash", json!({"command": "ls"})).await;
    assert_eq!(search().await, first);
    bench.clock.advance(Duration::from_secs(60));
    assert_ne!(search().await, first);
}

#[tokio::test]
async fn a_result_belongs_to_its_tenant_session_folder_and_arguments() {
    let bench = Bench::new(config(Depends::Outside));
    let first = bench.run("search", json!({"a": 1, "b": 2})).await;
    assert_eq!(bench.run("search", json!({"b": 2, "a": 1})).await, first);
    assert_ne!(bench.run("search", json!({"a": 1, "b": 3})).await, first);
    let cwd = bench.context.cwd.clone();
    let others = [
        HookContext::new("t", "a").in_dir(&cwd),
        HookContext::new("s", "a").in_dir(&cwd).for_tenant("x"),
        HookContext::new("s", "a").in_dir(&cwd).for_tenant(""),
        HookContext::new("s", "a").in_dir(cwd.join("below")),
    ];
    for other in others {
        let layer = CacheLayer::new(bench.cache.clone(), Arc::new(other.clone()));
        let tools = layer.layer(service_fn(async |_: ToolCall| Ok::<_, BoxError>(ToolResult::ok("other"))));
        let result = tools.oneshot(ToolCall::new("search", json!({"a": 1, "b": 2}))).await.unwrap();
        assert_eq!(result.content, "other", "{other:?}");
    }
    bench.cache.end_session(&bench.context);
    assert_ne!(bench.run("search", json!({"a": 1, "b": 2})).await, first);
}

#[tokio::test]
async fn what_went_wrong_or_wrote_or_is_too_long_is_not_kept() {
    let bench = Bench::new(config(Depends::Outside));
    for what in ["fail", "err", "panic", "wrote", "long"] {
        let before = bench.runs.load(Ordering::SeqCst);
        bench.run("search", json!({"do": what})).await;
        bench.run("search", json!({"do": what})).await;
        assert_eq!(bench.runs.load(Ordering::SeqCst), before + 2, "{what}");
    }
    assert_eq!(bench.run("search", json!({"do": "panic"})).await, "the tool panicked: it fell over");
    assert_eq!(bench.cache.counts().results, 0);
}

#[tokio::test]
async fn its_bounds_hold_and_what_was_not_used_for_longest_goes() {
    let bench = Bench::new(config(Depends::Outside).within(3, 1 << 20));
    let search = async |name: &str| bench.run("search", json!({"q": name})).await;
    let first = search("0").await;
    for name in ["1", "2", "0", "3", "0", "4"] {
        search(name).await;
    }
    assert_eq!(search("0").await, first);
    let counts = bench.cache.counts();
    assert_eq!((counts.results, counts.evicted), (3, 2));
    let small = Bench::new(config(Depends::Outside).within(100, 100));
    for name in 0..20 {
        small.run("search", json!({"q": name})).await;
    }
    assert!(small.cache.counts().bytes <= 100 && small.cache.counts().results == 3);
}

/// A tool that waits for a permit.
fn slow(
    bench: &Bench,
    gate: &Arc<Semaphore>,
) -> Cache<impl Service<ToolCall, Response = ToolResult, Error = BoxError, Future: Send> + Clone + Send + use<>>
{
    let (runs, gate) = (Arc::clone(&bench.runs), Arc::clone(gate));
    let layer = CacheLayer::new(bench.cache.clone(), Arc::clone(&bench.context));
    layer.layer(service_fn(move |_: ToolCall| {
        let (run, gate) = (runs.fetch_add(1, Ordering::SeqCst) + 1, Arc::clone(&gate));
        async move {
            gate.acquire().await?.forget();
            Ok::<_, BoxError>(ToolResult::ok(run))
        }
    }))
}

#[tokio::test]
async fn identical_reads_at_one_time_run_once_also_if_the_first_is_given_up() {
    let (bench, gate) = (Bench::new(config(Depends::Outside)), Arc::new(Semaphore::new(0)));
    let mut tools = slow(&bench, &gate);
    let call = || ToolCall::new("search", json!({"q": 1}));
    let mut reads: Vec<_> = (0..8).map(|_| tokio::spawn(tools.call(call()))).collect();
    tokio::task::yield_now().await;
    reads.remove(0).abort();
    tokio::task::yield_now().await;
    gate.add_permits(1);
    let results = join_all(reads).await;
    assert!(results.into_iter().all(|result| result.unwrap().unwrap().content == 1));
    let counts = bench.cache.counts();
    assert_eq!((counts.misses, counts.joined, bench.runs.load(Ordering::SeqCst)), (1, 7, 1));
    // If all callers give up, the next call runs anew.
    let other = || ToolCall::new("search", json!({"q": 2}));
    let given_up = tokio::spawn(tools.call(other()));
    tokio::task::yield_now().await;
    given_up.abort();
    tokio::task::yield_now().await;
    gate.add_permits(1);
    assert_eq!(tools.call(other()).await.unwrap().content, 3);
}

#[tokio::test]
async fn what_is_read_while_it_is_written_is_neither_joined_nor_kept() {
    let (bench, gate) = (Bench::new(config(Depends::Tree)), Arc::new(Semaphore::new(0)));
    let mut tools = slow(&bench, &gate);
    let search = || ToolCall::new("search", json!({"pattern": "x"}));
    // A write begins and ends while a read runs.
    let early = tokio::spawn(tools.call(search()));
    tokio::task::yield_now().await;
    bench.run("write_file", json!({"path": "b"})).await;
    let late = tokio::spawn(tools.call(search()));
    tokio::task::yield_now().await;
    gate.add_permits(2);
    let (early, late) = (early.await.unwrap().unwrap().content, late.await.unwrap().unwrap().content);
    assert_ne!(early, late);
    assert_eq!(tools.call(search()).await.unwrap().content, late);
    // A read begins and ends while a write runs, which is dropped in the end.
    let write = tokio::spawn(tools.call(ToolCall::new("write_file", json!({"path": "b"}))));
    tokio::task::yield_now().await;
    let meanwhile = bench.run("search", json!({"pattern": "x"})).await;
    assert_ne!(meanwhile, late);
    write.abort();
    assert!(write.await.is_err());
    assert_ne!(bench.run("search", json!({"pattern": "x"})).await, meanwhile);
}

#[tokio::test]
async fn every_call_is_judged_and_a_withheld_result_is_forgotten() {
    let bench = Bench::new(config(Depends::Outside));
    let is_closed = Arc::new(AtomicU64::new(0));
    let closed = Arc::clone(&is_closed);
    let gate = policy_fn("gate", move |_: &HookRequest<PreToolUse>| match closed.load(Ordering::SeqCst) {
        0 => Verdict::NO_OPINION,
        _ => Verdict::deny(Reason::new("gate", "closed", "not now")),
    });
    let withhold = policy_fn("withhold", |request: &HookRequest<PostToolUse>| {
        match request.event().tool_args["q"] == "secret" {
            true => Verdict::deny(Reason::new("withhold", "secret", "no")),
            false => Verdict::NO_OPINION,
        }
    });
    let hooks = bench.cache.add_to(Hooks::builder().policy(gate).policy(withhold)).build();
    assert!(hooks.extension::<ResultCache>().is_some());
    let mut govern = Govern::new(hooks, bench.tools());
    let mut ask = async |q: &str| {
        let call = ToolCall::new("search", json!({"q": q}));
        govern.call(ToolRequest { context: Arc::clone(&bench.context), call }).await.unwrap().outcome
    };
    for _ in 0..2 {
        assert!(matches!(ask("x").await, ToolOutcome::Ran(result, _) if result.content == 1));
        assert!(matches!(ask("secret").await, ToolOutcome::Withheld(..)));
    }
    assert_eq!(bench.runs.load(Ordering::SeqCst), 3);
    assert_eq!(bench.cache.counts().results, 1);
    is_closed.store(1, Ordering::SeqCst);
    assert!(matches!(ask("x").await, ToolOutcome::Denied(_)));
}

#[test]
fn configurations_that_make_no_sense_are_refused() {
    let refused = |config: CacheConfig| ResultCache::new(config).unwrap_err();
    let tool = |name: &str, depends| CacheConfig::new().with_tool(CacheTool::new(name, depends));
    assert!(matches!(refused(tool("bash", Depends::Tree)), CacheConfigError::Writes(_)));
    assert!(matches!(refused(tool("Write", Depends::Files)), CacheConfigError::Writes(_)));
    assert!(matches!(refused(tool("web", Depends::Outside)), CacheConfigError::ForEver(_)));
    let twice = tool("x", Depends::Tree).with_tool(CacheTool::new("x", Depends::Files));
    assert_eq!(refused(twice.clone()).field(&twice), "tools[1]");
    assert!(matches!(refused(CacheConfig::new().within(0, 1)), CacheConfigError::Zero("most_results")));
}

#[test]
fn what_became_of_calls_is_told() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&told);
    let bench = Bench::new(config(Depends::Outside));
    let watch = move |_: &HookContext, tool: &str, answer: CacheAnswer| {
        heard.lock().unwrap().push(format!("{tool} {}", answer.name()));
    };
    let bench = Bench { cache: bench.cache.clone().watched_by(watch), ..bench };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        for args in [json!({"q": 1}), json!({"q": 1})] {
            bench.run("search", args).await;
        }
    });
    assert_eq!(*told.lock().unwrap(), ["search miss", "search hit"]);
}

#[tokio::test]
async fn the_log_gets_each_answer_once() {
    let bench = Bench::new(config(Depends::Tree));
    let recorded = |tool: &str| {
        let event = PostToolUse::after(&PreToolUse::new(tool, json!({"q": 1})), json!(1), None, 1);
        bench.cache.take_answer(&bench.context, &event)
    };
    bench.run("search", json!({"q": 1})).await;
    assert_eq!((recorded("search"), recorded("search")), (Some(CacheAnswer::Miss), None));
    bench.run("search", json!({"q": 1})).await;
    assert_eq!(recorded("search"), Some(CacheAnswer::Hit));
    bench.run("bash", json!({"q": 1})).await;
    assert_eq!(recorded("bash"), None, "it is not cached");
    // If more calls than the limit are noted, only the last ones are kept.
    for number in 0..1_100 {
        bench.run("search", json!({"q": number})).await;
    }
    assert_eq!(recorded("search"), None);
}
