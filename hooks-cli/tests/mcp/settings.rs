//! `hooks init --mcp`: the servers in a client's settings, started as the client would start them.

use super::*;

/// A server in the settings of a client, with a comment and blanks that have to stay where the form has them.
fn in_json(server: &str, seen: &str) -> String {
    format!(
        "{{\n  \"other\": 1,\n  \"mcpServers\": {{\n    \"small\": {{\n      \"command\": \"python3\",\n      \"args\": [\n        {},\n        {}\n      ],\n      \"env\": {{\"WHO\": \"me\"}}\n    }},\n    \"bare\": {{\"command\": \"true\"}},\n    \"far\": {{\"type\": \"http\", \"url\": \"http://127.0.0.1:9/mcp\"}}\n  }}\n}}\n",
        json!(server),
        json!(seen)
    )
}

fn in_toml(server: &str, seen: &str) -> String {
    format!(
        "model = \"m\" # mine\n\n[mcp_servers.small]\ncommand = \"python3\" # theirs\nargs = [{}, {}]\nenv = {{ WHO = \"me\" }}\n\n[mcp_servers.bare]\ncommand = \"true\"\n\n[mcp_servers.far]\nurl = \"http://127.0.0.1:9/mcp\"\n",
        json!(server),
        json!(seen)
    )
}

/// The files of the clients, and the scope.
const FILES: [(&str, &str, &str); 8] = [
    ("claude", "project", ".mcp.json"),
    ("claude", "user", "home/.claude.json"),
    ("codex", "project", ".codex/config.toml"),
    ("codex", "user", "home/.codex/config.toml"),
    ("gemini", "project", ".gemini/settings.json"),
    ("qwen", "user", "home/.qwen/settings.json"),
    ("copilot", "user", "home/.copilot/mcp-config.json"),
    ("cursor", "project", ".cursor/mcp.json"),
];

impl World {
    fn init(&self, client: &str, scope: &str, options: &[&str]) -> String {
        let mut command = self.hooks(&["init", client, "--mcp", "--scope", scope]);
        for variable in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "QWEN_HOME", "COPILOT_HOME"] {
            command.env_remove(variable);
        }
        let output = command.args(options).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        text
    }

    /// Starts the server `small` as a client does that read these settings.
    fn start_from(&self, settings: &str) -> Proxy {
        let (program, words) = if let Ok(settings) = serde_json::from_str::<Value>(settings) {
            let small = &settings["mcpServers"]["small"];
            assert_eq!(small["env"], json!({"WHO": "me"}));
            (small["command"].clone(), small["args"].clone())
        } else {
            // The two lines of the table are JSON as well.
            let table = settings.split("[mcp_servers.small]").nth(1).unwrap();
            let value = |key: &str| {
                let line = table.lines().find(|line| line.starts_with(key)).unwrap();
                let value = line.split_once(" = ").unwrap().1;
                serde_json::from_str(value.split(" #").next().unwrap()).unwrap()
            };
            (value("command"), value("args"))
        };
        let words: Vec<String> = serde_json::from_value(words).unwrap();
        let mut command = Command::new(program.as_str().unwrap());
        command.args(words).current_dir(self.folder.path()).env("HOME", self.path("home"));
        command
            .env("XDG_STATE_HOME", self.path("state"))
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("HOOKS_CONFIG");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (writer, reader) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Proxy { child, writer, reader }
    }
}

#[test]
fn the_servers_of_a_client_are_governed_and_restored_byte_for_byte() {
    for (client, scope, file) in FILES {
        let world = World::new(RULES);
        // The project ends here.
        fs::create_dir(world.path(".git")).unwrap();
        let server = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/server.py");
        let seen = world.path("seen");
        let form = if file.ends_with(".toml") { in_toml } else { in_json };
        let original = form(server, seen.to_str().unwrap());
        fs::create_dir_all(world.path(file).parent().unwrap()).unwrap();
        fs::write(world.path(file), &original).unwrap();

        let dry = world.init(client, scope, &["--dry-run"]);
        assert!(dry.contains("\"--name\", \"small\"") && dry.contains("nothing was written"), "{dry}");
        assert_eq!(fs::read_to_string(world.path(file)).unwrap(), original, "{client}");

        let shown = world.init(client, scope, &[]);
        assert!(shown.contains("`far`") && shown.contains("stays as it is"), "{shown}");
        let governed = fs::read_to_string(world.path(file)).unwrap();
        assert!(world.init(client, scope, &[]).contains("nothing to do"), "{client}");
        assert_eq!(fs::read_to_string(world.path(file)).unwrap(), governed, "{client}");

        let mut proxy = world.start_from(&governed);
        let closed = proxy.call("closed", json!({}));
        assert_eq!(closed["result"]["isError"], true, "{client}: {closed}");
        let echo = proxy.call("echo", json!({"what": "pid"}));
        assert!(echo["result"]["isError"] != true, "{client}: {echo}");
        assert!(!world.seen().contains("\"closed\""), "{client}");

        world.init(client, scope, &["--remove"]);
        assert_eq!(fs::read_to_string(world.path(file)).unwrap(), original, "{client}");
    }
}

