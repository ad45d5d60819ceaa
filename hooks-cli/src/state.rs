//! `hooks state`: shows budgets, limits, lockouts and children, and changes them by hand.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use hooks::policies::{Lockout, LockoutError, StoredLockouts, artifact_name, is_same_artifact};
use hooks::state::{Charged, Key, StoreError, Window};
use hooks::store::{ByHand, Engine, Listed};
use hooks::time::Timestamp;
use hooks::{SystemRandom, duration};
use serde_json::{Value, json};

use crate::amount::Unit;
use crate::cli::{State, StateAction};
use crate::eval::runtime;
use crate::failure::{Failure, Status};
use crate::load;
use crate::paint::{GOOD, LOUD, OPEN, QUIET, one_line};
use crate::table::Table;

/// Maximum characters of a note on a line.
const WIDTH: usize = 80;
/// Maximum characters of a message.
const MOST: usize = 400;

/// The state of one tenant.
struct Kept {
    by_hand: ByHand,
    lockouts: Arc<StoredLockouts>,
    /// Artifacts that the configuration locks, each with the locked agents.
    configured: BTreeMap<String, Vec<String>>,
    tenant: Option<String>,
}

/// Shows or changes the state.
pub(crate) fn run(options: &State) -> Result<Status, Failure> {
    // The acceptance of a loss is recorded.
    let is_accepting = matches!(options.action, Some(StateAction::AcceptLoss));
    let load = if is_accepting { load::governing } else { load::config };
    let path = load::named_or_found(options.config.path.as_deref())?;
    let config = load(&path, options.config.profile)?;
    let is_kept = config.store().is_some_and(|store| store.engine != Engine::Memory);
    let Some(lockouts) = config.kept().stored_lockouts().filter(|_| is_kept) else {
        return Err(Failure::message(format!(
            "`{}` keeps state in memory, where it ends with each process; write `store: {{engine: file}}`",
            path.display()
        )));
    };
    let own = config.tenant().map(str::to_owned);
    let is_other = options.tenant.is_some() && options.tenant != own;
    if is_other && !config.tenants().iter().any(|other| options.tenant.as_deref() == Some(other)) {
        let name = own.map_or_else(|| "none".to_owned(), |own| format!("`{own}`"));
        return Err(Failure::message(format!(
            "the configuration's tenant is {name}: name its own configuration"
        )));
    }
    // Only the configuration's own tenant has lockouts; other tenants have none.
    let own = if is_other { options.tenant.clone() } else { own };
    let by = options.by.clone().unwrap_or_else(user);
    let (store, random) = (Arc::clone(config.kept().store()), Arc::new(SystemRandom));
    let by_hand = ByHand::new(store, random, own.as_deref(), &by);
    let configured = config.policy().reviewer_lockout.as_ref().map(|lockout| lockout.locked.clone());
    let configured = configured.unwrap_or_default();
    let kept = Kept { by_hand, lockouts: Arc::clone(lockouts), configured, tenant: own };
    let mut out = anstream::stdout().lock();
    runtime()?.block_on(async {
        match options.action.as_ref().unwrap_or(&StateAction::Show) {
            StateAction::Show => kept.show(options.json, &mut out).await,
            StateAction::History => kept.history(options.json, &mut out).await,
            StateAction::Lock { artifact, agent, lasting } => {
                if config.policy().reviewer_lockout.is_none() {
                    return Err(Failure::message(
                        "no lockout is enforced; add `reviewer_lockout: {}` to the configuration",
                    ));
                }
                let artifact =
                    &artifact_name(artifact).map_err(|error| Failure::message(error.to_string()))?;
                let lockout = Lockout::new(artifact, agent).by(&by);
                let lockout = match &options.why {
                    Some(why) => lockout.because(why),
                    None => lockout,
                };
                kept.lockouts.lock(lockout, *lasting).await?;
                let to = format!("`{agent}` locked out of `{artifact}`");
                kept.by_hand.record(&kept.key("lockouts"), to, options.why.as_deref()).await?;
                done(&mut out, &format!("`{agent}` is locked out of `{artifact}`"))
            }
            StateAction::Clear { artifact } => {
                // Clearing does not remove an agent's lockout by the configuration, and must not remove those
                // of other agents either.
                let count = kept.lockouts.clear(artifact, &by).await?;
                let name = artifact_name(artifact);
                if kept.is_configured(artifact) {
                    let where_it_stands = "`reviewer_lockout.locked` of the configuration locks it";
                    return found_nothing(&format!("{where_it_stands}: take `{artifact}` out there"));
                }
                if count == 0 {
                    return found_nothing(&match name {
                        Ok(name) => format!("no agent is locked out of `{name}`"),
                        Err(error) => error.to_string(),
                    });
                }
                let to = format!("`{artifact}` cleared for {count}");
                kept.by_hand.record(&kept.key("lockouts"), to, options.why.as_deref()).await?;
                done(&mut out, &format!("`{artifact}` is cleared: agents that were locked out: {count}"))
            }
            StateAction::AcceptLoss => {
                let why = options.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
                match config.accept_store_loss(&format!(" by `{by}`{why}")).await? {
                    Some(note) => done(&mut out, &format!("the store is open again; it was closed: {note}")),
                    None => found_nothing("the store is not closed"),
                }
            }
            StateAction::Set { counter, spent } => kept.set(counter, spent, options, &mut out).await,
            StateAction::Remove { set, entry } => kept.remove(set, entry, options, &mut out).await,
        }
    })
}

