//! `cargo xtask e2e mcp`: official MCP servers from npm and PyPI behind `hooks mcp`, called by the official inspector and by
//! the official SDK for Python.
//!
//! Two of the servers are reached by a URL, too: one with sessions, and one in the version 2026-07-28, which has none.
//!
//! Each claim is checked twice: without the proxy, where the call does its work, and with it. The SDK for Python speaks the version
//! 2026-07-28, and the others older ones.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::sandbox::{self, Run};
use super::{build, install};
use crate::error::{Error, Result};

/// Packages from npm.
const PACKAGES: [&str; 3] = [
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/inspector@0.15.0",
];

/// The SDK for Python, from PyPI.
const SDK: &str = "mcp==2.3.0";

const PATIENCE: Duration = Duration::from_secs(300);

const RULES: &str = "version: 1
redaction: {}
write_guard: { allow: [src/**] }
rules:
  - { name: no-moves, tools: [mcp__server__move_file], reason: files stay where they are }
  - { name: no-variables, tools: [mcp__server__get-env], reason: no variables }
  - { name: shut, tools: [mcp__server__shut], reason: this tool is closed }
";

/// A text that the redaction finds.
const TOKEN: &str = concat!("ghp_", "q7Lw2ZxV9bNtR4yKc8JdF3mHs6PgA1uTeYoX");

/// Runs all servers.
///
/// # Errors
/// Returns an error if a claim does not hold, or a package cannot be installed.
pub(super) fn run() -> Result {
    let world = World::new(build()?)?;
    world.files()?;
    world.everything()?;
    world.python()?;
    world.everything_by_url()?;
    world.python_by_url()?;
    world.served()?;
    println!("MCP: every claim holds");
    Ok(())
}

struct World {
    hooks: PathBuf,
    packages: PathBuf,
    python: PathBuf,
    work: PathBuf,
}

impl World {
    fn new(hooks: PathBuf) -> Result<Self> {
        let folder = install::folder()?.join("mcp");
        let (packages, python) = (folder.join("npm"), folder.join("python"));
        fs::create_dir_all(&packages)?;
        let prefix = text(&packages)?.to_owned();
        let mut arguments = vec!["install", "--no-audit", "--no-fund", "--prefix", &prefix];
        arguments.extend(PACKAGES);
        succeeded(sandbox::with_our_environment("npm", &arguments, PATIENCE)?)?;
        succeeded(sandbox::with_our_environment("python3", &["-m", "venv", text(&python)?], PATIENCE)?)?;
        let pip = python.join("bin/pip");
        succeeded(sandbox::with_our_environment(text(&pip)?, &["install", "--quiet", SDK], PATIENCE)?)?;
        let work = folder.join("work");
        if work.exists() {
            fs::remove_dir_all(&work)?;
        }
        fs::create_dir_all(work.join("src"))?;
        let work = work.canonicalize()?;
        fs::write(work.join("hooks.yaml"), RULES)?;
        fs::write(work.join("src/token.txt"), TOKEN)?;
        fs::write(work.join("server.py"), SERVER.replace("TOKEN", TOKEN))?;
        fs::write(work.join("client.py"), CLIENT)?;
        Ok(Self { hooks, packages, python: python.join("bin/python"), work })
    }

    fn program(&self, name: &str) -> Result<String> {
        Ok(text(&self.packages.join("node_modules/.bin").join(name))?.to_owned())
    }

    /// The server's command, behind the proxy if `is_governed`. A script, as the inspector takes options for its own.
    fn command(&self, server: &[&str], is_governed: bool) -> Result<PathBuf> {
        let quoted: Vec<String> = server.iter().map(|word| format!("'{word}'")).collect();
        let (hooks, rules) = (text(&self.hooks)?, text(&self.work)?);
        let proxy = match is_governed {
            true => format!("'{hooks}' mcp --name server --config '{rules}/hooks.yaml' -- "),
            false => String::new(),
        };
        let script = format!("#!/bin/sh\ncd '{rules}' && exec {proxy}{}\n", quoted.join(" "));
        self.script(if is_governed { "governed.sh" } else { "plain.sh" }, &script)
    }

    fn script(&self, name: &str, text_of_it: &str) -> Result<PathBuf> {
        let path = self.work.join(name);
        fs::write(&path, text_of_it)?;
        succeeded(sandbox::with_our_environment("chmod", &["+x", text(&path)?], PATIENCE)?)?;
        Ok(path)
    }

    /// A script that starts a server on a free port, which is `PORT` for it, and the proxy before its URL.
    fn command_for_url(&self, server: &str) -> Result<PathBuf> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let (hooks, rules) = (text(&self.hooks)?, text(&self.work)?);
        let url = format!("http://127.0.0.1:{port}/mcp");
        let script = format!(
            "#!/bin/sh\ncd '{rules}' || exit 1\nexport PORT={port}\n{server} </dev/null >server.log 2>&1 &\nserver=$!\n\
             trap 'kill $server' EXIT\ntrap 'exit 1' HUP INT TERM\n\
             until node -e 'fetch(\"{url}\").catch(() => process.exit(1))'; do kill -0 $server || exit 1; done\n\
             '{hooks}' mcp --name server --config '{rules}/hooks.yaml' --url {url}\n"
        );
        self.script("by-url.sh", &script)
    }

    /// Output of the inspector for a request.
    fn inspect(&self, server: &[&str], is_governed: bool, request: &[&str]) -> Result<String> {
        let command = self.command(server, is_governed)?;
        self.inspected(&command, request)
    }

    fn inspected(&self, command: &Path, request: &[&str]) -> Result<String> {
        let mut arguments = vec!["--cli", text(command)?];
        arguments.extend(request);
        let run = sandbox::with_our_environment(&self.program("mcp-inspector")?, &arguments, PATIENCE)?;
        Ok(run.stdout + &run.stderr)
    }

    fn claim(&self, server: &[&str], request: &[&str], plain: &str, governed: &str) -> Result {
        for (is_governed, expected, other) in [(false, plain, governed), (true, governed, plain)] {
            let printed = self.inspect(server, is_governed, request)?;
            if !printed.contains(expected) || (!other.is_empty() && printed.contains(other)) {
                let what = if is_governed { "behind the proxy" } else { "alone" };
                return Err(Error::new(format!("{request:?} {what}: expected `{expected}`:\n{printed}")));
            }
        }
        println!(
            "{}: {}: `{governed}` instead of `{plain}`",
            server.last().unwrap_or(&""),
            request.join(" ")
        );
        Ok(())
    }

    fn files(&self) -> Result {
        let (program, work) = (self.program("mcp-server-filesystem")?, text(&self.work)?.to_owned());
        let server: [&str; 3] = ["node", &program, &work];
        let outside = format!("path={work}/outside.txt");
        let write =
            ["--method", "tools/call", "--tool-name", "write_file", "--tool-arg", &outside, "content=x"];
        self.claim(&server, &write, "Successfully wrote", "may not be written")?;
        let inside = format!("path={work}/src/inside.txt");
        let write =
            ["--method", "tools/call", "--tool-name", "write_file", "--tool-arg", &inside, "content=x"];
        let written = self.inspect(&server, true, &write)?;
        expect(&written, "Successfully wrote")?;
        let token = format!("path={work}/src/token.txt");
        let read = ["--method", "tools/call", "--tool-name", "read_text_file", "--tool-arg", &token];
        self.claim(&server, &read, TOKEN, "[GITHUB_TOKEN_REDACTED]")?;
        let listed = self.inspect(&server, true, &["--method", "tools/list"])?;
        expect(&listed, "\"write_file\"")?;
        if listed.contains("\"move_file\"") {
            return Err(Error::new("`move_file` is listed"));
        }
        Ok(())
    }

    fn everything(&self) -> Result {
        let program = self.program("mcp-server-everything")?;
        let server: [&str; 2] = ["node", &program];
        let call = ["--method", "tools/call", "--tool-name", "get-env"];
        self.claim(&server, &call, "PATH", "no variables")?;
        for (tool, expected) in [
            ("get-tiny-image", "\"image\""),
            ("get-structured-content", "structuredContent"),
            ("get-resource-links", "\"resource_link\""),
        ] {
            let mut call = vec!["--method", "tools/call", "--tool-name", tool];
            if tool == "get-structured-content" {
                call.extend(["--tool-arg", "location=Chicago"]);
            }
            // The same, byte for byte.
            let (plain, governed) =
                (self.inspect(&server, false, &call)?, self.inspect(&server, true, &call)?);
            expect(&governed, expected)?;
            if plain != governed {
                return Err(Error::new(format!("`{tool}` answers differently:\n{plain}\n{governed}")));
            }
        }
        for method in ["resources/list", "prompts/list", "resources/templates/list"] {
            let same = self.inspect(&server, false, &["--method", method])?
                == self.inspect(&server, true, &["--method", method])?;
            if !same {
                return Err(Error::new(format!("`{method}` answers differently")));
            }
        }
        println!(
            "server-everything: images, structured content, links, resources and prompts pass unchanged"
        );
        Ok(())
    }

    /// The SDK's client and server, in the newest version that both speak.
    fn python(&self) -> Result {
        let python = text(&self.python)?;
        let script = |name: &str| Ok::<_, Error>(text(&self.work.join(name))?.to_owned());
        let (client, server) = (script("client.py")?, script("server.py")?);
        let run = |is_governed| {
            let command = self.command(&[python, &server], is_governed)?;
            succeeded(sandbox::with_our_environment(python, &[&client, text(&command)?], PATIENCE)?)
        };
        let (plain, governed) = (run(false)?, run(true)?);
        for expected in ["version 2026-07-28", "tools ['add', 'token', 'shut']", "shut ran", TOKEN] {
            expect(&plain.stdout, expected)?;
        }
        is_governed(&governed)?;
        println!("SDK for Python, 2026-07-28: judged, hidden and redacted");
        Ok(())
    }

    /// A server with sessions and events.
    fn everything_by_url(&self) -> Result {
        let program = self.program("mcp-server-everything")?;
        let command = self.command_for_url(&format!("node '{program}' streamableHttp"))?;
        let call = |tool: &str, argument: &str| {
            let mut call = vec!["--method", "tools/call", "--tool-name", tool];
            call.extend(["--tool-arg", argument]);
            self.inspected(&command, &call)
        };
        expect(&call("get-env", "a=b")?, "no variables")?;
        expect(&call("echo", &format!("message={TOKEN}"))?, "Echo: [GITHUB_TOKEN_REDACTED]")?;
        expect(&call("trigger-long-running-operation", "duration=1")?, "operation completed")?;
        let listed = self.inspected(&command, &["--method", "tools/list"])?;
        expect(&listed, "\"echo\"")?;
        if listed.contains("\"get-env\"") {
            return Err(Error::new("`get-env` is listed"));
        }
        println!("server-everything by its URL: judged, hidden and redacted");
        Ok(())
    }

    /// A server without sessions, which compares the headers with the message.
    fn python_by_url(&self) -> Result {
        let python = text(&self.python)?;
        let server = SERVER.replace("TOKEN", TOKEN);
        let server = server
            .replace("app.run()", "import os\napp.run('streamable-http', port=int(os.environ['PORT']))");
        fs::write(self.work.join("by_url.py"), server)?;
        let command = self.command_for_url(&format!("'{python}' by_url.py"))?;
        let client = self.work.join("client.py");
        let arguments = [text(&client)?, text(&command)?];
        is_governed(&succeeded(sandbox::with_our_environment(python, &arguments, PATIENCE)?)?)?;
        println!("SDK for Python, 2026-07-28, by its URL: judged, hidden and redacted");
        Ok(())
    }
}

impl World {
    /// `hooks mcp serve`, for the inspector and for the SDK in the newest version.
    fn served(&self) -> Result {
        let (hooks, rules) = (text(&self.hooks)?, text(&self.work)?);
        let script = format!(
            "#!/bin/sh\ncd '{rules}' && exec '{hooks}' mcp serve --name server --config hooks.yaml\n"
        );
        let command = self.script("served.sh", &script)?;
        expect(&self.inspected(&command, &["--method", "tools/list"])?, "\"explain\"")?;
        let call =
            ["--method", "tools/call", "--tool-name", "explain", "--tool-arg", "tool=mcp__server__shut"];
        expect(&self.inspected(&command, &call)?, "this tool is closed")?;
        let client = self.work.join("explained.py");
        fs::write(&client, EXPLAINED)?;
        let python = text(&self.python)?;
        let arguments = [text(&client)?, text(&command)?];
        let run = succeeded(sandbox::with_our_environment(python, &arguments, PATIENCE)?)?;
        for expected in ["version 2026-07-28", "tools ['explain']", "this tool is closed"] {
            expect(&run.stdout, expected)?;
        }
        println!("`hooks mcp serve`: listed, called and explained, for both");
        Ok(())
    }
}

/// Checks the output of the SDK's client behind the proxy.
fn is_governed(run: &Run) -> Result {
    for expected in [
        "version 2026-07-28",
        "tools ['add', 'token']",
        "add 3",
        "shut this tool is closed",
        "[GITHUB_TOKEN_REDACTED]",
    ] {
        expect(&run.stdout, expected)?;
    }
    if run.stdout.contains(TOKEN) {
        return Err(Error::new(format!("the token passed:\n{}", run.stdout)));
    }
    Ok(())
}

fn expect(printed: &str, expected: &str) -> Result {
    match printed.contains(expected) {
        true => Ok(()),
        false => Err(Error::new(format!("expected `{expected}`:\n{printed}"))),
    }
}

fn succeeded(run: Run) -> Result<Run> {
    match run.succeeded {
        true => Ok(run),
        false => Err(Error::new(format!("it failed:\n{}{}", run.stdout, run.stderr))),
    }
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| Error::new(format!("`{}` is not a string", path.display())))
}

const SERVER: &str = r#"
from mcp.server import MCPServer
app = MCPServer("py")

@app.tool()
def add(a: int, b: int) -> int:
    return a + b

@app.tool()
def token() -> str:
    return "TOKEN"

@app.tool()
def shut() -> str:
    return "ran"

@app.resource("note://a")
def note() -> str:
    return "TOKEN"

app.run()
"#;

const CLIENT: &str = r#"
import asyncio
import sys

from mcp import Client, StdioServerParameters, stdio_client


async def main():
    server = stdio_client(StdioServerParameters(command=sys.argv[1], args=[]))
    async with Client(server) as client:
        print("version", client.protocol_version)
        print("tools", [tool.name for tool in (await client.list_tools()).tools])
        for name, arguments in (("add", {"a": 1, "b": 2}), ("token", {}), ("shut", {})):
            print(name, (await client.call_tool(name, arguments)).content[0].text)
        print("note", (await client.read_resource("note://a")).contents[0].text)


asyncio.run(main())
"#;

const EXPLAINED: &str = r#"
import asyncio
import sys

from mcp import Client, StdioServerParameters, stdio_client


async def main():
    server = stdio_client(StdioServerParameters(command=sys.argv[1], args=[]))
    async with Client(server) as client:
        print("version", client.protocol_version)
        print("tools", [tool.name for tool in (await client.list_tools()).tools])
        call = {"tool": "mcp__server__shut", "arguments": {}}
        print((await client.call_tool("explain", call)).content[0].text)


asyncio.run(main())
"#;
