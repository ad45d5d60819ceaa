//! `hooks exec`: real processes and the real kernel, in throw-away folders.
//!
//! Where the kernel refuses a mechanism, the command must not run, and the reason is printed. The tests accept nothing else, and that only
//! without `HOOKS_SANDBOX_REQUIRED`.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "support/held.rs"]
mod held;
#[path = "support/terminal.rs"]
mod terminal;

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use held::is_held;

/// A home with a secret, and a project with rules in it.
struct World {
    _folder: tempfile::TempDir,
    home: PathBuf,
    project: PathBuf,
    user: Option<u32>,
}

impl World {
    fn new(rules: &str, user: Option<u32>) -> Self {
        let folder = tempfile::Builder::new().tempdir_in("/var/tmp").unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (home, project) = (root.join("home"), root.join("home/project"));
        fs::create_dir_all(home.join(".ssh")).unwrap();
        fs::create_dir_all(project.join("src")).unwrap();
        fs::write(home.join(".ssh/id_rsa"), "KEY\n").unwrap();
        fs::write(project.join(".env"), "TOKEN=1\n").unwrap();
        fs::write(project.join("src/a"), "passed on\n").unwrap();
        fs::write(project.join("hooks.yaml"), rules).unwrap();
        fs::hard_link(env!("CARGO_BIN_EXE_hooks"), root.join("hooks"))
            .or_else(|_| fs::copy(env!("CARGO_BIN_EXE_hooks"), root.join("hooks")).map(|_| ()))
            .unwrap();
        if let Some(user) = user {
            let all = [&root, &home, &home.join(".ssh"), &home.join(".ssh/id_rsa"), &project];
            let more = ["src", "src/a", ".env", "hooks.yaml"].map(|name| project.join(name));
            for path in all.into_iter().chain(&more) {
                std::os::unix::fs::chown(path, Some(user), Some(user)).unwrap();
            }
        }
        Self { _folder: folder, home, project, user }
    }

    fn command(&self, options: &[&str], script: &str) -> Command {
        self.started_by("exec", options, script)
    }

    /// The command, started by some words of a shell.
    #[expect(clippy::disallowed_methods, reason = "the test starts the program")]
    fn started_by(&self, words: &str, options: &[&str], script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &format!("{words} \"$0\" \"$@\"")]).arg(self.home.join("../hooks"));
        command.arg("exec").args(options).args(["--", "sh", "-c", script]);
        command.current_dir(&self.project).env_clear().env("HOME", &self.home).env("PATH", "/usr/bin:/bin");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        command
    }

    fn exec(&self, script: &str) -> Output {
        self.command(&[], script).output().unwrap()
    }
}

/// As the user who runs the tests, and as an ordinary one if that is the superuser.
fn users() -> Vec<Option<u32>> {
    if rustix::process::geteuid().is_root() { vec![None, Some(65_534)] } else { vec![None] }
}

#[test]
fn what_the_rules_close_is_closed_and_the_rest_is_open() {
    for user in users() {
        let world = World::new("version: 1\n", user);
        let script = "cat ~/.ssh/id_rsa .env; echo x > ~/out; echo x >> hooks.yaml; mv hooks.yaml y; echo x > src/a; \
                      echo x > /tmp/t && cat /tmp/t; exit 9";
        let done = world.exec(script);
        let errors = String::from_utf8_lossy(&done.stderr).into_owned();
        if is_held(&done) {
            assert_eq!((done.status.code(), &*done.stdout), (Some(9), &b"x\n"[..]), "{errors}");
            assert_eq!(fs::read_to_string(world.project.join("src/a")).unwrap(), "x\n");
        }
        assert!(!world.home.join("out").exists());
        assert_eq!(fs::read_to_string(world.project.join("hooks.yaml")).unwrap(), "version: 1\n");
    }
}

#[test]
fn files_that_govern_agents_do_not_stay() {
    let world = World::new("version: 1\n", None);
    let done = world.exec("mkdir .claude; echo '{}' > .claude/settings.json; echo x > .claude/notes");
    assert!(!world.project.join(".claude/settings.json").exists());
    if is_held(&done) {
        assert!(world.project.join(".claude/notes").exists());
        assert!(String::from_utf8_lossy(&done.stderr).contains("removed"));
    }
}