impl Kept {
    async fn show(&self, as_json: bool, out: &mut impl Write) -> Result<Status, Failure> {
        let counters = self.by_hand.counters().await?;
        let (sets, now) = self.by_hand.sets().await?;
        let lockouts = self.lockouts.all().await?;
        let internal = ["lockouts", "lockouts-cleared"].map(|name| self.key(name));
        let sets: Vec<_> = sets.into_iter().filter(|listed| !internal.contains(&listed.set)).collect();
        if as_json {
            let counters: Vec<_> = counters.iter().map(|charged| self.counter_json(charged)).collect();
            let sets: Vec<_> = sets.iter().map(|listed| self.set_json(listed, now)).collect();
            let mut lockouts: Vec<_> = lockouts.iter().map(|lockout| lockout_json(lockout, false)).collect();
            lockouts.extend(self.configured().iter().map(|lockout| lockout_json(lockout, true)));
            let all = json!({
                "tenant": self.tenant, "now": now.to_string(),
                "counters": counters, "lockouts": lockouts, "sets": sets,
            });
            writeln!(out, "{all:#}")?;
            return Ok(Status::Well);
        }
        if counters.is_empty() && lockouts.is_empty() && sets.is_empty() && self.configured.is_empty() {
            writeln!(out, "nothing is kept yet")?;
            return Ok(Status::Well);
        }
        self.write_counters(&counters, out)?;
        write_lockouts(&lockouts, &self.configured(), out)?;
        for listed in &sets {
            self.write_set(listed, now, out)?;
        }
        Ok(Status::Well)
    }

    fn write_counters(&self, counters: &[Charged], out: &mut impl Write) -> io::Result<()> {
        if counters.is_empty() {
            return Ok(());
        }
        writeln!(out, "{LOUD}counters{LOUD:#}")?;
        let mut table = Table::new(["counter", "begins anew", "used", "held"]).numbers([2, 3]);
        for charged in counters {
            let unit = Unit::from_key(&charged.key);
            table.row([
                (one_line(&self.name(&charged.key), WIDTH), GOOD),
                (window(charged.window), QUIET),
                (unit.show(charged.used), LOUD),
                (unit.show(charged.held), if charged.held > 0 { OPEN } else { QUIET }),
            ]);
        }
        table.write(out)
    }

