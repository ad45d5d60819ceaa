//! The two stages between the caller and the command; see the [module](super).

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitCode};

use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::Pid;

use super::stages::{Network, THIS_PROGRAM};
use super::watch::{Watch, end_children, hold_signals, release_signals};
use super::{FAILED, apart, capabilities, hand_out, landlock, mounts, namespaces, network, seccomp};
use crate::config::Unavailable;
use crate::enforced::{Enforced, Held};
use crate::plan::Plan;

/// The word by which a program that starts itself again knows that it is a stage.
pub(super) const WORD: &str = "sandbox-stage";

/// The promise that mounts keep. Where it is not held, the caller restores these files when the command has ended.
pub(super) const CLOSED_STAY: &str = "protected files, own files and git settings stay";

/// The mechanism by which all processes of a command end with it.
pub(super) const NAMESPACES: &str = "namespaces";

/// Arguments of a stage on its command line.
#[derive(Debug)]
pub(super) struct Order {
    /// Numbers of the open files with the plan, and for the report.
    pub(super) plan: i32,
    pub(super) report: i32,
    /// Number of the open file on which the caller confirms its copies of what no mount holds.
    pub(super) copied: i32,
    /// Whether the command shares the terminal and its signals.
    pub(super) shares_terminal: bool,
    /// Network of the command.
    pub(super) network: Network,
    /// Progress of the first stage, for the second one.
    pub(super) reached: Option<String>,
    /// Number of the socket that takes the listener of the proxy.
    pub(super) listener: Option<i32>,
    /// Port of the proxy.
    pub(super) proxy: Option<u16>,
    pub(super) command: Vec<OsString>,
}

impl Order {
    /// The command line of the stage.
    pub(super) fn words(&self) -> Vec<OsString> {
        let shares = if self.shares_terminal { "shared" } else { "own" };
        let numbers = [self.plan, self.report, self.copied].map(|number| number.to_string().into());
        let mut words: Vec<OsString> = vec![WORD.into()];
        words.extend(numbers);
        words.extend([shares.into(), self.network.word().into()]);
        words.push(self.reached.as_deref().unwrap_or_default().into());
        words.push(self.listener.map(|number| number.to_string()).unwrap_or_default().into());
        words.push(self.proxy.map(|port| port.to_string()).unwrap_or_default().into());
        words.extend(self.command.iter().cloned());
        words
    }

    fn parse(mut words: impl Iterator<Item = OsString>) -> Option<Self> {
        let mut text = || words.next()?.into_string().ok();
        let (plan, report, copied) = (text()?.parse().ok()?, text()?.parse().ok()?, text()?.parse().ok()?);
        let shares_terminal = text()? == "shared";
        let network = Network::parse(&text()?);
        let reached = Some(text()?).filter(|text| !text.is_empty());
        let (listener, proxy) = (text()?.parse().ok(), text()?.parse().ok());
        Some(Self {
            plan,
            report,
            copied,
            shares_terminal,
            network,
            reached,
            listener,
            proxy,
            command: words.collect(),
        })
    }

    fn read(&self) -> Result<Plan, String> {
        let path = format!("/proc/self/fd/{}", self.plan);
        let text = fs::read_to_string(path).map_err(|error| format!("no plan: {error}"))?;
        serde_json::from_str(&text).map_err(|error| format!("no plan: {error}"))
    }

    /// Closes what the caller has left open and the command must not inherit. Behind an open folder are all files of the machine,
    /// without mounts of our own. Behind a socket is another process. Pipes and files, which a shell passes on by number, stay.
    fn close_inherited(&self) -> std::io::Result<()> {
        let number = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<i32>().ok();
        let open: Vec<i32> = fs::read_dir("/proc/self/fd")?.flatten().filter_map(number).collect();
        for number in open {
            let of = fs::metadata(format!("/proc/self/fd/{number}"));
            let is_kept = of.is_ok_and(|of| of.is_file() || of.file_type().is_fifo());
            if number > 2
                && !is_kept
                && ![self.plan, self.report, self.copied].contains(&number)
                && self.listener != Some(number)
            {
                // That of the list itself is closed already.
                _ = nix::unistd::close(number);
            }
        }
        Ok(())
    }

    /// Makes the listener of the proxy where the command is, and hands it to the caller; returns its port.
    ///
    /// Without a network of its own, its port would be open on every host. Then it is made only for a list of the rules.
    fn hand_out(&self, is_inside: bool, enforced: &mut Enforced) -> Option<u16> {
        let to = self.listener?;
        if !is_inside && self.network.has_found_hosts {
            _ = nix::unistd::close(to);
            let why = "without namespaces, its port would be open on every host";
            enforced.add("proxy to the hosts of package managers", Held::Refused(why.to_owned()));
            return None;
        }
        let handed = hand_out::hand_out(to);
        // The command must not have it.
        _ = nix::unistd::close(to);
        let held = match &handed {
            Ok(_) if is_inside => Held::Fully,
            Ok(_) => Held::Partly("without namespaces, its port is open on every host".to_owned()),
            Err(why) => Held::Refused(why.clone()),
        };
        enforced.add("proxy to the listed hosts", held);
        handed.ok()
    }

