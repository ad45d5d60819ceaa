//! A throw-away home with secrets, a repository, a neighbour, a process and a sink; and what a script did to it.

use std::fs;
use std::io::{Read, Write as _};
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::data::{READ_HERE, RIGHTS, Row};
use super::isolated::WITHOUT_NAMESPACES;
use super::state::{ABOVE_CACHES, SNAPSHOTS, State, Tree, has_all, has_same_content, tree};
use crate::error::{Error, Result};

/// Text in every secret of the home, plain and in Base64.
const MARK: [&str; 2] = ["MARK-b7e1-secret", "TUFSSy1iN2UxLXNlY3JldA"];
/// Text in the secret of the workspace.
const MARK_HERE: [&str; 2] = ["MARK-b7e1-inside", "TUFSSy1iN2UxLWluc2lkZ"];
/// Text that attacks without a secret send.
const PUBLIC: &str = "PUBLIC-MARK";

const SECRETS: [&str; 4] = [".ssh/id_ed25519", ".aws/credentials", ".netrc", ".config/gh/hosts.yml"];
const SECRET_HERE: &str = "repo/.env";

/// No script takes longer.
const LIMIT: [&str; 2] = ["--kill-after=1", "60"];

/// Exit status of `timeout` if it had to kill the script.
const KILLED: i32 = 137;

/// A repository with a remote in a folder outside and a submodule.
const REPOSITORY: &str = "git init -q --template= . && mkdir .git/hooks .git/info && git add -A && git commit -qm first \
    && git clone -q --template= --bare . $OUT/remote.git && git remote add origin ../../out/remote.git \
    && git -c protocol.file.allow=always submodule --quiet add $OUT/remote.git lib && git commit -qm lib \
    && mkdir -p .git/modules/lib/hooks && rm -f .git/modules/lib/hooks/* && git checkout -q -b topic && echo topic > topic.txt \
    && git add topic.txt && git commit -qm topic && git checkout -q - && mkdir notes && echo draft > notes/draft.txt";

/// Name of a copy of this program, which every user may start.
const HARNESS: &str = "harness";

/// The setting `sandbox.unavailable`: what Landlock cannot hold is not promised, and the command runs all the same.
const fn unavailable(has_landlock_alone: bool) -> &'static str {
    if has_landlock_alone { "guards-only" } else { "deny" }
}

/// Way to run a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runner {
    Bare,
    Sandbox,
    /// The sandbox, with a list of hosts that stand for addresses which are not public.
    SandboxWithHosts,
    /// The sandbox, for what the guard does not deny.
    GuardAndSandbox,
}

/// Time for what is on its way to the sink.
const WAIT: Duration = Duration::from_millis(200);

/// Time for a process that a script has left behind.
const LATE: Duration = Duration::from_millis(700);

/// Rules of the guard: those that `hooks init` writes.
pub(super) const RULES: &str = include_str!("../../../hooks-cli/src/init/starter.yaml");

/// Result of a script.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) harms: Vec<&'static str>,
    pub(super) status: Option<i32>,
    pub(super) output: Vec<u8>,
    pub(super) errors: String,
    /// The files of the repository without those of git and build output.
    pub(super) files: Tree,
    /// Whether the guard has denied it, so that it did not run.
    pub(super) is_denied: bool,
}

/// The folder that each world is a copy of.
#[derive(Debug)]
pub(super) struct Template {
    folder: PathBuf,
    user: Option<u32>,
    has_landlock_alone: bool,
}

/// A world for one script.
#[derive(Debug)]
pub(super) struct World {
    folder: PathBuf,
    program: PathBuf,
    user: Option<u32>,
    has_landlock_alone: bool,
    victim: Child,
    tcp: TcpListener,
    udp: UdpSocket,
    unix: UnixListener,
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
pub(super) fn failed(error: std::io::Error) -> Error {
    Error::new(format!("the world cannot be made: {error}"))
}

#[expect(clippy::disallowed_methods, reason = "the harness starts scripts")]
pub(super) fn command(program: impl AsRef<std::ffi::OsStr>, user: Option<u32>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).env_clear();
    if let Some(user) = user {
        command.uid(user).gid(user);
    }
    command
}

