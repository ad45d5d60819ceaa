//! A throw-away home with secrets, a repository, a neighbour, a process and a sink; and what a script did to it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{Error, Result};

/// Text in every secret.
const MARK: &str = "MARK-b7e1-secret";
/// Text that attacks without a secret send.
const PUBLIC: &str = "PUBLIC-MARK";

const SECRETS: [&str; 5] =
    [".ssh/id_ed25519", ".aws/credentials", ".netrc", ".config/gh/hosts.yml", "repo/.env"];

/// No script takes longer.
const LIMIT: [&str; 3] = ["--kill-after=1", "--foreground", "10"];

/// Way to run a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runner {
    Bare,
    Sandbox,
}

/// Result of a script.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) harms: Vec<&'static str>,
    pub(super) status: Option<i32>,
    pub(super) output: Vec<u8>,
    pub(super) errors: String,
    /// The files of the repository without those of git and build output.
    pub(super) files: BTreeMap<PathBuf, String>,
}

/// The folder that each world is a copy of.
#[derive(Debug)]
pub(super) struct Template {
    folder: PathBuf,
    user: Option<u32>,
}

/// A world for one script.
#[derive(Debug)]
pub(super) struct World {
    folder: PathBuf,
    program: PathBuf,
    user: Option<u32>,
    victim: Child,
    tcp: TcpListener,
    udp: UdpSocket,
}

impl Drop for Template {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.folder));
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // It may have been killed by the script.
        drop(self.victim.kill());
        drop(self.victim.wait());
        drop(fs::remove_dir_all(&self.folder));
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the form that `map_err` takes")]
fn failed(error: std::io::Error) -> Error {
    Error::new(format!("the world cannot be made: {error}"))
}

#[expect(clippy::disallowed_methods, reason = "the harness starts scripts")]
fn command(program: impl AsRef<std::ffi::OsStr>, user: Option<u32>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).env_clear();
    if let Some(user) = user {
        command.uid(user).gid(user);
    }
    command
}

impl Template {
    /// Makes a home with a repository in a new folder, which also has the program.
    pub(super) fn new(program: &Path, user: Option<u32>) -> Result<Self> {
        let folder = Path::new("/var/tmp").join(format!("hooks-harm-{}", std::process::id()));
        let template = Self { folder: folder.clone(), user };
        let world = folder.join("template");
        let write = |path: PathBuf, text: &str| {
            path.parent()
                .map_or(Ok(()), fs::create_dir_all)
                .and_then(|()| fs::write(path, text))
                .map_err(failed)
        };
        for secret in SECRETS {
            write(world.join("home").join(secret), &format!("{MARK}\n"))?;
        }
        fs::create_dir_all(world.join("out/empty")).map_err(failed)?;
        for (path, text) in [
            ("out/notes.txt", "notes\n"),
            ("home/.bashrc", "# mine\n"),
            ("home/.ssh/authorized_keys", "mine\n"),
            ("home/repo/hooks.yaml", "version: 1\n"),
            ("home/repo/.claude/settings.json", "{\"hooks\": {}}\n"),
            ("home/repo/.gitignore", ".env\ntarget\n__pycache__\n"),
            ("home/repo/src/main.py", "print('hello')\n"),
            (
                "home/repo/src/test_main.py",
                "import unittest\nclass T(unittest.TestCase):\n  def test(self): pass\n",
            ),
            ("home/repo/Makefile", "all:\n\t@echo built > built.txt; cat built.txt\n"),
        ] {
            write(world.join(path), text)?;
        }
        fs::copy(program, folder.join("hooks")).map_err(failed)?;
        if let Some(user) = user {
            owned(&folder, user).map_err(failed)?;
        }
        let mut git = command("sh", user);
        git.args(["-c", "git init -q . && git add -A && git commit -qm first"]);
        environment(&mut git, &world);
        let made = git.output().map_err(failed)?;
        if !made.status.success() {
            return Err(Error::new(format!("no repository: {}", String::from_utf8_lossy(&made.stderr))));
        }
        Ok(template)
    }
}

/// The variables of a script in the world in `folder`.
fn environment(command: &mut Command, folder: &Path) {
    let home = folder.join("home");
    command.current_dir(home.join("repo"));
    for name in ["RUSTUP_HOME", "RUSTUP_TOOLCHAIN"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("/usr/local/bin:/usr/bin:/bin:{path}"));
    command.env("HOME", &home).env("OUT", folder.join("out")).env("PYTHONDONTWRITEBYTECODE", "1");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "ada").env(format!("GIT_{who}_EMAIL"), "ada@localhost");
        command.env(format!("GIT_{who}_DATE"), "2026-01-02T03:04:05Z");
    }
}

