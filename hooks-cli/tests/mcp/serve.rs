//! `hooks mcp serve`: the tools of a team, and `explain`.

use super::*;

const TEAM_RULES: &str = "version: 1
redaction: {}
command_guard: {}
rules:
  - { name: no-memory, tools: [mcp__squad__squad_memory], reason: no notes here }
  - { name: no-explanations, tools: [mcp__closed__explain], reason: nothing to see }
  - { name: no-pushes, commands: [git push], reason: a person pushes }
";

impl World {
    /// A project with a team.
    fn with_team() -> Self {
        let world = Self::new(TEAM_RULES);
        fs::create_dir(world.path(".git")).unwrap();
        let made = world.hooks(&["init", "squad"]).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        world
    }

    fn serve(&self, options: &[&str]) -> Proxy {
        let mut command = self.hooks(&["mcp", "serve"]);
        let errors = fs::File::create(self.path("errors")).unwrap();
        command.args(options).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors);
        let mut child = command.spawn().unwrap();
        let (writer, reader) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Proxy { child, writer, reader }
    }
}

impl Proxy {
    fn tools(&mut self) -> Vec<String> {
        let list = self.ask("tools/list", json!({}));
        let tools = list["result"]["tools"].as_array().unwrap();
        assert!(tools.iter().all(|tool| tool["inputSchema"]["type"] == "object"), "{list}");
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    fn text(&mut self, tool: &str, arguments: Value) -> (bool, String) {
        let answer = self.call(tool, arguments);
        let text = answer["result"]["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("{answer}")).to_owned();
        (answer["result"]["isError"] == true, text)
    }
}

#[test]
fn the_tools_of_a_team_are_served_and_governed() {
    let world = World::with_team();
    let mut proxy = world.serve(&[]);
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    let answer = proxy.ask("initialize", params);
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18", "{answer}");
    proxy.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
    // The tool that the rules close is not listed.
    assert_eq!(proxy.tools(), ["squad_decide", "squad_skill", "squad_status", "squad_route", "explain"]);

    let decision = json!({"author": "Lead", "summary": "Use SQLite", "body": "One file."});
    let (failed, text) = proxy.text("squad_decide", decision);
    assert!(!failed, "{text}");
    let inbox: Vec<_> = fs::read_dir(world.path(".squad/decisions/inbox")).unwrap().collect();
    assert_eq!(inbox.iter().filter(|entry| entry.as_ref().unwrap().file_name() != ".gitkeep").count(), 1);
    let (failed, text) =
        proxy.text("squad_memory", json!({"agent": "lead", "section": "learnings", "content": "n"}));
    assert!(failed && text.contains("no notes here"), "{text}");
    // Mistakes of the model are results that it reads.
    let (failed, text) = proxy.text("squad_decide", json!({"author": "Lead"}));
    assert!(failed && text.contains("missing field `summary`"), "{text}");
    // The host of these tools routes no tasks.
    let (failed, text) = proxy.text("squad_route", json!({"targetAgent": "nobody", "task": "t"}));
    assert!(failed, "{text}");
    assert_eq!(proxy.call("squad_other", json!({}))["error"]["code"], -32602);
    assert_eq!(proxy.ask("tasks/list", json!({}))["error"]["code"], -32601);
    assert_eq!(proxy.ask("ping", json!({}))["result"], json!({}));
    proxy.writer = None;
    assert_eq!(proxy.end(), Some(0));
}

#[test]
fn explain_judges_a_call_without_running_it() {
    let world = World::new(TEAM_RULES);
    let mut proxy = world.serve(&[]);
    // Without a team, it is the only tool.
    assert_eq!(proxy.tools(), ["explain"]);
    let mut explained = |arguments: Value| {
        let (failed, text) = proxy.text("explain", arguments);
        assert!(!failed, "{text}");
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let denied = explained(json!({"tool": "bash", "arguments": {"command": "git push origin main"}}));
    assert_eq!(denied["decision"], "deny", "{denied}");
    assert!(denied["message"].as_str().unwrap().contains("a person pushes"), "{denied}");
    assert!(denied["policies"][0]["reasons"][0]["rule"].is_string(), "{denied}");
    let free = explained(json!({"tool": "bash", "arguments": {"command": "ls"}, "agent": "lead"}));
    assert_ne!(free["decision"], "deny", "{free}");
    let (failed, text) = proxy.text("explain", json!({"tool": "bash", "arguments": "ls"}));
    assert!(failed && text.contains("invalid type"), "{text}");
    // Rules can close it, too.
    let mut closed = world.serve(&["--name", "closed"]);
    assert_eq!(closed.tools(), Vec::<String>::new());
    let (failed, text) = closed.text("explain", json!({"tool": "bash"}));
    assert!(failed && text.contains("nothing to see"), "{text}");
}

const GUARDED: &str = "version: 1
audit: { folder: log }
write_guard: { allow: [src/**, .squad/decisions/**, .squad/skills/**, .squad/agents/**] }
protected: [.squad/skills/**]
rules:
  - { name: no-memory, tools: [mcp__squad__squad_memory], reason: no notes here }
  - { name: no-pages, tools: [web_fetch], reason: no pages }
  - { name: no-history, tools: [squad_memory], reason: only by its bare name }
";

impl World {
    fn guarded(rules: &str) -> Self {
        let world = Self::with_team();
        fs::write(world.path("hooks.yaml"), rules).unwrap();
        world
    }

    /// All files of the team, with their texts.
    fn team(&self) -> String {
        fn all(folder: &std::path::Path, text: &mut String) {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let path = entry.path();
                if path.is_dir() {
                    all(&path, text);
                } else {
                    let content = fs::read(&path).unwrap();
                    *text += &format!("{}\n{}", path.display(), String::from_utf8_lossy(&content));
                }
            }
        }
        let mut text = String::new();
        all(&self.path(".squad"), &mut text);
        text
    }

    fn record(&self) -> String {
        let records = self.hooks(&["audit", "-c", "hooks.yaml", "query"]).output().unwrap();
        String::from_utf8(records.stdout).unwrap()
    }
}

#[test]
fn guards_of_files_judge_what_the_tools_of_a_team_write() {
    let skill = || json!({"skillName": "release", "operation": "write", "content": "c"});
    let decision = || json!({"author": "Lead", "summary": "Use SQLite", "body": "One file."});
    let world = World::guarded(GUARDED);
    let mut proxy = world.serve(&[]);
    let (failed, text) = proxy.text("squad_skill", skill());
    assert!(failed && text.contains("is protected by `.squad/skills/**`"), "{text}");
    let (failed, text) = proxy.text("squad_decide", decision());
    assert!(!failed, "{text}");
    assert!(!world.team().contains("skills/release"), "{}", world.team());
    // Its files are judged, and so is a folder that another option names.
    let world = World::guarded("version: 1\nwrite_guard: { allow: [src/**] }");
    let mut proxy = world.serve(&[]);
    for (tool, arguments) in [("squad_skill", skill()), ("squad_decide", decision())] {
        let (failed, text) = proxy.text(tool, arguments);
        assert!(failed && text.contains("may not be written"), "{text}");
    }
    let (failed, text) = proxy.text("squad_skill", json!({"skillName": "none", "operation": "read"}));
    assert!(failed && !text.contains("may not be written"), "{text}");
}

#[test]
fn the_tools_of_a_team_write_no_secrets() {
    const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let world = World::guarded("version: 1");
    let mut proxy = world.serve(&[]);
    let (failed, text) = proxy.text(
        "squad_decide",
        json!({"author": "Lead", "summary": "Use the token", "body": format!("It is {TOKEN}."), "references": [TOKEN]}),
    );
    assert!(!failed, "{text}");
    let (failed, text) =
        proxy.text("squad_skill", json!({"skillName": "release", "operation": "write", "content": TOKEN}));
    assert!(!failed, "{text}");
    let team = world.team();
    assert!(team.contains("It is [") && !team.contains(TOKEN), "{team}");
}

#[test]
fn explain_names_the_tools_as_the_rules_do_and_writes_nothing() {
    let world = World::guarded(GUARDED);
    let mut proxy = world.serve(&[]);
    let mut explained = |tool: &str, arguments: Value| {
        let (failed, text) = proxy.text("explain", json!({"tool": tool, "arguments": arguments}));
        assert!(!failed, "{text}");
        text
    };
    let note = json!({"agent": "lead", "section": "learnings", "content": "n"});
    for tool in ["squad_memory", "mcp__squad__squad_memory"] {
        let text = explained(tool, note.clone());
        assert!(text.contains("no notes here") && !text.contains("bare name"), "{text}");
    }
    let text = explained("WebFetch", json!({"url": "https://example.com"}));
    assert!(text.contains("no pages"), "{text}");
    let skill = json!({"skillName": "release", "operation": "write", "content": "c"});
    let text = explained("squad_skill", skill.clone());
    assert!(text.contains("is protected by `.squad/skills/**`"), "{text}");
    assert!(!world.path("log").exists(), "an explanation writes nothing");
    // A call is recorded with the file that it writes.
    let (failed, text) = proxy.text("squad_skill", skill);
    assert!(failed, "{text}");
    proxy.writer = None;
    assert_eq!(proxy.end(), Some(0));
    let record = world.record();
    assert!(record.contains("mcp__squad__squad_skill") && !record.contains("explain"), "{record}");
}

/// The version without sessions, and unknown ones.
#[test]
fn both_kinds_of_versions_are_served() {
    let world = World::with_team();
    let mut proxy = world.serve(&["--name", "team"]);
    let of = |version: &str| json!({"_meta": {"io.modelcontextprotocol/protocolVersion": version}});
    let found = proxy.ask("server/discover", of("2026-07-28"));
    assert_eq!(found["result"]["supportedVersions"], json!(["2026-07-28"]), "{found}");
    let list = proxy.ask("tools/list", of("2026-07-28"));
    // The rules name the tools of another server.
    assert_eq!(
        (list["result"]["tools"].as_array().unwrap().len(), &list["result"]["resultType"]),
        (6, &json!("complete"))
    );
    assert_eq!(proxy.ask("tools/list", of("2030-01-01"))["error"]["code"], -32022);
    let old = json!({"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    assert_eq!(proxy.ask("initialize", old)["result"]["protocolVersion"], "2025-11-25");
}

#[test]
fn nothing_is_served_without_rules() {
    let world = World::new(TEAM_RULES);
    fs::remove_file(world.path("hooks.yaml")).unwrap();
    fs::create_dir(world.path(".git")).unwrap();
    let output = world.hooks(&["mcp", "serve"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no rules govern this folder"));
}
