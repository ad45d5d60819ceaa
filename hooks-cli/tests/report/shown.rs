//! The page in a browser: what it shows, what it does not run, and how it is used.
//!
//! The pictures of `docs/audit.md` are written by a test, if `HOOKS_PICTURES` is a folder.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::Read as _;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::browser::{Browser, View};
use super::sample::{RULES, Sample};
use super::{MARKUP, bash, data, hooks, record, record_events, text};

/// Writes the page of `folder/log`, with the rules beside it. Returns the file and what the page has.
fn report(folder: &Path) -> (PathBuf, Value) {
    let args = ["report", "--log", "log", "-c", "hooks.yaml", "-o", "report.html"];
    let output = hooks(folder, &args).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let file = folder.join("report.html");
    let data = data(&fs::read_to_string(&file).unwrap());
    (file, data)
}

fn sample(folder: &Path) -> (PathBuf, Value) {
    fs::write(folder.join("hooks.yaml"), RULES).unwrap();
    Sample::TEAM.write(&folder.join("log"));
    report(folder)
}

/// Output of `hooks audit` about the log.
fn audited(folder: &Path, args: &[&str]) -> String {
    let output = hooks(folder, &["audit", "--log", "log"]).args(args).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// A number as the page writes it.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap()).collect();
    groups.join(",")
}

/// The value of a sum on the page.
fn shown_sum(browser: &mut Browser, name: &str) -> String {
    let sums = browser.texts("#sums > div");
    let sum = sums.iter().find_map(|sum| sum.strip_suffix(name).or_else(|| sum.strip_prefix(name)));
    sum.unwrap_or_else(|| panic!("{name}: {sums:?}")).trim().to_owned()
}

/// The number of denials and questions whose field has this value.
fn having(data: &Value, field: &str, value: &str) -> usize {
    data["stories"].as_array().unwrap().iter().filter(|one| one[field] == value).count()
}

/// Shows all denials and questions that match, and returns the texts of each.
fn stories(browser: &mut Browser) -> Vec<String> {
    while browser.run("document.getElementById('more').hidden") == false {
        browser.run("document.getElementById('more').click()");
    }
    browser.texts(".story")
}

#[test]
fn sums_are_those_of_the_log() {
    let Some(mut browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap();
    let (file, data) = sample(&path);
    browser.open(&file, View::WIDE);
    let queried = |outcome: &[&str]| {
        let args = [&["query", "--event", "pre_tool_use"], outcome].concat();
        audited(&path, &args).lines().count()
    };
    let (denied, asked) = (queried(&["--outcome", "deny"]), queried(&["--outcome", "ask"]));
    assert!(denied > 10 && asked > 2, "{denied} {asked}");
    for (name, number) in [("calls", queried(&[])), ("calls denied", denied), ("calls asked about", asked)] {
        assert_eq!(shown_sum(&mut browser, name), grouped(number), "{name}");
    }
    let questions = queried(&["--tool", "AskUserQuestion"]);
    let all = denied + asked + questions;
    assert!(questions > 0, "{questions}");
    assert_eq!(browser.texts("#found"), [format!("the last 10 of {all}")]);
    assert_eq!(stories(&mut browser).len(), all);
    assert_eq!(browser.texts("#found"), [format!("all {all}, the latest first")]);

    // Spending as the metrics count it, which read the log in their own way.
    let metrics = audited(&path, &["metrics"]);
    let costs = metrics.lines().filter(|line| line.starts_with("hooks_cost_usd_total"));
    let spent: f64 = costs.map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap()).sum();
    assert!(spent > 1.0, "{metrics}");
    assert_eq!(shown_sum(&mut browser, "spent").replace(['$', ','], ""), format!("{spent:.2}"));

    // Each bar of calls stands for its part of the time.
    let parts = data["times"]["parts"].as_array().unwrap();
    let with_calls = parts.iter().filter(|part| part[1] != 0).count();
    assert_eq!(browser.run("document.querySelectorAll('#times .calls').length"), json!(with_calls));
    assert_eq!(browser.problems(), Vec::<Value>::new());
}