    fn write_set(&self, listed: &Listed, now: Timestamp, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{LOUD}{}{LOUD:#}", one_line(&self.name(&listed.set), WIDTH))?;
        let mut table = Table::new(["entry", "since", "until", "note"]);
        for member in listed.members.iter() {
            let is_over = member.is_over(now);
            let until = member.until.map_or_else(String::new, |until| until.to_string());
            table.row([
                (one_line(&member.name, WIDTH), if is_over { QUIET } else { GOOD }),
                (member.since.to_string(), QUIET),
                (if is_over { format!("{until} (over)") } else { until }, QUIET),
                (one_line(&member.note, WIDTH), QUIET),
            ]);
        }
        table.write(out)
    }

    async fn history(&self, as_json: bool, out: &mut impl Write) -> Result<Status, Failure> {
        let changes = self.by_hand.changes().await?;
        if as_json {
            writeln!(out, "{:#}", json!(changes))?;
            return Ok(Status::Well);
        }
        if changes.is_empty() {
            writeln!(out, "nothing was changed by hand")?;
            return Ok(Status::Well);
        }
        let mut table = Table::new(["when", "who", "what", "to", "why"]);
        for change in changes {
            let key = Key::from(change.what);
            table.row([
                (change.at.to_string(), QUIET),
                (one_line(&change.by, WIDTH), LOUD),
                (one_line(&self.name(&key), WIDTH), GOOD),
                (one_line(&in_its_unit(&key, &change.to), WIDTH), LOUD),
                (one_line(&change.why.unwrap_or_default(), WIDTH), QUIET),
            ]);
        }
        table.write(out)?;
        Ok(Status::Well)
    }

    async fn set(
        &self,
        counter: &str,
        spent: &str,
        options: &State,
        out: &mut impl Write,
    ) -> Result<Status, Failure> {
        let counters = self.by_hand.counters().await?;
        let named: Vec<_> = counters.iter().filter(|charged| self.name(&charged.key) == counter).collect();
        let Some(first) = named.first() else {
            return found_nothing(&format!(
                "there is no counter `{counter}` that something is charged to; `hooks state` lists them"
            ));
        };
        let unit = Unit::from_key(&first.key);
        let spent = unit.read(spent).map_err(Failure::message)?;
        for charged in &named {
            self.by_hand.correct(&first.key, charged.window, spent, options.why.as_deref()).await?;
        }
        done(out, &format!("`{counter}` is {}, and what is held", unit.show(spent)))
    }

    async fn remove(
        &self,
        set: &str,
        entry: &str,
        options: &State,
        out: &mut impl Write,
    ) -> Result<Status, Failure> {
        let (sets, _) = self.by_hand.sets().await?;
        let found = sets.iter().find(|listed| self.name(&listed.set) == set);
        let found = found.and_then(|listed| {
            Some((&listed.set, listed.members.iter().find(|member| &*member.name == entry)?))
        });
        let Some((key, member)) = found else {
            return found_nothing(&format!("there is no `{entry}` in `{set}`; `hooks state` lists them"));
        };
        self.by_hand.remove(key, member, options.why.as_deref()).await?;
        done(out, &format!("`{entry}` is out of `{set}`"))
    }

    /// The lockouts of the configuration.
    fn configured(&self) -> Vec<Lockout> {
        let of = |(artifact, agents): (&String, &Vec<String>)| {
            let artifact = artifact_name(artifact).unwrap_or_else(|_| artifact.clone());
            agents.iter().map(|agent| Lockout::new(&artifact, agent)).collect::<Vec<_>>()
        };
        self.configured.iter().flat_map(of).collect()
    }

    fn is_configured(&self, artifact: &str) -> bool {
        self.configured.keys().any(|known| is_same_artifact(known, artifact))
    }

    /// The key as it is shown: without the tenant, which is the same for all keys.
    fn name(&self, key: &Key) -> String {
        let text = key.as_str();
        text.split_once('/').map_or(text, |(_, name)| name).to_owned()
    }

    fn key(&self, name: &str) -> Key {
        Key::new(self.tenant.as_deref(), &[name])
    }

    fn counter_json(&self, charged: &Charged) -> Value {
        let unit = Unit::from_key(&charged.key);
        json!({
            "counter": self.name(&charged.key), "window": window(charged.window), "unit": unit.name(),
            "used": charged.used, "held": charged.held,
            "shown": {"used": unit.show(charged.used), "held": unit.show(charged.held)},
        })
    }

    fn set_json(&self, listed: &Listed, now: Timestamp) -> Value {
        let members = listed.members.iter().map(|member| {
            // A note that is JSON is shown as its parsed value.
            let note = serde_json::from_str(&member.note).unwrap_or_else(|_| json!(member.note));
            json!({
                "name": member.name, "note": note, "since": member.since.to_string(),
                "until": member.until.map(|until| until.to_string()), "over": member.is_over(now),
            })
        });
        json!({"set": self.name(&listed.set), "members": members.collect::<Vec<_>>()})
    }
}

fn write_lockouts(lockouts: &[Lockout], configured: &[Lockout], out: &mut impl Write) -> io::Result<()> {
    if lockouts.is_empty() && configured.is_empty() {
        return Ok(());
    }
    writeln!(out, "{LOUD}lockouts{LOUD:#}")?;
    let mut table = Table::new(["artifact", "agent", "by", "since", "until", "why"]);
    for lockout in lockouts {
        let time = |time: Option<Timestamp>| time.map_or_else(String::new, |time| time.to_string());
        table.row([
            (one_line(&lockout.artifact, WIDTH), GOOD),
            (one_line(&lockout.agent, WIDTH), LOUD),
            (one_line(lockout.by.as_deref().unwrap_or_default(), WIDTH), QUIET),
            (time(lockout.since), QUIET),
            (time(lockout.until), QUIET),
            (one_line(lockout.why.as_deref().unwrap_or_default(), WIDTH), QUIET),
        ]);
    }
    for Lockout { artifact, agent, .. } in configured {
        let by = ("(configuration)".to_owned(), QUIET);
        let empty = || (String::new(), QUIET);
        let (artifact, agent) = ((one_line(artifact, WIDTH), GOOD), (one_line(agent, WIDTH), LOUD));
        table.row([artifact, agent, by, empty(), empty(), empty()]);
    }
    table.write(out)
}

fn lockout_json(lockout: &Lockout, is_configured: bool) -> Value {
    json!({
        "from": if is_configured { "configuration" } else { "store" },
        "artifact": lockout.artifact, "agent": lockout.agent, "by": lockout.by, "why": lockout.why,
        "since": lockout.since.map(|since| since.to_string()),
        "until": lockout.until.map(|until| until.to_string()),
    })
}

/// The new value of a counter, formatted in its unit.
fn in_its_unit(key: &Key, to: &str) -> String {
    let amount = to.strip_prefix("spent ").and_then(|amount| amount.parse().ok());
    amount.map_or_else(|| to.to_owned(), |amount| format!("spent {}", Unit::from_key(key).show(amount)))
}

/// Describes when a window resets.
fn window(window: Window) -> String {
    match window {
        Window::Always => "never".to_owned(),
        Window::Idle(_) => "with the session".to_owned(),
        Window::HOUR => "every hour".to_owned(),
        Window::DAY => "every day".to_owned(),
        Window::Every(length) => format!("every {}", duration::write(length)),
        Window::Month => "every month".to_owned(),
    }
}

pub(crate) fn done(out: &mut impl Write, what: &str) -> Result<Status, Failure> {
    writeln!(out, "{}", one_line(what, MOST))?;
    Ok(Status::Well)
}

pub(crate) fn found_nothing(what: &str) -> Result<Status, Failure> {
    writeln!(anstream::stderr(), "{}", one_line(what, MOST))?;
    Ok(Status::Found)
}

/// Name of the user who runs the command.
pub(crate) fn user() -> String {
    let name = ["USER", "LOGNAME", "USERNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| "somebody".to_owned())
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::message(error.to_string())
    }
}

impl From<LockoutError> for Failure {
    fn from(error: LockoutError) -> Self {
        Self::message(error.to_string())
    }
}