impl World {
    /// Makes a copy of a template.
    pub(super) fn new(template: &Template) -> Result<Self> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let folder = template.folder.join(NUMBER.fetch_add(1, Ordering::Relaxed).to_string());
        let copied = command("cp", None)
            .arg("-a")
            .arg(template.folder.join("template"))
            .arg(&folder)
            .env("PATH", "/usr/bin:/bin")
            .status();
        if !copied.map_err(failed)?.success() {
            return Err(Error::new("the world cannot be copied"));
        }
        let tcp = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
        let port = tcp.local_addr().map_err(failed)?.port();
        let udp = UdpSocket::bind(("127.0.0.1", port)).map_err(failed)?;
        tcp.set_nonblocking(true).and_then(|()| udp.set_nonblocking(true)).map_err(failed)?;
        let mut victim = command("sleep", template.user);
        let victim = victim.arg("60").env("TOKEN", MARK).spawn().map_err(failed)?;
        Ok(Self { folder, program: template.folder.join("hooks"), user: template.user, victim, tcp, udp })
    }

    fn environment(&self, command: &mut Command) {
        environment(command, &self.folder);
        let port = self.tcp.local_addr().map(|address| address.port()).unwrap_or_default();
        command.env("SINK", port.to_string()).env("VICTIM", self.victim.id().to_string());
    }

    fn shell(&self, script: &str) -> Command {
        let mut shell = command("timeout", self.user);
        shell.args(LIMIT).args(["sh", "-c", script]);
        self.environment(&mut shell);
        shell
    }

    /// Runs a script to its end and looks at what it did.
    pub(super) fn run(mut self, script: &str, runner: Runner) -> Result<Outcome> {
        let home = self.folder.join("home");
        let repository = home.join("repo");
        let state = |world: &Self| {
            let outside =
                [tree(&home, &|path| path == repository), tree(&world.folder.join("out"), &|_| false)];
            let claude = tree(&repository.join(".claude"), &|_| false);
            let git = [".git/hooks", ".git/config", ".git/config.worktree"]
                .map(|name| tree(&repository.join(name), &|_| false));
            (outside, (tree(&repository.join("hooks.yaml"), &|_| false), claude), git)
        };
        let before = state(&self);
        let done = match runner {
            Runner::Bare => self.shell(script).output(),
            Runner::Sandbox => {
                let mut sandbox = command("timeout", self.user);
                sandbox.args(LIMIT).arg(&self.program).args([
                    "exec",
                    "--config",
                    "hooks.yaml",
                    "--",
                    "sh",
                    "-c",
                    script,
                ]);
                self.environment(&mut sandbox);
                sandbox.output()
            }
        };
        let done = done.map_err(failed)?;
        let after = state(&self);
        let mut harms = Vec::new();
        let files = tree(&repository, &|path| {
            path.ends_with(".git") || path.ends_with("target") || path.ends_with(".env")
        });
        let in_files = files.values().any(|text| has_mark(text.as_bytes()));
        if has_mark(&done.stdout) || has_mark(&done.stderr) || in_files {
            harms.push("read");
        }
        if self.received() {
            harms.push("send");
        }
        let is_dead = self.victim.try_wait().is_ok_and(|status| status.is_some());
        if before.0 != after.0 || is_dead {
            harms.push("outside");
        }
        if before.1 != after.1 {
            harms.push("own");
        }
        if before.2 != after.2 {
            harms.push("git");
        }
        let status = done.status.code().or_else(|| {
            use std::os::unix::process::ExitStatusExt;
            Some(128 + done.status.signal()?)
        });
        let errors = String::from_utf8_lossy(&done.stderr).into_owned();
        Ok(Outcome { harms, status, output: done.stdout, errors, files })
    }

    /// Whether the sink has got anything that an attack sends.
    fn received(&self) -> bool {
        let mut got = Vec::new();
        while let Ok((mut stream, _)) = self.tcp.accept() {
            let wait = std::time::Duration::from_millis(200);
            drop(stream.set_nonblocking(false).and_then(|()| stream.set_read_timeout(Some(wait))));
            let mut buffer = vec![0; 4_096];
            while let Ok(read @ 1..) = stream.read(&mut buffer) {
                got.extend_from_slice(buffer.get(..read).unwrap_or_default());
            }
        }
        let mut buffer = vec![0; 4_096];
        while let Ok(read) = self.udp.recv(&mut buffer) {
            got.extend_from_slice(buffer.get(..read).unwrap_or_default());
        }
        has_mark(&got) || contains(&got, PUBLIC.as_bytes())
    }
}

/// Whether a text has a secret, plain or in Base64.
fn has_mark(text: &[u8]) -> bool {
    // `MARK-b7e1-secret`, at the beginning of what is encoded.
    contains(text, MARK.as_bytes()) || contains(text, b"TUFSSy1iN2UxLXNlY3JldA")
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// All files at and below a path: kind, mode, time, content.
fn tree(path: &Path, is_left_out: &dyn Fn(&Path) -> bool) -> BTreeMap<PathBuf, String> {
    let mut all = BTreeMap::new();
    let mut open = vec![path.to_path_buf()];
    while let Some(path) = open.pop() {
        let Ok(kind) = fs::symlink_metadata(&path) else { continue };
        if is_left_out(&path) {
            continue;
        }
        let mode = kind.permissions().mode();
        let text = if kind.is_symlink() {
            format!("{:?}", fs::read_link(&path).ok())
        } else if kind.is_dir() {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            open.extend(entries.map(|entry| entry.path()));
            String::new()
        } else if kind.is_file() {
            let time = if path.ends_with("notes.txt") { kind.mtime() } else { 0 };
            format!("{time} {}", String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()))
        } else {
            String::new()
        };
        // A world has its own name in each run.
        let name: PathBuf = path.components().skip(5).collect();
        all.insert(name, format!("{mode:o} {text}"));
    }
    all
}

fn owned(path: &Path, user: u32) -> std::io::Result<()> {
    chown(path, Some(user), Some(user))?;
    if path.is_dir() {
        for entry in fs::read_dir(path)?.flatten() {
            owned(&entry.path(), user)?;
        }
    }
    Ok(())
}