#[test]
fn filters_show_the_rows_that_match_and_need_no_mouse() {
    let Some(mut browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap();
    let (file, data) = sample(&path);
    browser.open(&file, View::WIDE);

    // The first key that moves the focus goes to the filter, and shows it.
    browser.press("Tab", 9);
    assert_eq!(browser.run("document.activeElement.id"), "f-text");
    let outline = "(() => { const it = getComputedStyle(document.activeElement);
        return it.outlineStyle === 'solid' && parseFloat(it.outlineWidth) >= 2 })()";
    assert_eq!(browser.run(outline), true);
    browser.write("git push --FORCE");
    let shown = stories(&mut browser);
    let pushes = data["stories"].as_array().unwrap().iter();
    let pushes = pushes.filter(|one| one["asked"].as_str().unwrap().contains("git push --force")).count();
    assert!(pushes > 0 && shown.len() == pushes, "{shown:?}");
    assert!(shown.iter().all(|story| story.contains("git push --force origin refunds")), "{shown:?}");
    let all = data["stories"].as_array().unwrap().len();
    assert_eq!(browser.texts("#found"), [format!("{pushes} of {all} match · “git push --FORCE”")]);

    // The keys alone choose an answer: force pushes are denied, none is asked about.
    browser.press("Tab", 9);
    browser.press("ArrowRight", 39);
    assert_eq!(stories(&mut browser), shown);
    browser.press("ArrowRight", 39);
    assert_eq!(stories(&mut browser), Vec::<String>::new());
    browser.click("#filter button");
    assert_eq!(stories(&mut browser).len(), all);

    browser.click(".choice label:nth-child(3)");
    let asked = stories(&mut browser);
    assert_eq!(asked.len(), having(&data, "outcome", "ask"));
    assert!(asked.iter().all(|story| story.contains("\nasked")), "{asked:?}");
    let of_asked: BTreeSet<_> = data["stories"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["outcome"] == "ask")
        .map(|one| one["session"].as_str().unwrap().to_owned())
        .collect();
    let sessions = browser.texts("#tables section:first-child tbody td:first-child");
    assert!(!sessions.is_empty() && sessions.iter().all(|name| of_asked.contains(name)), "{sessions:?}");

    browser.click("#filter button");
    browser.click(".story .meta .link");
    let session = data["stories"][0]["session"].as_str().unwrap();
    assert_eq!(stories(&mut browser).len(), having(&data, "session", session));
    assert_eq!(browser.texts("#tables section:first-child tbody td:first-child"), [session]);
    browser.click(".story .meta .link");
    assert_eq!(stories(&mut browser).len(), all);

    // A rule is found by its name, and is a choice. The result comes into view, with the focus.
    let of_rule = |data: &Value, name: &str| {
        let stories = data["stories"].as_array().unwrap().iter();
        let has = |one: &&Value| {
            one["rules"].as_array().is_some_and(|all| all.iter().any(|rule| rule["name"] == name))
        };
        stories.filter(has).count()
    };
    browser.click("#f-text");
    browser.write("rules/generated");
    assert!(of_rule(&data, "rules/generated") > 0);
    assert_eq!(stories(&mut browser).len(), of_rule(&data, "rules/generated"));
    browser.click("#filter button");
    let rules = "#tables section:nth-child(3)";
    let rule = browser.texts(&format!("{rules} tbody .link")).swap_remove(0);
    browser.click(&format!("{rules} tbody .link"));
    assert_eq!(stories(&mut browser).len(), of_rule(&data, &rule), "{rule}");
    assert_eq!(browser.texts("#found"), [format!("{} of {all} match · rule {rule}", of_rule(&data, &rule))]);
    let is_seen = "(() => { const it = document.activeElement, form = document.getElementById('filter').getBoundingClientRect();
        const { top, bottom } = it.getBoundingClientRect(); return it.id === 'h-stories' && top >= form.bottom && bottom < innerHeight })()";
    assert_eq!(browser.run(is_seen), true);
    browser.click("#filter button");

    // Questions of agents have their answers.
    browser.click(".choice label:nth-child(4)");
    let questions = stories(&mut browser);
    assert_eq!(questions.len(), having(&data, "outcome", "question"));
    let has_answer = |story: &String| {
        story.contains("How are cents rounded? (Half to even / Half up)")
            && story.contains("Answer: Half to even")
    };
    assert!(questions.iter().all(has_answer), "{questions:?}");
    browser.click("#filter button");
    browser.click("#f-text");
    browser.write("nothing has this text");
    assert_eq!(browser.texts("#stories"), ["None matches the filter."]);
    assert_eq!(browser.problems(), Vec::<Value>::new());
}

