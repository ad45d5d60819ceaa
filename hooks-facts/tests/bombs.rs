//! Texts that are made to exhaust memory, time or the stack. The analysis of each one ends within bounds, in a process of its own
//! whose memory and time are limited, in a thread with a small stack.

#![cfg(test)]
#![cfg(unix)]

use std::env;
use std::rc::Rc;
use std::thread;

use hooks_facts::commands::{Analysis, BlockedPattern, Effect, Options, SessionFiles, WrittenContent};

/// Set in the process that reads the texts.
const INNER: &str = "HOOKS_BOMBS";

/// Longest text that is read.
const LONGEST: usize = 250_000;

/// Repeats a piece up to the longest text.
fn filled(piece: &str) -> String {
    piece.repeat(LONGEST / piece.len())
}

/// `a` many times, shorter than the longest text of a variable.
fn value() -> String {
    "a".repeat(60_000)
}

fn numbered(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

/// Texts for a shell.
fn shell() -> Vec<(&'static str, String)> {
    let nested = |inner: &str| format!("{}{inner}{}", "( ".repeat(16), " )".repeat(16));
    let evals = numbered(24, |n| format!("v{n}='{}'; ", nested(&format!("eval \"$v{}\"", n + 1))));
    let functions = numbered(24, |n| format!("f{n}() {{ {}; }}; ", nested(&format!("f{}", n + 1))));
    let substitutions =
        numbered(24, |n| format!("g{n}() {{ echo {}g{}{}; }}; ", "$(".repeat(11), n + 1, ")".repeat(11)));
    vec![
        ("replacement", format!("x={}; echo ${{x//a/{}}}", value(), "b".repeat(100_000))),
        ("replacements", format!("x={}; {}", value(), "echo ${x//a/bb}; ".repeat(10_000))),
        ("pieces", format!("x={}; {}", value(), "echo ${x:0:1};".repeat(12_000))),
        ("empty words", format!("a=('' '' ''); {}", "a=(\"${a[@]}\" \"${a[@]}\");".repeat(60))),
        ("empty arguments", format!("set -- '' ''; {}", "set -- \"$@\" \"$@\";".repeat(60))),
        ("elements", format!("a=({}); {}", "x ".repeat(30_000), "${a[0]};".repeat(20_000))),
        ("read", format!("read {} <<< {}", numbered(25_000, |n| format!("v{n} ")), value())),
        ("marks of xargs", format!("echo {} | xargs -I{{}} echo {}", value(), "{}".repeat(90_000))),
        ("marks of find", format!("find {} -exec echo {} ';'", value(), "{}".repeat(90_000))),
        ("marks of parallel", format!("parallel echo {} ::: {}", "{}".repeat(90_000), value())),
        ("copies", format!("echo {} | tee {}", value(), numbered(25_000, |n| format!("f{n} ")))),
        ("copies in a folder", format!("cd {} && echo a | tee {}", value(), "f ".repeat(90_000))),
        ("searches", format!("find {} {}", "a ".repeat(50_000), "-o -name x ".repeat(13_000))),
        ("numbers", format!("redis-cli {}", filled("1 "))),
        ("literals", format!("f() {{ [[ {} ]]; }}; {}", "x".repeat(100_000), "f;".repeat(60_000))),
        ("texts in groups", format!("{evals} eval \"$v0\"")),
        ("functions in groups", format!("{functions} f0")),
        ("substitutions in functions", format!("{substitutions} g0")),
        ("settings", numbered(9_000, |n| format!("git config alias.a{n} b{n};"))),
        ("braces", format!("echo {}", "{a,b}".repeat(40_000))),
        ("sequences", format!("echo {}", "{1..9}".repeat(40_000))),
        ("printf", format!("printf '{}' {}", "%s".repeat(30_000), "a ".repeat(90_000))),
        ("aliases", numbered(30, |n| format!("alias a{n}='a{m}; a{m}';", m = n + 1)) + "a0"),
        ("folders", filled("cd a && ") + "ls"),
        ("places", format!("which {} | xargs rm", filled("a "))),
        ("late", filled("x='a[$(b)]';")),
        ("python names", format!("python3 -c '{}'", filled("a=rmtree;b=a;a=b;a();"))),
        ("python arguments", format!("python3 -c '{}'", filled("rmtree(a,"))),
        ("python aliases", format!("python3 -c '{}'", filled("x=getattr(a,"))),
        ("templates", format!("node -e '{}'", filled("`${"))),
        ("formats", format!("python3 -c '{}'", filled("f\"{"))),
        ("patterns", format!("node -e '{}'", filled("}/ "))),
        ("patterns without an end", format!("node -e '{}'", filled("/["))),
        ("characters without an end", format!("node -e '\"{}'", filled("\\u{"))),
        ("lisp", format!("bb -e '({}'", filled("a."))),
        ("members", format!("python3 -c 'open({}'", filled("a."))),
        ("items", format!("python3 -c 'x=[{}];{}open'", "1,".repeat(20_000), "x=x+x;".repeat(20_000))),
        ("calls in calls", format!("python3 -c '{}'", filled("open(\"a\",\"w\").b("))),
        ("paths", format!("python3 -c '{}open'", filled("p=Path(\"a\")/p;"))),
        ("filled in", format!("php -r '$a=\"aaaaaaaa\";{}'", filled("unlink(\"$a$a$a$a$a\");"))),
        ("sql", format!("psql -c '{}'", filled("select a(b("))),
        ("powershell text", format!("pwsh -c '{}'", filled("$a=\"$a$a\";").replace('\'', ""))),
    ]
}

/// Texts for a Windows shell.
fn windows() -> Vec<(&'static str, String)> {
    let names = |line: &dyn Fn(usize) -> String| (0..60).map(line).collect::<String>();
    let long = "a".repeat(1_000);
    vec![
        ("new names", format!("$v0='{long}';{}", names(&|n| format!("$v{}=\"$v{n}$v{n}\";", n + 1)))),
        ("the same name", format!("$a = '{long}';{}", "$a = \"$a$a\"; ".repeat(60))),
        ("appended", format!("$a='{long}';{}", "$a+=$a;".repeat(60))),
        ("words", format!("$a='{}';echo {}", value(), "$a ".repeat(60_000))),
        ("one word", format!("$a='{}';echo {}", value(), "$a".repeat(60_000))),
        ("blocks", filled("{(")),
        ("methods", filled("[io.file]::copy(")),
        ("lists", format!("$a='b','c';{}", filled("\"$a$a$a\";"))),
        ("listings", filled("gci a | % { ")),
        ("deep texts", format!("{}'x'", "powershell -c ".repeat(10_000))),
        ("cmd names", format!("set v0={long}\n{}", names(&|n| format!("set v{}=%v{n}%%v{n}%\n", n + 1)))),
        ("cmd lines", format!("set a={}\n{}", value(), "%a%\n".repeat(40_000))),
        ("cmd values", format!("set a={}\n{}", value(), numbered(9_000, |n| format!("set b{n}=%a%\n")))),
    ]
}

/// Files that a session wrote, with the command that runs them.
fn files() -> Vec<(&'static str, &'static str, &'static str, String)> {
    let tasks = numbered(200, |n| {
        format!("\"t{n}\":{}{{\"deps\":[\"t{}\"]}}{},", "{\"a\":".repeat(90), n + 1, "}".repeat(90))
    });
    let chain = numbered(300, |n| format!("  t{n}:\n    deps: [t{}]\n    cmds: [ls]\n", n + 1));
    let refs = |sign: &str, count: usize| sign.repeat(count);
    vec![
        ("deep tasks", "deno task t0", "deno.json", format!("{{\"tasks\":{{{tasks}\"x\":\"ls\"}}}}")),
        ("long chain", "task t0", "Taskfile.yml", format!("version: '3'\ntasks:\n{chain}")),
        ("nested yaml", "task a", "Taskfile.yml", format!("tasks:\n  a: {}", "[".repeat(100_000))),
        ("toml text", "cargo make a", "Makefile.toml", format!("[tasks.a]\nscript = '''\n{}", filled("\n"))),
        ("toml list", "cargo make a", "Makefile.toml", format!("[tasks.a]\nx = [\n{}", filled("\n"))),
        ("ini value", "tox", "tox.ini", format!("[testenv]\ncommands =\n{}", filled(" a\n"))),
        ("values", "make", "Makefile", format!("A={}\nB={}\nall:\n\t$(B)\n", value(), refs("$(A)", 40_000))),
        ("lines", "make", "Makefile", format!("A={}\n{}", value(), filled("b: $(A)\n"))),
        ("needs", "make a", "Makefile", format!("%: {}\n\tls\n", filled("%x ")) + &filled("%: b c d e\n")),
        ("appended", "make", "Makefile", filled("A += x\n") + "all:\n\t$(A)\n"),
        ("just", "just a", "justfile", format!("x := '{}'\na:\n  {}\n", value(), refs("{{x}}", 30_000))),
        ("blocks", "rake a", "Rakefile", filled("task :a => [:a, :b] do\n")),
        ("python texts", "python3 a.py", "a.py", format!("a='{}'\nrun(''{})", value(), refs("+a", 60_000))),
        ("python values", "python3 a.py", "a.py", refs("a='x'\n", 20_000) + &refs("run(a)\n", 20_000)),
        ("python calls", "python3 a.py", "a.py", filled("system(")),
        ("python opens", "python3 a.py", "a.py", filled("open(")),
        ("python names", "python3 a.py", "a.py", filled("a.")),
        ("python imports", "python3 a.py", "a.py", numbered(9_000, |n| format!("import m{n}\n"))),
        ("node imports", "node a.js", "a.js", numbered(9_000, |n| format!("require('m{n}');"))),
    ]
}

struct OneFile(&'static str, String);

impl SessionFiles for OneFile {
    fn content(&self, path: &str) -> Option<WrittenContent> {
        (path == format!("/repo/{}", self.0)).then(|| WrittenContent::Text(self.1.clone()))
    }
}

/// Reads a text in a thread whose stack is as small as that of a thread of a runtime.
fn read(name: &str, visit: impl FnOnce() -> Analysis + Send + 'static) {
    eprintln!("{name}");
    let thread = thread::Builder::new().stack_size(2 << 20).spawn(move || {
        let analysis = visit();
        let effects = analysis.effects().len();
        (
            effects,
            analysis.written_files().len(),
            analysis.programs().iter().map(|it| it.names().len()).sum::<usize>(),
        )
    });
    thread.unwrap().join().unwrap();
}

#[test]
fn hostile_texts_stay_within_bounds() {
    if env::var_os(INNER).is_some() {
        for (name, text) in shell() {
            read(name, move || Analysis::of_text(&text, &Options::default()));
        }
        for (name, text) in windows() {
            let options = Options { windows: true, ignores_case: true, ..Options::default() };
            read(name, move || Analysis::of_text(&text, &options));
        }
        for (name, command, file, text) in files() {
            read(name, move || {
                let files = Rc::new(OneFile(file, text));
                Analysis::of_text_with(command, Some("/repo"), files, &Options::default())
            });
        }
        return;
    }
    // A gigabyte, and two minutes of a build without optimisation.
    let limited =
        "ulimit -v 1048576; ulimit -t 120; exec \"$0\" --exact hostile_texts_stay_within_bounds --nocapture";
    #[expect(clippy::disallowed_methods, reason = "only a process of its own can have a limit of its memory")]
    let mut inner = std::process::Command::new("sh");
    let output =
        inner.arg("-c").arg(limited).arg(env::current_exe().unwrap()).env(INNER, "1").output().unwrap();
    let shown = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?} after\n{shown}", output.status);
}

/// Returns whether a command removes a tree, or whether something about it is unresolved.
fn is_noticed(analysis: &Analysis) -> bool {
    let pattern = BlockedPattern::parse("rm -rf").expect("the pattern is correct");
    !analysis.unresolved.is_empty()
        || analysis.has_effect(Effect::RecursiveDelete)
        || analysis.find(&[pattern]).is_some()
}

#[test]
fn what_is_behind_a_limit_is_not_hidden() {
    let many = |line: &dyn Fn(usize) -> String| (0..400).map(line).collect::<String>();
    let python = |code: String| format!("python3 -c \"{code}\"");
    for text in [
        python(many(&|n| format!("a{n} = os.remove\n")) + "b = shutil.rmtree\nb('src')"),
        python("a = x\na = shutil.rmtree\nb = a\nb('src')".to_owned()),
        python(format!("os.rmdir({}'src', recursive=True)", many(&|n| format!("a{n}, ")))),
        python(format!("a = getattr(shutil, {} 'rmtree')\na('src')", many(&|n| format!("'a{n}' and ")))),
        python("print(f'{shutil.rmtree(\\\"src\\\")}')".to_owned()),
        "node -e 'console.log(`${fs.rmSync(\"src\", {recursive: true})}`)'".to_owned(),
        "node -e 'a.replace(/\"/g, b); fs.rmSync(\"src\", {recursive: true})'".to_owned(),
        format!("bb -e '({}x/delete-tree \"src\")'", "a.".repeat(100)),
        format!("docker {} run --entrypoint rm image -rf src", "-a b ".repeat(40)),
        numbered(400, |n| format!("git config alias.a{n} b; ")) + "git config alias.z '!rm -rf src'; git z",
        many(&|n| format!("export GIT_CONFIG_KEY_{n}=a.b GIT_CONFIG_VALUE_{n}=c; "))
            + "GIT_CONFIG_KEY_400=alias.z GIT_CONFIG_VALUE_400='!rm -rf src' git z",
        format!("{{rm,-rf,{}src}}", many(&|n| format!("a{n},"))),
    ] {
        assert!(is_noticed(&Analysis::of_text(&text, &Options::default())), "{text}");
    }
    let words = many(&|n| format!("'a{n}', "));
    let lines = many(&|n| format!("import m{n}\n"));
    let nested = |count: usize| (0..count).map(|n| format!("{}a:\n", " ".repeat(n))).collect::<String>();
    let settings = many(&|n| format!("[a]\n\tb{n} = c\n"));
    let chained = (0..400).map(|n| format!("  t{n}:\n    deps: [t{}]\n", n + 1)).collect::<String>();
    for (command, file, text) in [
        (
            "python3 a.py",
            "a.py",
            format!("subprocess.run(['echo', {words} 'x', '&&', 'rm', '-rf', 'src'], shell=True)"),
        ),
        ("python3 a.py", "a.py", "os.system(f'rm -rf {shutil.rmtree(\"src\")}')".to_owned()),
        ("python3 a.py", "a.py", format!("{lines}import last\n")),
        (
            "task t0",
            "Taskfile.yml",
            format!("version: '3'\ntasks:\n{chained}  t400:\n    cmds: [rm -rf src]\n"),
        ),
        ("task a", "Taskfile.yml", format!("tasks:\n{}{}- rm -rf src\n", nested(40), " ".repeat(41))),
        ("deno task a", "deno.jsonc", "{ // tasks\n\"tasks\": {\"a\": \"rm -rf src\",},\n}".to_owned()),
        ("deno task a", "deno.json", format!("{{\"tasks\":{}{}}}", "{\"a\":".repeat(200), "}".repeat(200))),
        ("git z", ".git/config", format!("{settings}[alias]\n\tz = !rm -rf src\n")),
        ("rake a", "Rakefile", "task :a do\nend\ntask :a do\n  sh 'rm -rf src'\nend\n".to_owned()),
    ] {
        let analysis =
            Analysis::of_text_with(command, Some("/repo"), Rc::new(OneFile(file, text)), &Options::default());
        assert!(is_noticed(&analysis), "{command}: {analysis:#?}");
    }
}