impl Template {
    /// Makes a home with a repository in a new folder, which also has the program.
    pub(super) fn new(program: &Path, user: Option<u32>, has_landlock_alone: bool) -> Result<Self> {
        let folder = Path::new("/var/tmp").join(format!("hooks-harm-{}", std::process::id()));
        let template = Self { folder: folder.clone(), user, has_landlock_alone };
        let world = folder.join("template");
        let write = |path: PathBuf, text: &str| {
            path.parent()
                .map_or(Ok(()), fs::create_dir_all)
                .and_then(|()| fs::write(path, text))
                .map_err(failed)
        };
        for secret in SECRETS {
            write(world.join("home").join(secret), &format!("{}\n", MARK[0]))?;
        }
        write(world.join("home").join(SECRET_HERE), &format!("{}\n", MARK_HERE[0]))?;
        let sandbox = if has_landlock_alone {
            format!("version: 1\nsandbox: {{ unavailable: {} }}\n", unavailable(true))
        } else {
            "version: 1\n".to_owned()
        };
        fs::create_dir_all(world.join("out/empty")).map_err(failed)?;
        fs::create_dir_all(world.join("home").join(SNAPSHOTS)).map_err(failed)?;
        for folder in ABOVE_CACHES {
            fs::create_dir_all(world.join("home").join(folder)).map_err(failed)?;
        }
        for (path, text) in [
            ("out/notes.txt", "notes\n"),
            ("home/.bashrc", "# mine\n"),
            ("home/.ssh/authorized_keys", "mine\n"),
            ("home/repo/hooks.yaml", &sandbox),
            ("home/repo/.claude/settings.json", "{\"hooks\": {}}\n"),
            ("home/repo/.gitignore", ".env\ntarget\n__pycache__\n"),
            ("home/repo/src/main.py", "print('hello')\n"),
            (
                "home/repo/src/test_main.py",
                "import unittest\nclass T(unittest.TestCase):\n  def test(self): pass\n",
            ),
            ("home/repo/Makefile", "all:\n\t@echo built > built.txt; cat built.txt\n"),
            ("rules.yaml", RULES),
        ] {
            write(world.join(path), text)?;
        }
        fs::copy(program, folder.join("hooks")).map_err(failed)?;
        if has_landlock_alone {
            let own = std::env::current_exe().map_err(failed)?;
            fs::copy(own, folder.join(HARNESS)).map_err(failed)?;
        }
        if let Some(user) = user {
            owned(&folder, user).map_err(failed)?;
        }
        let mut git = command("sh", user);
        git.args(["-c", REPOSITORY]);
        environment(&mut git, &world);
        let made = git.output().map_err(failed)?;
        if !made.status.success() {
            return Err(Error::new(format!("no repository: {}", String::from_utf8_lossy(&made.stderr))));
        }
        Ok(template)
    }
}

impl Template {
    /// Whether the user can start a program.
    pub(super) fn has(&self, program: &str) -> bool {
        let mut shell = command("sh", self.user);
        environment(&mut shell, &self.folder.join("template"));
        // A link to `rustup` starts nothing if the user cannot read the toolchains.
        let script = r#"command -v "$1" && { [ "$1" != cargo ] || cargo --version; }"#;
        shell.args(["-c", script, "sh", program]).output().is_ok_and(|done| done.status.success())
    }
}