#[test]
fn texts_of_agents_run_nothing_and_nothing_leaves_the_page() {
    let Some(mut browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap();
    let agent = "<img src=x onerror=hit()>\u{202e}\u{0}ada";
    let huge = format!("rm -rf {}", "x".repeat(50_000));
    let calls = [
        (agent, "</title><script>hit()</script>", "Bash", bash(MARKUP)),
        (agent, "s2", "Bash", bash("rm -rf '<svg/onload=hit()>' \u{0}\u{7} \u{2066}gro\u{df}")),
        (agent, "s2", "<iframe src=javascript:hit()>", bash(&huge)),
        (
            agent,
            "s2",
            "Write",
            json!({"file_path": format!("src/{}<img src=x onerror=hit()>", "y".repeat(3_000)), "content": "x"}),
        ),
    ];
    record(&path, &calls);
    let (file, _) = report(&path);
    for view in [View::WIDE, View::NARROW] {
        browser.open(&file, view);
        assert_eq!(
            browser.run("document.querySelectorAll('img, iframe, #stories svg, main script').length"),
            0
        );
        let shown = stories(&mut browser);
        assert_eq!(shown.len(), 3, "{shown:?}");
        let shown = shown.join("\n");
        for part in [
            "'</script><img src=x onerror=alert(1)><!--' \\u202e",
            "by <img src=x onerror=hit()>",
            "<svg/onload=hit()>",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(!shown.contains(['\u{202e}', '\u{2066}', '\u{0}', '\u{7}']), "{shown}");
        let too_wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
        assert_eq!(browser.run(too_wide), false, "{} px", view.width);
        assert_eq!(browser.problems(), Vec::<Value>::new());
    }

    // Even markup that did get into the page would run nothing and load nothing.
    let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    server.set_nonblocking(true).unwrap();
    let address = format!("http://{}", server.local_addr().unwrap());
    let markup = format!(
        "<img src='{address}/a' onerror='window.hit = 1'><iframe src='{address}/b'></iframe><link rel=stylesheet href='{address}/c'>
        <form action='{address}/d'><button id=send onclick='window.hit = 1'>send</button></form>"
    );
    let attack = format!(
        "(async () => {{ let stopped = 0;
        document.addEventListener('securitypolicyviolation', () => stopped++);
        document.body.insertAdjacentHTML('beforeend', {});
        document.getElementById('send').click();
        const script = document.createElement('script'); script.textContent = 'window.hit = 1'; document.body.append(script);
        await fetch('{address}/e').catch(() => 0);
        await new Promise((done) => setTimeout(done, 50));
        return [stopped, window.hit ?? 0] }})()",
        json!(markup)
    );
    let result = browser.run(&attack);
    assert!(result[0].as_u64().unwrap() >= 6 && result[1] == 0, "{result}");
    // Chromium connects for the frame and the form before it looks at the policy. It sends nothing.
    while let Ok((mut connection, _)) = server.accept() {
        connection.set_nonblocking(false).unwrap();
        connection.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let mut request = [0; 64];
        let sent = connection.read(&mut request).unwrap_or(0);
        assert_eq!(String::from_utf8_lossy(&request[..sent]), "");
    }
}

/// The texts of the page with less contrast than 4.5 to 1, the least for readers of WCAG 2 (level AA).
const PALE: &str = "(() => {
    const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const light = (colour) => colour.slice(0, 3).map((part) => part / 255)
        .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, of) => sum + part * [0.2126, 0.7152, 0.0722][of], 0);
    const behind = (element) => {
        for (let it = element; it; it = it.parentElement) {
            const colour = parse(getComputedStyle(it).backgroundColor);
            if (colour.length < 4 || colour[3] === 1) return colour;
        }
        return parse(getComputedStyle(document.body).backgroundColor);
    };
    const all = [...document.querySelectorAll('body *')].filter((one) => one.checkVisibility()
        && [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
    const pale = all.map((one) => {
        const style = getComputedStyle(one), is_drawn = one instanceof SVGElement;
        const [a, b] = [light(parse(is_drawn ? style.fill : style.color)), light(behind(one))].sort((a, b) => b - a);
        return [one.tagName, one.className.toString(), one.textContent.slice(0, 40), (a + 0.05) / (b + 0.05)];
    }).filter((one) => one[3] < 4.5);
    return [all.length, pale];
})()";

