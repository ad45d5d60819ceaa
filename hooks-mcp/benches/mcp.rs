//! `cargo xtask bench mcp`: the latency that `hooks mcp` adds to a tool call, at 3,000 calls a second.
//!
//! A client sends calls at fixed times to a server, in turns directly and through the proxy, which judges them by the rules that
//! `hooks init` writes first, and redacts. The latency of a call is counted from the time when it was due, so that a proxy that
//! falls behind shows it. Each figure is the difference of a pair of runs; of all pairs, the middle one counts.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a bench that cannot run has failed"
)]
#![expect(clippy::disallowed_methods, reason = "it starts processes and measures real time")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

const CALLS_A_SECOND: u32 = 3_000;
const CALLS: u32 = 6_000;
/// Calls at the start that do not count.
const WARM: usize = 500;
const PAIRS: usize = 7;
const BARS: [(&str, f64, Duration); 2] =
    [("p50", 0.50, Duration::from_micros(30)), ("p99", 0.99, Duration::from_micros(150))];

const RULES: &str = "version: 1
redaction: {}
write_guard: { allow: [src/**] }
read_guard: { deny: ['**/.env', '~/.ssh/**'] }
command_guard: { block: [rm -rf] }
rules:
  - { name: shut, tools: [mcp__bench__shut] }
";

fn main() {
    let arguments: Vec<String> = env::args().collect();
    if arguments.iter().any(|argument| argument == "--server") {
        return serve();
    }
    let Some(hooks) = arguments.iter().skip_while(|argument| *argument != "--hooks").nth(1) else {
        println!("call it with `cargo xtask bench mcp`");
        return;
    };
    let folder = env::temp_dir().join(format!("hooks-bench-mcp-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("hooks.yaml"), RULES).unwrap();
    let missed = measure(hooks, &folder);
    drop(fs::remove_dir_all(&folder));
    if missed {
        std::process::exit(1);
    }
}

/// Measures all pairs; returns whether a bar is missed.
fn measure(hooks: &str, folder: &Path) -> bool {
    let own = env::current_exe().unwrap();
    let direct = || {
        let mut command = Command::new(&own);
        command.arg("--server");
        command
    };
    let proxied = || {
        let mut command = Command::new(hooks);
        command.args(["mcp", "--name", "bench", "--"]).arg(&own).arg("--server");
        command
    };
    let mut pairs: Vec<(Vec<Duration>, Vec<Duration>)> = Vec::new();
    for number in 0..PAIRS {
        // Each is first in half of the pairs.
        pairs.push(if number % 2 == 0 {
            let first = run(direct(), folder);
            (first, run(proxied(), folder))
        } else {
            let second = run(proxied(), folder);
            (run(direct(), folder), second)
        });
    }
    let mut missed = false;
    for (name, part, bar) in BARS {
        let at = |sorted: &[Duration]| sorted[((sorted.len() - 1) as f64 * part) as usize];
        let mut both: Vec<_> = pairs.iter().map(|(direct, proxied)| (at(direct), at(proxied))).collect();
        both.sort_by_key(|(direct, proxied)| proxied.saturating_sub(*direct));
        let (direct, proxied) = both[both.len() / 2];
        let added = proxied.saturating_sub(direct);
        let ratio = proxied.as_secs_f64() / direct.as_secs_f64();
        missed |= added > bar;
        let verdict = if added > bar { "MISSED" } else { "ok" };
        println!(
            "{name}: direct {direct:?}, through the proxy {proxied:?} ({ratio:.2} times): adds {added:?} of {bar:?} {verdict}"
        );
    }
    missed
}

/// Sends the calls; returns their latencies in order of size.
fn run(mut command: Command, folder: &Path) -> Vec<Duration> {
    command.current_dir(folder).env("HOME", folder).env("XDG_STATE_HOME", folder.join("state"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the server starts");
    let (mut writer, reader) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let mut lines = reader.lines().map(Result::unwrap);
    // The first call waits for the start.
    send(&mut writer, CALLS);
    lines.next().expect("an answer");
    let begun = Instant::now();
    let due = move |number: u32| begun + Duration::from_secs(1) * number / CALLS_A_SECOND;
    let reading = thread::spawn(move || {
        let mut latencies: Vec<Duration> = lines
            .by_ref()
            .take(CALLS as usize)
            .map(|line| {
                let id = line.split("\"id\":").nth(1).and_then(|rest| rest.split([',', '}']).next()).unwrap();
                due(id.parse().unwrap()).elapsed()
            })
            .skip(WARM)
            .collect();
        latencies.sort_unstable();
        latencies
    });
    for number in 0..CALLS {
        thread::sleep(due(number).saturating_duration_since(Instant::now()));
        send(&mut writer, number);
    }
    let latencies = reading.join().unwrap();
    drop(writer);
    drop(child.wait());
    latencies
}

fn send(writer: &mut impl Write, id: u32) {
    let call = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"search\",\"arguments\":{{\"query\":\"quarterly report\",\"limit\":{id}}}}}}}\n"
    );
    writer.write_all(call.as_bytes()).unwrap();
}

/// Answers calls.
fn serve() {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let id = line.split("\"id\":").nth(1).and_then(|rest| rest.split(',').next()).unwrap_or_default();
        let answer = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"Found three documents about it, the newest from March.\"}}]}}}}\n"
        );
        if out.write_all(answer.as_bytes()).and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}