    /// Closes the files that the command must not see.
    fn close(&self) {
        for number in [self.plan, self.report, self.copied] {
            // A number that is not open needs no closing.
            _ = nix::unistd::close(number);
        }
    }
}

/// Does the work of a stage, if the command line is that of one: then the program has to end with this status.
///
/// Call it first of all in `main`, before a thread is started. It costs one comparison if the program was started otherwise.
pub fn stage(words: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut words = words.into_iter().skip(1);
    if words.next()? != WORD {
        return None;
    }
    let mut words = words.peekable();
    if words.next_if(|word| word == apart::STARTER).is_some() {
        return Some(status(apart::starter(words)));
    }
    Some(status(match Order::parse(words) {
        None => Err("it is not started by hand".to_owned()),
        Some(order) if order.reached.is_some() => second(&order),
        Some(order) => first(&order),
    }))
}

fn status(done: Result<u8, String>) -> ExitCode {
    ExitCode::from(done.unwrap_or_else(|why| {
        // Standard error is the only way to report it.
        drop(writeln!(std::io::stderr(), "hooks exec: {why}"));
        FAILED
    }))
}

/// Enters the namespaces and starts the second stage in them.
fn first(order: &Order) -> Result<u8, String> {
    hold_signals().map_err(|error| format!("signals: {error}"))?;
    end_with_parent()?;
    order.close_inherited().map_err(|error| format!("open files: {error}"))?;
    let may_mount = capabilities::may_mount();
    let mut enforced = Enforced::default();
    let network = order.network;
    let entered = namespaces::enter(network.is_connected, may_mount);
    let is_inside = entered.is_full();
    // A change of rights resets it.
    end_with_parent()?;
    enforced.add(NAMESPACES, entered);
    if is_inside && !network.is_connected {
        enforced.add("loopback", network::loopback_up().map_or_else(Held::Refused, |()| Held::Fully));
    }
    let proxy = order.hand_out(is_inside, &mut enforced);
    let order = &Order { listener: None, proxy, reached: None, command: order.command.clone(), ..*order };
    if !is_inside {
        return restricted(order, &order.read()?, enforced, false);
    }
    if !may_mount && let Err(error) = capabilities::keep_for_next() {
        return Err(format!("capabilities: {error}"));
    }
    let reached = serde_json::to_string(&enforced).map_err(|error| error.to_string())?;
    let next = Order { reached: Some(reached), command: order.command.clone(), ..*order };
    let child = started(command(THIS_PROGRAM).arg0("hooks").args(next.words()))
        .map_err(|error| format!("the second stage: {error}"))?;
    order.close();
    let watch = Watch {
        child: pid_of(&child),
        leads_group: false,
        shares_terminal: order.shares_terminal,
        reaps_all: false,
    };
    watch.wait().map_err(|error| error.to_string())
}

/// Mounts, restricts itself and starts the command, as the first process of the namespace.
fn second(order: &Order) -> Result<u8, String> {
    hold_signals().map_err(|error| format!("signals: {error}"))?;
    end_with_parent()?;
    let plan = order.read()?;
    let reached = order.reached.as_deref().unwrap_or_default();
    let enforced: Enforced = serde_json::from_str(reached).map_err(|error| error.to_string())?;
    restricted(order, &plan, enforced, true)
}