/// Another status than that of a command that did not run.
#[test]
fn a_folder_in_which_files_cannot_be_looked_for_has_a_status_of_its_own() {
    let world = World::new("version: 1\n", None);
    let name = "a".repeat(200);
    let done =
        world.exec(&format!("for i in $(seq 25); do mkdir {name} && cd -P {name} || exit 1; done; echo ran"));
    if is_held(&done) {
        assert_eq!((done.status.code(), &*done.stdout), (Some(123), &b"ran\n"[..]), "{done:?}");
        assert!(String::from_utf8_lossy(&done.stderr).contains("cannot be searched"), "{done:?}");
    }
}

/// A folder that its owner has closed can be opened again in the sandbox, unless it is masked.
#[test]
fn a_closed_folder_does_not_hide_a_secret() {
    use std::os::unix::fs::PermissionsExt;
    for user in users() {
        let world = World::new("version: 1\n", user);
        for (name, mode) in [("a", 0o000), ("b", 0o311)] {
            let folder = world.project.join(name);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join(".env"), "TOKEN=4711\n").unwrap();
            fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
            std::os::unix::fs::chown(&folder, user, user).unwrap();
        }
        let done = world.exec("cat b/.env; chmod 755 a b; cat a/.env b/.env; true");
        assert!(!String::from_utf8_lossy(&done.stdout).contains("4711"), "{done:?}");
        assert!(!is_held(&done) || done.status.success(), "{done:?}");
    }
}

/// A command can open terminals, and sees none of the machine.
#[test]
fn terminals_are_its_own() {
    for user in users() {
        let world = World::new("version: 1\n", user);
        let done = world.exec("ls /dev/pts; exec 3<>/dev/ptmx && ls /dev/pts");
        if is_held(&done) {
            assert_eq!(String::from_utf8_lossy(&done.stdout), "ptmx\n0\nptmx\n", "{done:?}");
        }
    }
}

/// A command in the background of a terminal could take its place in front, and read what a person types.
#[test]
fn a_command_without_input_does_not_read_the_terminal() {
    let world = World::new("version: 1\n", None);
    let script = "exec perl -MPOSIX -e '$SIG{TTOU} = \"IGNORE\"; open(T, \"+<\", \"/dev/tty\") or die; \
                  print POSIX::tcsetpgrp(fileno(T), getpgrp()) ? \"in front\" : \"refused\"'";
    let mut command = world.started_by("exec setsid -cw", &[], script);
    let (status, shown) = terminal::at_a_terminal(&mut command, "");
    assert!(status.code() == Some(125) || shown.contains("refused"), "{shown}");
}

/// Behind a folder that a client has left open are all files as they are outside. What a shell passes on stays.
#[test]
fn open_folders_are_not_inherited() {
    for user in users() {
        let world = World::new("version: 1\n", user);
        let script = "cat /proc/self/fd/9/.ssh/id_rsa; cat <&8";
        let done = world.started_by("exec 9< \"$HOME\" 8< src/a; exec", &[], script).output().unwrap();
        assert!(!String::from_utf8_lossy(&done.stdout).contains("KEY"), "{done:?}");
        if is_held(&done) {
            assert_eq!(String::from_utf8_lossy(&done.stdout), "passed on\n", "{done:?}");
        }
    }
}

/// A promise that cannot be kept stops the command, and the reason names the pattern.
#[test]
fn a_pattern_that_cannot_be_looked_up_stops_the_command() {
    for (unavailable, runs) in [("deny", false), ("guards-only", true)] {
        let rules = format!(
            "version: 1\nread_guard: {{ deny: ['/usr/**/x/secret.key'] }}\nsandbox: {{ unavailable: {unavailable} }}\n"
        );
        let done = World::new(&rules, None).exec("echo ran");
        let errors = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(errors.contains("/usr/**/x/secret.key"), "{errors}");
        assert_eq!((done.stdout == b"ran\n", done.status.code() == Some(125)), (runs, !runs), "{errors}");
    }
}

