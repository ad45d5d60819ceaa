//! The Claude Code plugin and the Gemini CLI extension in `hooks-cli/plugins`: their hooks are the portable lines of `hooks init`.

use std::{env, fs};

use hooks_protocols::Client;
use serde_json::Value;

use super::settings::{self, Form};
use super::{command, wiring};

const PACKAGES: [(Client, &str, &str); 2] = [
    (Client::Claude, "claude", ".claude-plugin/plugin.json"),
    (Client::Gemini, "gemini", "gemini-extension.json"),
];

#[test]
fn packages_have_the_lines_of_init_and_its_version() {
    for (client, folder, manifest) in PACKAGES {
        let line = |event| (event, command::line(command::PORTABLE, client, event, &[]));
        let lines: Vec<_> = settings::events(client).into_iter().map(line).collect();
        let expected = wiring::wire("", client, Form::Grouped, &lines).unwrap();
        let path = format!("plugins/{folder}/hooks/hooks.json");
        if env::var_os("HOOKS_BLESS").is_some() {
            fs::write(&path, &expected).unwrap();
        }
        let written = fs::read_to_string(&path).unwrap_or_default();
        assert!(written == expected, "{path} is not what `hooks init` writes; HOOKS_BLESS=1 writes it");
        let manifest = fs::read_to_string(format!("plugins/{folder}/{manifest}")).unwrap();
        let manifest: Value = serde_json::from_str(&manifest).unwrap();
        assert_eq!(manifest["name"], "tower-hooks");
        assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"), "{folder}");
    }
}
