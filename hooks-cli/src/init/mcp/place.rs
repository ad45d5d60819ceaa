//! The files in which clients keep their MCP servers, by their documentation.

use std::path::PathBuf;

use hooks::config::places::Places;
use hooks_protocols::Client;

use crate::init::Scope;
use crate::init::place::Base;

/// A file with MCP servers.
pub(crate) struct ServerFile {
    /// The file.
    pub(crate) path: PathBuf,
    /// Form of the servers in it.
    pub(crate) form: ServerForm,
}

/// The form of MCP servers in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServerForm {
    /// JSON: an object of the root with this key.
    Json(&'static str),
    /// JSON: `mcpServers` of the root, and of each object in `projects`.
    JsonOfProjects,
    /// TOML: `mcp_servers`.
    Toml,
}

/// Key of the servers in most files.
pub(super) const SERVERS: &str = "mcpServers";

/// The files of a client in a scope; empty if none is known.
pub(crate) fn files(client: Client, base: &Base) -> Vec<ServerFile> {
    let json = |path| vec![ServerFile { path, form: ServerForm::Json(SERVERS) }];
    match (client, base.scope) {
        (Client::Claude, Scope::Machine) => json(base.join("etc/claude-code/managed-mcp.json")),
        (_, Scope::Machine) => Vec::new(),
        (Client::Claude, Scope::Project) => json(base.join(".mcp.json")),
        (Client::Claude, Scope::User) => {
            let folder = Places::here().named_by("CLAUDE_CONFIG_DIR");
            let path = folder.map_or_else(|| base.join(".claude.json"), |folder| folder.join(".claude.json"));
            vec![ServerFile { path, form: ServerForm::JsonOfProjects }]
        }
        (Client::Codex, _) => {
            vec![ServerFile { path: base.in_folder(".codex", "config.toml"), form: ServerForm::Toml }]
        }
        (Client::Gemini, _) => json(base.join(".gemini/settings.json")),
        (Client::Qwen, _) => json(base.in_folder(".qwen", "settings.json")),
        (Client::Copilot, Scope::Project) => {
            let paths = [".mcp.json", ".github/mcp.json"].map(|path| json(base.join(path)));
            paths.into_iter().flatten().collect()
        }
        (Client::Copilot, Scope::User) => json(base.in_folder(".copilot", "mcp-config.json")),
        (Client::VsCode, Scope::Project) => {
            vec![ServerFile { path: base.join(".vscode/mcp.json"), form: ServerForm::Json("servers") }]
        }
        (Client::Cursor, _) => json(base.join(".cursor/mcp.json")),
        (Client::Windsurf, Scope::User) => json(base.join(".codeium/windsurf/mcp_config.json")),
        (Client::Droid, _) => json(base.join(".factory/mcp.json")),
        (Client::Kimi, Scope::User) => json(base.in_folder(".kimi", "mcp.json")),
        _ => Vec::new(),
    }
}