#[test]
fn exit_statuses_and_order_are_kept() {
    let world = World::new("version: 1\nredaction: { labels: [AWS_ACCESS_KEY_ID] }\n", None);
    let done = world.exec("echo key AKIA''IOSFODNN7QWERTYU; kill -TERM $$");
    if !is_held(&done) {
        return;
    }
    assert_eq!(done.status.code(), Some(143));
    let output = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(output.starts_with("key ") && !output.contains("AKIAIOSFODNN7QWERTYU"), "{output}");
    let done = world.command(&[], "for i in 1 2 3; do echo out $i; echo err $i >&2; done");
    let mut done = done;
    let (mut reader, writer) = std::io::pipe().unwrap();
    done.stdout(writer.try_clone().unwrap()).stderr(writer);
    let mut child = done.spawn().unwrap();
    drop(done);
    let mut all = String::new();
    std::io::Read::read_to_string(&mut reader, &mut all).unwrap();
    child.wait().unwrap();
    assert_eq!(all, "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test waits for real processes")]
fn everything_ends_with_the_command_and_with_its_parent() {
    let world = World::new("version: 1\n", None);
    let beginning = Instant::now();
    let done = world.exec("sleep 60 & setsid sleep 60 & exit 0");
    assert!(!is_held(&done) || done.status.success(), "{done:?}");
    assert!(beginning.elapsed() < Duration::from_secs(30));
    let mut child = world.command(&[], "while :; do date +%N > tick; sleep 0.05; done").spawn().unwrap();
    let tick = || fs::read_to_string(world.project.join("tick")).unwrap_or_default();
    for _ in 0..400 {
        if !tick().is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let last = tick();
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(tick(), last, "the command goes on although its parent was killed");
}

/// The first rules name the places of secrets as a set. The sandbox has them, also if the rules name none.
#[test]
fn the_places_of_secrets_are_closed() {
    for rules in ["version: 1\n", "version: 1\nread_guard: { sets: [secrets] }\n"] {
        let world = World::new(rules, None);
        fs::write(world.project.join(".env"), "KEY=4711\n").unwrap();
        fs::write(world.project.join(".env.example"), "KEY=\n").unwrap();
        let done = world.exec("cat .env; cat .env.example");
        if is_held(&done) {
            let printed = String::from_utf8_lossy(&done.stdout).into_owned();
            assert!(!printed.contains("4711") && printed.contains("KEY="), "{rules}: {done:?}");
        }
    }
}

/// A server on loopback that answers each connection.
fn answering_server() -> u16 {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            drop(stream.read(&mut [0; 4_096]));
            drop(
                stream
                    .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\nConnection: close\r\n\r\nanswered"),
            );
        }
    });
    port
}

/// Text of bash that asks the proxy for a host.
fn through_proxy(host: &str) -> String {
    format!(
        "exec 3<>/dev/tcp/127.0.0.1/${{https_proxy##*:}}; printf 'GET http://{host}/ HTTP/1.1\\r\\n\\r\\n' >&3; cat <&3; exec 3>&-;"
    )
}

#[test]
fn a_listed_host_is_reached_through_the_proxy_alone() {
    let (port, other) = (answering_server(), answering_server());
    for user in users() {
        let rules =
            format!("version: 1\nsandbox: {{ egress: ['127.0.0.1:{port}'] }}\naudit: {{ folder: log }}\n");
        let world = World::new(&rules, user);
        let script = format!(
            "bash -c \"{}\"; bash -c \"{}\"; bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port} && echo direct'; exit 7",
            through_proxy(&format!("127.0.0.1:{port}")).replace('$', "\\$"),
            through_proxy(&format!("127.0.0.1:{other}")).replace('$', "\\$"),
        );
        let done = world.command(&["--report"], &script).output().unwrap();
        let (output, errors) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        assert!(!output.contains("direct"), "{output}");
        if is_held(&done) {
            assert_eq!(done.status.code(), Some(7), "{errors}");
            assert_eq!(
                (output.matches("answered").count(), output.matches("403 Forbidden").count()),
                (1, 1),
                "{output}"
            );
            let line =
                format!("hooks exec: refused the connection to `127.0.0.1:{other}`: it is not in the list");
            assert_eq!(errors.matches(&line).count(), 1, "{errors}");
            assert!(errors.contains("\"connections\":[{\"host\":\"127.0.0.1\""), "{errors}");
            let log = texts_below(&world.project.join("log"));
            assert!(log.contains("sandbox.connections") && log.contains(&other.to_string()), "{log}");
        }
    }
}