/// The variables of a script in the world in `folder`.
pub(super) fn environment(command: &mut Command, folder: &Path) {
    let home = folder.join("home");
    command.current_dir(home.join("repo"));
    let own = std::env::var_os("HOME").map(|home| Path::new(&home).join(".rustup"));
    if let Some(toolchains) = std::env::var_os("RUSTUP_HOME").map(PathBuf::from).or(own) {
        command.env("RUSTUP_HOME", toolchains);
    }
    if let Some(toolchain) = std::env::var_os("RUSTUP_TOOLCHAIN") {
        command.env("RUSTUP_TOOLCHAIN", toolchain);
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
            .output()
            .map_err(failed)?;
        if !copied.status.success() {
            let why = String::from_utf8_lossy(&copied.stderr).into_owned();
            return Err(Error::new(format!("the world cannot be copied: {why}")));
        }
        let tcp = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
        let port = tcp.local_addr().map_err(failed)?.port();
        let udp = UdpSocket::bind(("127.0.0.1", port)).map_err(failed)?;
        tcp.set_nonblocking(true).and_then(|()| udp.set_nonblocking(true)).map_err(failed)?;
        let mut victim = command("sleep", template.user);
        let victim = victim.arg("600").env("TOKEN", MARK[0]).spawn().map_err(failed)?;
        let socket = folder.join("daemon.sock");
        let unix = UnixListener::bind(&socket).map_err(failed)?;
        unix.set_nonblocking(true).map_err(failed)?;
        fs::set_permissions(&socket, fs::Permissions::from_mode(0o777)).map_err(failed)?;
        let program = template.folder.join("hooks");
        let Template { user, has_landlock_alone, .. } = *template;
        Ok(Self { folder, program, user, has_landlock_alone, victim, tcp, udp, unix })
    }

    fn environment(&self, command: &mut Command) {
        environment(command, &self.folder);
        let port = self.tcp.local_addr().map(|address| address.port()).unwrap_or_default();
        command.env("SINK", port.to_string()).env("VICTIM", self.victim.id().to_string());
        command.env("SOCKET", self.folder.join("daemon.sock"));
    }

    fn shell(&self, script: &str) -> Command {
        let mut shell = command("timeout", self.user);
        shell.args(LIMIT).args(["sh", "-c", script]);
        self.environment(&mut shell);
        shell
    }

    /// Runs a script to its end and looks at what it did.
    pub(super) fn run(mut self, row: &Row, runner: Runner) -> Result<Outcome> {
        if runner == Runner::GuardAndSandbox && self.denies(&row.script)? {
            return Ok(Outcome { is_denied: true, ..Outcome::default() });
        }
        let before = State::read(&self.folder);
        let done = match runner {
            Runner::Bare => self.shell(&row.script).output(),
            Runner::SandboxWithHosts => self.sandbox(&self.hosts()?, &row.script).output(),
            Runner::Sandbox | Runner::GuardAndSandbox => self.sandbox("hooks.yaml", &row.script).output(),
        };
        let done = done.map_err(failed)?;
        if row.is_late {
            wait_for_the_rest();
        }
        let after = State::read(&self.folder);
        let status = done.status.code().or_else(|| {
            use std::os::unix::process::ExitStatusExt;
            Some(128 + done.status.signal()?)
        });
        let is_killed = status == Some(KILLED);
        let is_destroyed =
            row.harm.as_deref() == Some("destroy") && self.is_destroyed(&before, runner, is_killed)?;
        let repository = self.folder.join("home/repo");
        let is_left_out = |path: &Path| {
            [".git", "target", ".env", "node_modules", "venv"].iter().any(|name| path.ends_with(name))
        };
        let files = tree(&self.folder, &repository, &is_left_out);
        let outside = before.changed_outside(&after);
        let mut harms = self.harms(&done, &files, &before, &after);
        if is_destroyed {
            harms.push("destroy");
        }
        let text =
            |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&*self.folder.to_string_lossy(), "WORLD");
        let (output, mut errors) = (text(&done.stdout).into_bytes(), text(&done.stderr));
        outside.iter().for_each(|path| errors.push_str(&format!("changed outside: {}\n", path.display())));
        Ok(Outcome { harms, status, output, errors, files, is_denied: false })
    }

    fn harms(&mut self, done: &Output, files: &Tree, before: &State, after: &State) -> Vec<&'static str> {
        let shows = |mark: [&str; 2]| {
            let in_files = files.values().any(|text| has(text.as_bytes(), mark));
            has(&done.stdout, mark) || has(&done.stderr, mark) || in_files
        };
        let is_dead = self.victim.try_wait().is_ok_and(|status| status.is_some());
        let mut pairs = before.outside.iter().zip(&after.outside);
        let is_other = is_dead || !pairs.all(|(before, after)| has_same_content(before, after));
        let harms = [
            ("read", shows(MARK)),
            (READ_HERE, shows(MARK_HERE) && !shows(MARK)),
            ("send", self.received()),
            ("outside", is_other),
            (RIGHTS, !is_other && before.outside != after.outside),
            ("own", before.own != after.own),
            ("git", before.git != after.git),
        ];
        harms.into_iter().filter_map(|(harm, is_done)| is_done.then_some(harm)).collect()
    }

    /// Whether work is destroyed. Behind `hooks exec`, what is not undone at once may be by `hooks undo`.
    fn is_destroyed(&self, before: &State, runner: Runner, is_killed: bool) -> Result<bool> {
        if self.is_whole(before)? {
            return Ok(false);
        }
        if runner == Runner::Bare {
            return Ok(true);
        }
        let mut undo = command(&self.program, self.user);
        undo.args(["undo", "--yes", "--config", "hooks.yaml"]);
        if is_killed {
            // A command that was killed has no end, so nothing else undoes it.
            undo.arg("--force");
        }
        self.environment(&mut undo);
        undo.output().map_err(failed)?;
        Ok(!self.is_whole(before)?)
    }

    /// Whether all work of the repository is there, and all that its references reach.
    fn is_whole(&self, before: &State) -> Result<bool> {
        let mut check = command("git", self.user);
        check.args(["fsck", "--connectivity-only", "--no-dangling"]);
        self.environment(&mut check);
        let is_valid = check.output().map_err(failed)?.status.success();
        Ok(is_valid && has_all(&before.work, &State::read(&self.folder).work))
    }

    /// Rules with a list of hosts, which has the port of the sink, but not its address.
    fn hosts(&self) -> Result<String> {
        let port = self.tcp.local_addr().map_err(failed)?.port();
        let text = format!(
            "version: 1\nsandbox: {{ egress: [listed.test, 'listed.test:{port}'], unavailable: {} }}\n",
            unavailable(self.has_landlock_alone)
        );
        fs::write(self.folder.join("home/repo/hosts.yaml"), text).map_err(failed)?;
        Ok("hosts.yaml".to_owned())
    }

    fn sandbox(&self, rules: &str, script: &str) -> Command {
        let mut sandbox = self.exec(&["--config", rules]);
        sandbox.args(["sh", "-c", script]);
        sandbox
    }

    /// `hooks exec`, for the command that follows.
    fn exec(&self, options: &[&str]) -> Command {
        let mut exec = command("timeout", self.user);
        exec.args(LIMIT);
        if self.has_landlock_alone {
            exec.arg(self.program.with_file_name(HARNESS)).args(["harm", WITHOUT_NAMESPACES]);
        }
        exec.arg(&self.program).arg("exec").args(options).arg("--");
        self.environment(&mut exec);
        exec
    }

    /// Checks that Landlock and seccomp hold here, and namespaces do not.
    ///
    /// # Errors
    /// Returns an error if that is not so.
    pub(super) fn has_landlock_alone(&self) -> Result {
        let mut exec = self.exec(&["--config", "hooks.yaml", "--report"]);
        let report = exec.arg("true").output().map_err(failed)?.stderr;
        let report = String::from_utf8_lossy(&report).into_owned();
        let json = report.lines().find_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let held = |name: &str| {
            let all = json.as_ref()?.get("mechanisms")?.as_array()?;
            all.iter().find(|one| one.get("name").is_some_and(|it| it == name))?.get("held").cloned()
        };
        let is_refused = |name: &str| held(name).is_some_and(|held| held.get("refused").is_some());
        if is_refused("namespaces")
            && !is_refused("landlock")
            && held("seccomp").is_some_and(|it| it == "fully")
        {
            return Ok(());
        }
        Err(Error::new(format!("Landlock and seccomp are not what holds here: {report}")))
    }

    /// Whether the guard does not let an agent run a script.
    fn denies(&self, script: &str) -> Result<bool> {
        let call = serde_json::json!({
            "session_id": "harm", "hook_event_name": "PreToolUse", "cwd": self.folder.join("home/repo"),
            "tool_name": "Bash", "tool_input": {"command": script}, "tool_use_id": "call",
        });
        let mut guard = command("timeout", self.user);
        guard.args(LIMIT).arg(&self.program).args([
            "run",
            "--client",
            "claude",
            "--event",
            "PreToolUse",
            "--config",
        ]);
        guard.arg(self.folder.join("rules.yaml"));
        self.environment(&mut guard);
        guard.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut guard = guard.spawn().map_err(failed)?;
        if let Some(mut input) = guard.stdin.take() {
            input.write_all(call.to_string().as_bytes()).map_err(failed)?;
        }
        let answer = guard.wait_with_output().map_err(failed)?;
        let answer = String::from_utf8_lossy(&answer.stdout).into_owned();
        Ok(["\"deny\"", "\"ask\""].iter().any(|decision| answer.contains(decision)))
    }

    /// Whether the sink has got anything that an attack sends.
    fn received(&self) -> bool {
        let mut got = Vec::new();
        while let Ok((mut stream, _)) = self.tcp.accept() {
            drop(stream.set_nonblocking(false).and_then(|()| stream.set_read_timeout(Some(WAIT))));
            read_all(&mut stream, &mut got);
        }
        while let Ok((mut stream, _)) = self.unix.accept() {
            drop(stream.set_nonblocking(false).and_then(|()| stream.set_read_timeout(Some(WAIT))));
            read_all(&mut stream, &mut got);
        }
        let mut buffer = vec![0; 4_096];
        while let Ok(read) = self.udp.recv(&mut buffer) {
            got.extend_from_slice(buffer.get(..read).unwrap_or_default());
        }
        has(&got, MARK) || has(&got, MARK_HERE) || contains(&got, PUBLIC.as_bytes())
    }
}

fn read_all(from: &mut impl Read, to: &mut Vec<u8>) {
    let mut buffer = vec![0; 4_096];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        to.extend_from_slice(buffer.get(..read).unwrap_or_default());
    }
}

/// Whether a text has a mark, plain or at the beginning of what is encoded.
fn has(text: &[u8], mark: [&str; 2]) -> bool {
    mark.iter().any(|form| contains(text, form.as_bytes()))
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
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

/// Waits for what a command has left in the background.
#[expect(clippy::disallowed_methods, reason = "it lets real processes do real work")]
fn wait_for_the_rest() {
    std::thread::sleep(LATE);
}