/// Applies what is left after the namespaces, reports, and runs the command.
fn restricted(order: &Order, plan: &Plan, mut enforced: Enforced, is_inside: bool) -> Result<u8, String> {
    // Opened before the folder of open files may be gone.
    let mut report = File::options().write(true).open(format!("/proc/self/fd/{}", order.report));
    let copied = File::open(format!("/proc/self/fd/{}", order.copied));
    let has_mounts = is_inside && mounts::set_up(plan, &mut enforced);
    let has_none = enforced.add("capabilities dropped", capabilities::drop_all());
    if let Err(error) = prctl::set_no_new_privs() {
        return Err(format!("new privileges: {error}"));
    }
    let has_network = is_inside && !plan.is_connected;
    let landlock = landlock::restrict(plan, has_mounts, has_network, order.proxy);
    enforced.add("landlock", landlock.held.clone());
    let is_filtered =
        enforced.add("seccomp", seccomp::filter(!plan.is_connected && !has_network, order.shares_terminal));
    // Without the filter and with capabilities, mounts could be taken away.
    let has_mounts = has_mounts && has_none && is_filtered;
    enforced.promise("nothing is written outside", has_mounts || landlock.writes && is_filtered);
    let searched = gaps(plan);
    enforced.add("search for files", searched);
    let (reads, writes) = (!plan.breaks_reads(), !plan.breaks_writes());
    enforced.promise(
        "no secret in the workspace or in a known place is read",
        reads && (has_mounts || landlock.reads && is_filtered),
    );
    enforced.promise(CLOSED_STAY, writes && has_mounts);
    if !plan.hosts.is_empty() && (is_inside || !plan.has_found_hosts) {
        enforced.promise("no connection but to the listed hosts", has_network);
    } else if !plan.is_connected {
        enforced.promise("no connection", has_network || landlock.network && is_filtered);
    }
    let text = serde_json::to_string(&enforced).map_err(|error| error.to_string())?;
    match &mut report {
        Ok(report) => report.write_all(text.as_bytes()).map_err(|error| format!("no report: {error}"))?,
        Err(error) => return Err(format!("no report: {error}")),
    }
    drop(report);
    order.close();
    if !enforced.is_whole() && plan.unavailable != Unavailable::GuardsOnly {
        // The caller prints the reason.
        return Ok(FAILED);
    }
    if !enforced.holds(CLOSED_STAY) {
        let copied = copied.and_then(|mut copied| copied.read_exact(&mut [0]));
        copied.map_err(|error| format!("the files that no mount holds were not copied: {error}"))?;
    }
    run(order, plan, has_mounts, is_inside)
}

/// Whether everything that the rules name was found.
fn gaps(plan: &Plan) -> Held {
    let broken = plan.gaps.iter().filter(|gap| gap.breaks_reads || gap.breaks_writes);
    let texts: Vec<String> = broken.map(|gap| format!("`{}`: {}", gap.pattern, gap.why)).collect();
    if texts.is_empty() { Held::Fully } else { Held::Partly(texts.join("; ")) }
}

fn run(order: &Order, plan: &Plan, has_mounts: bool, is_inside: bool) -> Result<u8, String> {
    if !is_inside {
        // What the command leaves behind comes to this process, and ends with it.
        prctl::set_child_subreaper(true).map_err(|error| error.to_string())?;
    }
    let Some((program, arguments)) = order.command.split_first() else {
        return Err("no command".to_owned());
    };
    let mut command = command(program);
    command.args(arguments);
    plan.unset.iter().for_each(|name| _ = command.env_remove(name));
    order
        .proxy
        .into_iter()
        .flat_map(hand_out::variables)
        .for_each(|(name, value)| _ = command.env(name, value));
    match &plan.temporary {
        Some(folder) if !has_mounts => command.env("TMPDIR", folder),
        _ => command.env("TMPDIR", "/tmp"),
    };
    if !has_mounts {
        command.current_dir(&plan.folder);
    }
    if !order.shares_terminal {
        command.process_group(0);
    }
    // A program inherits which signals are held back. One that comes now ends the sandbox, as the command has not begun.
    release_signals().map_err(|error| format!("signals: {error}"))?;
    let child = command.spawn();
    hold_signals().map_err(|error| format!("signals: {error}"))?;
    let child = match child {
        Ok(child) => child,
        Err(error) => {
            drop(writeln!(std::io::stderr(), "hooks exec: `{}`: {error}", program.display()));
            return Ok(if is_found(program) { 126 } else { 127 });
        }
    };
    let watch = Watch {
        child: pid_of(&child),
        leads_group: !order.shares_terminal,
        shares_terminal: order.shares_terminal,
        reaps_all: true,
    };
    let status = watch.wait().map_err(|error| error.to_string());
    if !is_inside {
        end_children();
    }
    status
}

/// Whether there is a file for a program. In a search, a folder that cannot be read hides a missing file.
fn is_found(program: &OsStr) -> bool {
    let is_path = Path::new(program).components().count() > 1;
    let search = std::env::var_os("PATH").unwrap_or_default();
    match is_path {
        true => Path::new(program).exists(),
        false => std::env::split_paths(&search).any(|folder| folder.join(program).exists()),
    }
}

/// A command that is not started yet.
#[expect(clippy::disallowed_methods, reason = "the sandbox is a place where processes are started")]
pub(super) fn command(program: impl AsRef<OsStr>) -> Command {
    Command::new(program)
}

fn started(command: &mut Command) -> std::io::Result<Child> {
    command.spawn()
}

pub(super) fn pid_of(child: &Child) -> Pid {
    Pid::from_raw(child.id().cast_signed())
}

/// Ends this process when the one that started it ends, also if that is killed.
fn end_with_parent() -> Result<(), String> {
    prctl::set_pdeathsig(Signal::SIGKILL).map_err(|error| format!("parent: {error}"))
}