/// The text of all files below a folder.
fn texts_below(folder: &std::path::Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => text.push_str(&texts_below(&path)),
            false => text.push_str(&String::from_utf8_lossy(&fs::read(&path).unwrap_or_default())),
        }
    }
    text
}

/// In a sandbox, no further namespace can be made.
#[test]
fn a_list_of_hosts_is_not_promised_without_namespaces() {
    let world = World::new("version: 1\nsandbox: { egress: [a.example] }\n", None);
    fs::write(
        world.project.join("guards.yaml"),
        "version: 1\nsandbox: { egress: [a.example], unavailable: guards-only }\n",
    )
    .unwrap();
    let done = world.exec("../../hooks exec -- echo ran; ../../hooks exec --config guards.yaml -- sh -c 'echo through $HTTPS_PROXY'");
    if is_held(&done) {
        let (output, errors) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        assert!(!output.contains("ran") && output.contains("through http://127.0.0.1:"), "{output} {errors}");
        assert!(errors.contains("no connection but to the listed hosts"), "{errors}");
        assert!(errors.contains("its port is open on every host"), "{errors}");
    }
}

/// Without mounts, protected files are restored when the command has ended, and no process of it is left that could change them again.
#[test]
fn protected_files_are_restored_without_namespaces() {
    let world = World::new("version: 1\n", None);
    let rules = "version: 1\nprotected: [kept.txt]\nsandbox: { unavailable: guards-only }\n";
    fs::write(world.project.join("guards.yaml"), rules).unwrap();
    fs::write(world.project.join("kept.txt"), "mine\n").unwrap();
    let done = world.exec(
        "../../hooks exec --config guards.yaml -- sh -c 'echo evil > kept.txt; cat kept.txt'; cat kept.txt; \
         ../../hooks exec --config guards.yaml -- sh -c 'setsid sh -c \"sleep 0.3; echo late > kept.txt\" & kill -9 $PPID'; \
         sleep 0.6; cat kept.txt",
    );
    if is_held(&done) {
        let (output, errors) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        assert_eq!(output, "evil\nmine\nmine\n", "{errors}");
        assert!(errors.contains("restored `") && errors.contains("kept.txt`"), "{errors}");
    }
}

/// No right of Landlock closes these, so the calls that make them are refused.
#[test]
fn no_socket_leads_outside_without_namespaces() {
    let world = World::new("version: 1\n", None);
    let rules = "version: 1\nsandbox: { unavailable: guards-only }\n";
    fs::write(world.project.join("guards.yaml"), rules).unwrap();
    let script = "import socket as s\n\
        def tried(name, make):\n  try: make(); print(name)\n  except OSError: pass\n\
        tried('unix', lambda: s.socket(s.AF_UNIX))\n\
        tried('datagrams', lambda: s.socketpair(s.AF_UNIX, s.SOCK_DGRAM))\n\
        tried('listen', lambda: s.socket().listen())\n\
        tried('udp', lambda: s.socket(s.AF_INET, s.SOCK_DGRAM))\n\
        tried('pair', lambda: s.socketpair(s.AF_UNIX))\n";
    fs::write(world.project.join("try.py"), script).unwrap();
    let done = world.exec("../../hooks exec --config guards.yaml -- python3 try.py");
    if is_held(&done) {
        let (output, errors) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        assert_eq!(output, "pair\n", "{errors}");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test starts the program")]
fn the_rules_are_printed_for_other_sandboxes() {
    let world = World::new("version: 1\n", None);
    let emit = |format: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
        command.args(["sandbox", "emit", "--for", format]).current_dir(&world.project);
        command.env("HOME", &world.home).output().unwrap()
    };
    let done = emit("srt");
    let settings: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let has = |key: &str, file: PathBuf| {
        settings["filesystem"][key].as_array().unwrap().contains(&file.to_str().unwrap().into())
    };
    assert!(has("allowWrite", world.project.clone()), "{settings}");
    assert!(has("denyRead", world.project.join(".env")) && has("denyRead", world.home.join(".ssh")));
    assert!(has("denyWrite", world.project.join("hooks.yaml")), "{settings}");
    assert!(String::from_utf8_lossy(&done.stderr).contains("new files"));
    let wrong = emit("bwrap");
    assert!(
        !wrong.status.success() && String::from_utf8_lossy(&wrong.stderr).contains("unknown format `bwrap`")
    );
}