/// Hooks and servers are in one file, and each is removed alone.
#[test]
fn hooks_and_servers_in_one_file_are_independent() {
    let server =
        "{\n  \"mcpServers\": {\n    \"small\": {\"command\": \"python3\", \"args\": [\"s.py\"]}\n  }\n}\n";
    let (hooks, servers) = (&["init", "gemini", "--scope", "project"][..], "--mcp");
    for [first, second, third, last] in
        [[false, true, true, false], [false, true, false, true], [true, false, true, false]]
    {
        let world = World::new(RULES);
        fs::create_dir_all(world.path(".gemini")).unwrap();
        fs::create_dir(world.path(".git")).unwrap();
        let file = world.path(".gemini/settings.json");
        fs::write(&file, server).unwrap();
        let run = |is_server: bool, is_removal: bool| {
            let mut command = world.hooks(hooks);
            command.args(is_server.then_some(servers)).args(is_removal.then_some("--remove"));
            assert!(command.output().unwrap().status.success());
            fs::read_to_string(&file).unwrap()
        };
        run(first, false);
        let both = run(second, false);
        assert!(both.contains("\"--name\"") && both.contains("BeforeTool"), "{both}");
        let one = run(third, true);
        assert_eq!((one.contains("\"--name\""), one.contains("BeforeTool")), (!third, third), "{one}");
        assert_eq!(run(last, true), server);
    }
}

/// Without rules the proxy does not start, so the first rules are written with the settings.
#[test]
fn first_rules_are_written_where_there_are_none() {
    let world = World::new(RULES);
    fs::create_dir(world.path(".git")).unwrap();
    fs::remove_file(world.path("hooks.yaml")).unwrap();
    let settings = in_json(
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/server.py"),
        world.path("seen").to_str().unwrap(),
    );
    fs::write(world.path(".mcp.json"), settings).unwrap();
    assert!(world.init("copilot", "project", &[]).contains("hooks.yaml"));
    let mut proxy = world.start_from(&fs::read_to_string(world.path(".mcp.json")).unwrap());
    assert!(proxy.call("closed", json!({}))["result"]["isError"] != true);
    let denied = proxy.call("shell", json!({"command": "git push --force"}));
    assert_eq!(denied["result"]["isError"], true, "{denied}");
}

/// Regression test: the lines around a change were printed with the secrets in them.
#[test]
fn secrets_near_a_change_are_not_printed() {
    let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let settings = format!(
        "{{\n  \"mcpServers\": {{\n    \"small\": {{\n      \"env\": {{\"WHO\": \"my own word\"}},\n      \"command\": \"python3\",\n      \"args\": [\"s.py\", \"{token}\"]\n    }},\n    \"far\": {{\"url\": \"http://127.0.0.1:9/mcp\", \"headers\": {{\"X-Team\": \"another word\"}}}}\n  }}\n}}\n"
    );
    let world = World::new(RULES);
    fs::create_dir(world.path(".git")).unwrap();
    fs::write(world.path(".mcp.json"), &settings).unwrap();
    for options in [&["--dry-run"][..], &[], &["--remove"]] {
        let shown = world.init("claude", "project", options);
        assert!(shown.contains("\"WHO\": \"[hidden]\"") && shown.contains("s.py"), "{shown}");
        assert!(
            ["my own word", "another word", token].iter().all(|secret| !shown.contains(secret)),
            "{shown}"
        );
    }
    assert_eq!(fs::read_to_string(world.path(".mcp.json")).unwrap(), settings);
}

#[test]
fn settings_that_clients_read_differently_are_refused() {
    let twice =
        "{\"mcpServers\": {\"a\": {\"command\": \"s\"}}, \"mcpServers\": {\"b\": {\"command\": \"s\"}}}";
    let one = "{\"mcpServers\": {\"a\": {\"command\": \"s\"}}}";
    let little: Vec<u8> = one.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked =
        [&[0xfe, 0xff][..], &one.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>()].concat();
    for (settings, why) in [
        (twice.as_bytes(), "the key `mcpServers` is given twice"),
        (&little, "is in UTF-16; save it as UTF-8"),
        (&marked, "is in UTF-16; save it as UTF-8"),
    ] {
        let world = World::new(RULES);
        fs::create_dir(world.path(".git")).unwrap();
        fs::write(world.path(".mcp.json"), settings).unwrap();
        let output = world.hooks(&["init", "claude", "--mcp", "--scope", "project"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(why), "{said}");
        assert_eq!(fs::read(world.path(".mcp.json")).unwrap(), settings);
        let output = world.hooks(&["doctor", "claude"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("cannot be read") && said.contains(why), "{said}");
    }
}

#[test]
fn a_client_without_known_servers_is_refused() {
    let world = World::new(RULES);
    for (client, options) in [("opencode", &["--scope", "user"][..]), ("squad", &[]), ("codex", &["--trust"])]
    {
        let output = world.hooks(&["init", client, "--mcp"]).args(options).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{client}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