#[test]
fn it_is_readable_in_the_dark_on_a_phone_and_on_paper() {
    let Some(mut browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap();
    let (file, _) = sample(&path);
    let mut grounds = BTreeSet::new();
    for view in [View::WIDE, View::WIDE.dark(), View::NARROW, View::NARROW.dark()] {
        browser.open(&file, view);
        let result = browser.run(PALE);
        assert!(result[0].as_u64().unwrap() > 300, "{result}");
        assert_eq!(result[1], json!([]), "{} px, dark: {}", view.width, view.is_dark);
        assert_eq!(browser.run(FAINT), json!([]), "{} px, dark: {}", view.width, view.is_dark);
        let too_wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
        assert_eq!(browser.run(too_wide), false, "{} px", view.width);
        grounds.insert(browser.run("getComputedStyle(document.body).backgroundColor").to_string());
        // No two texts of the charts overlap.
        let overlaps = "(() => { const all = [...document.querySelectorAll('#times text')].map((one) => one.getBoundingClientRect());
            return all.flatMap((a, i) => all.slice(i + 1).filter((b) => a.left < b.right && b.left < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom)).length })()";
        assert_eq!(browser.run(overlaps), 0, "{} px", view.width);
    }
    assert_eq!(grounds.len(), 2, "the dark page has a ground of its own: {grounds:?}");
    // The page is still the dark one here.
    let pdf = browser.print();
    assert!(pdf.starts_with(b"%PDF-") && pdf.len() > 20_000, "{}", pdf.len());
    let dark_on_paper =
        json!({"media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]});
    browser.call("Emulation.setEmulatedMedia", &dark_on_paper);
    assert_eq!(browser.run("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)");
    assert_eq!(browser.texts("form, #more"), Vec::<String>::new());
    assert!(browser.texts("#found").concat().starts_with("the last 10 of "));
    assert!(browser.texts(".printed").concat().starts_with("The first 12 of "));
    assert_eq!(browser.run(PALE)[1], json!([]));
    assert_eq!(browser.problems(), Vec::<Value>::new());
}

#[test]
fn a_session_is_found_behind_others_that_do_not_match() {
    let Some(mut browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap();
    // The latest agent comes first, so the one of the chosen session is behind it.
    record(&path, &[("ada", "s1", "Bash", bash("ls")), ("bob", "s2", "Bash", bash("ls"))]);
    let (file, _) = report(&path);
    browser.open(&file, View::WIDE);
    browser.click("#tables section:first-child tbody tr:nth-child(2) .link");
    assert_eq!(browser.run("document.getElementById('f-session').value"), "s1");
    for (table, name) in [(1, "s1"), (2, "ada")] {
        let section = format!("#tables section:nth-child({table})");
        assert_eq!(browser.texts(&format!("{section} tbody td:first-child")), [name]);
        assert_eq!(browser.texts(&format!("{section} .empty, {section} .all")), Vec::<String>::new());
    }
}

#[test]
fn damage_and_unknown_costs_are_told_and_shadows_are_marked() {
    let Some(mut browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap();
    let (file, _) = sample(&path);
    browser.open(&file, View::WIDE);
    assert_eq!(browser.texts("#damage"), Vec::<String>::new());
    let shadow = browser.texts("#tables section:nth-child(5)").swap_remove(0);
    assert!(shadow.starts_with("Rules in the shadow") && shadow.contains("rules/downloads"), "{shadow}");
    assert!(
        shadow.contains("WebFetch https://docs.rs/rust_decimal pages of others can instruct agents"),
        "{shadow}"
    );
    assert_eq!(browser.run("document.title.endsWith(' · hooks report')"), true);

    let answer = json!({
        "event": "after_model_call", "at": {"session_id": "s1", "agent_name": "ada", "cwd": path}, "model": "unlisted", "iteration": 0,
        "response": {"role": "assistant", "content": "ok"},
        "usage": {"input_tokens": 10, "output_tokens": 3, "cached_tokens": 0, "reasoning_tokens": 0},
    });
    fs::remove_dir_all(path.join("log")).unwrap();
    record_events(&path, &[answer]);
    let args = ["report", "--log", "log", "--force", "-o", "report.html"];
    assert_eq!(hooks(&path, &args).status().unwrap().code(), Some(0));
    browser.open(&file, View::WIDE);
    assert_eq!(shown_sum(&mut browser, "spent"), "not known");
    assert!(!browser.texts("#tables").concat().contains("$0"));

    // The last record is cut.
    let log = path.join("log/w0.00000001.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.get(..text.len() - 40).unwrap()).unwrap();
    let output = hooks(&path, &args).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", super::text(&output));
    browser.open(&file, View::WIDE);
    let damage = browser.texts("#damage").concat();
    assert!(damage.contains("w0.00000001.jsonl are not a complete record"), "{damage}");
    // Its middle is changed.
    fs::write(&log, text.replacen("unlisted", "UNLISTED", 1)).unwrap();
    assert_eq!(hooks(&path, &args).status().unwrap().code(), Some(3));
    browser.open(&file, View::WIDE);
    let damage = browser.texts("#damage").concat();
    assert!(damage.contains("w0.00000001.jsonl") && damage.contains("left out"), "{damage}");
    assert_eq!(browser.problems(), Vec::<Value>::new());
}

/// Edges of fields and bars with less contrast than 3 to 1 to what is beside them, the least of WCAG 2 for parts of a page.
const FAINT: &str = "(() => {
    const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const light = (colour) => colour.slice(0, 3).map((part) => part / 255)
        .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, of) => sum + part * [0.2126, 0.7152, 0.0722][of], 0);
    const card = parse(getComputedStyle(document.querySelector('section')).backgroundColor);
    const drawn = [['input, select, button:not(.link)', 'borderTopColor'], ['.link', 'textDecorationColor'],
        ['rect.calls, rect.denials, rect.questions, rect.spent', 'fill'], ['.share div', 'backgroundColor']];
    return drawn.flatMap(([selector, property]) => [...document.querySelectorAll(selector)].map((one) => {
        const [a, b] = [light(parse(getComputedStyle(one)[property])), light(card)].sort((a, b) => b - a);
        return [selector, (a + 0.05) / (b + 0.05)];
    })).filter((one) => one[1] < 3);
})()";

#[test]
fn a_log_without_denials_says_so() {
    let Some(mut browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap();
    record(&path, &[("ada", "s1", "Bash", bash("ls"))]);
    let (file, _) = report(&path);
    browser.open(&file, View::WIDE);
    assert_eq!(browser.texts("#stories"), ["The log has no denials and no questions."]);
    assert_eq!(browser.texts("#tables section:first-child tbody td:first-child"), ["s1"]);
    let args = ["report", "--log", "log", "--until", "2000-01-01", "-o", "empty.html"];
    assert!(hooks(&path, &args).status().unwrap().success());
    browser.open(&path.join("empty.html"), View::WIDE);
    assert_eq!(browser.texts("h1"), ["No records"]);
    assert_eq!(browser.texts("form, section, #sums"), Vec::<String>::new());
    assert_eq!(browser.problems(), Vec::<Value>::new());
}

#[test]
fn pictures_of_the_page_are_small() {
    let Some(mut browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap();
    let folder = env::var_os("HOOKS_PICTURES").map_or_else(|| path.clone(), PathBuf::from);
    let (file, _) = sample(&path);
    let views = [
        ("report", View::WIDE, "html", 1_500),
        ("report-tables", View::WIDE.dark(), "#tables", 1_500),
        ("report-narrow", View::NARROW, "html", 1_400),
    ];
    for (name, view, from, height) in views {
        browser.open(&file, view);
        let picture = folder.join(name).with_extension("png");
        browser.picture(&picture, from, height);
        let size = fs::metadata(&picture).unwrap().len();
        assert!((10_000..300_000).contains(&size), "{name}: {size} bytes");
    }
}
