//! Programs that code starts: each row of the table, calls with literal arguments, and everything else.

use crate::{assert_effects, example, is_dangerous, keys, starts, table};

#[test]
fn every_call_starts_its_program_and_nothing_else() {
    let table = table(include_str!("../../data/start_calls.tsv"));
    let mut failed = Vec::new();
    for (row, call) in keys(&table) {
        let text = example(&table, row, call);
        let beside = text.trim_end_matches('\'').to_owned() + "; x = \"inner -xy\"'";
        let is_right = match row.list.as_str() {
            "others" => is_dangerous(&text),
            "nothing" => !is_dangerous(&text) && is_dangerous(&example(&table, row, "zzz")),
            _ => is_dangerous(&text) && is_dangerous(&beside) && !starts(&beside, "inner"),
        };
        if !is_right {
            failed.push(format!("{}: {text}", row.line));
        }
    }
    assert_effects(&failed);
}

#[test]
fn modules_that_run_no_text_leave_a_code_exact() {
    let table = table(include_str!("../../data/plain_modules.tsv"));
    let mut failed = Vec::new();
    for (row, module) in keys(&table) {
        if is_dangerous(&example(&table, row, module)) || !is_dangerous(&example(&table, row, "zzz")) {
            failed.push(format!("{}: {module}", row.line));
        }
    }
    assert_effects(&failed);
}

/// Codes with a literal call, whose other strings are no commands.
const LITERAL: &[(&str, &str)] = &[
    ("python3 -", "import subprocess\nsubprocess.run(['git', 'log', '--grep', 'dangerous -xy'])"),
    ("python3 -", "from subprocess import run, PIPE\nrun(['ls'], stdout=PIPE)\nx = 'dangerous -xy'"),
    ("python3 -", "import os\nos.system('ls') # os.system('dangerous -xy')"),
    ("python3 -", "print(\"os.system('dangerous -xy')\")"),
    (
        "python3 -",
        "import subprocess\np = subprocess.Popen(['ls'], stdout=subprocess.PIPE)\nout, err = p.communicate()\nx = 'dangerous -xy'",
    ),
    (
        "node -",
        "const { execFileSync } = require('child_process');\nexecFileSync('git', ['log', '--grep', 'dangerous -xy'], { stdio: 'inherit' });",
    ),
    ("node -", "import { spawnSync } from 'node:child_process';\nspawnSync('echo', ['dangerous -xy']);"),
    (
        "node -",
        "const cp = require('child_process'); cp.exec('ls', (e, out) => { console.log('dangerous -xy') })",
    ),
    (
        "node -",
        "const o = require('child_process').execFileSync('git', ['log', '-S', 'dangerous -xy']); process.stdout.write(o)",
    ),
    ("perl -ne", "print if /`dangerous -xy`/"),
    ("awk", "BEGIN { print \"system(dangerous -xy)\" }"),
    ("node -", "// execSync('dangerous -xy')\nrequire('child_process').execSync('ls')"),
];

/// Codes that may start `dangerous -xy` in a way that is not one literal call.
const COMPUTED: &[(&str, &str)] = &[
    ("python3 -", "import os\nc = 'ls'\nif x: c = 'dangerous -xy'\nelse: c = 'ls'\nos.system(c)"),
    ("python3 -", "import os\ndef f(c): os.system(c)\nf('dangerous -xy')"),
    ("python3 -", "import os\nos.system('ls' and 'dangerous -xy')"),
    ("python3 -", "import subprocess as s\ns.check_call(['ls'], cwd='b')\nx = 'dangerous -xy'"),
    ("python3 -", "import re, os\nos.system('ls'); assert not re.search('os.system', 'dangerous -xy')"),
    ("python3 -", "import os; c = 'dangerous -xy'; os.system(c).os.system('ls')"),
    ("python3 -", "import os; os.popen('sh', 'w').write('dangerous -xy')"),
    ("python3 -", "import subprocess; n = 5; print(f'{n:#x}'); subprocess.run(['dangerous', '-xy'])"),
    ("python3 -", "# x\rimport os; os.system('dangerous -xy')"),
    ("python3 -", "import os; argv = [0, 'dangerous -xy']; os.system(argv[1])"),
    ("python3 -", "import os; say = lambda x: 'dangerous -xy'; os.system(say('ls'))"),
    ("python3 -", "import subprocess; subprocess.run(['ls'], env={'PAGER': 'dangerous -xy'})"),
    ("python3 -", "import subprocess; open('x', 'w').write('dangerous -xy'); subprocess.run(['sh', 'x'])"),
    ("python3 -", "import pydoc; pydoc.locate('os.system')('dangerous -xy')"),
    ("python3 -", "from subprocess import \\\n run as r\nlist(map(r, [['dangerous', '-xy']]))"),
    ("python3 -", "import os\nx = (yield\n  from map(os.system, ['dangerous -xy']))"),
    (
        "python3 -",
        "import os, inspect; os.system('ls'); inspect.getattr_static(os, 'metsys'[::-1])('dangerous -xy')",
    ),
    ("python3 -", "import os; os.environ['X'] = 'dangerous -xy'; os.system(os.environ['X'])"),
    ("python3 -", "import os; os.execl('/usr/bin/dangerous', 'x', '-xy')"),
    ("python3 -", "from sh import dangerous; dangerous('-xy')"),
    ("python3 -", "from sh import dangerous as d; d('-xy')"),
    ("node -", "const of = 4; of /2; require('child_process').execSync('dangerous -xy') /1"),
    ("node -", "// x\u{2028}require('child_process').execSync('dangerous -xy')"),
    ("node -", "const env = {HOME: 'dangerous -xy'}; require('child_process').execSync(env.HOME)"),
    (
        "node -",
        "require('child_process').execSync('ls'); (() => {})[['con', 'structor'].join('')]('dangerous -xy')",
    ),
    ("node -", "require('child_process').spawn('sh').stdio[0].end('dangerous -xy')"),
    (
        "emacs --batch --eval",
        "(progn (setq x \"a\") (message \"b\") (call-process \"dangerous\" nil nil nil \"-xy\"))",
    ),
    ("ruby -", "puts 'a'\nsystem 'dangerous -xy'"),
    ("python3 -", "import os\nos.system('ls' if x else 'dangerous -xy')"),
    ("python3 -", "import os\nos.system(*['dangerous -xy'])"),
    ("python3 -", "import os\nos.system(['ls', 'dangerous -xy'][1])"),
    ("python3 -", "import os\nos.system('ls'); getattr(os, 'sys' + 'tem')('dangerous -xy')"),
    ("python3 -", "import os\nos.system('ls'); f = os.system; f('dangerous -xy')"),
    ("python3 -", "from os import system as ls\nls('dangerous -xy')"),
    ("python3 -", "from subprocess import *\nrun('dangerous -xy', shell=True)"),
    (
        "python3 -",
        "from subprocess import (\n  run as a,\n  call as b,\n)\na(['ls']); c = b; c('dangerous -xy', shell=True)",
    ),
    ("python3 -", "import subprocess\nsubprocess.run('sh', input='dangerous -xy')"),
    (
        "python3 -",
        "import subprocess\np = subprocess.Popen(['sh'], stdin=subprocess.PIPE)\np.communicate('dangerous -xy')",
    ),
    ("python3 -", "import subprocess\nsubprocess.run(['x', 'y'], executable='dangerous -xy')"),
    ("python3 -", "import subprocess\nsubprocess.run(['dangerous -xy'], shell=True)"),
    ("python3 -", "import os\nexec(\"os.system('dangerous -xy')\")"),
    ("python3 -", "import subprocess\nfor c in ['ls', 'dangerous -xy']: subprocess.run(c, shell=True)"),
    ("python3 -", "import os\nlist(map(os.system, ['ls', 'dangerous -xy']))"),
    ("python3 -", "import os\n__import__('os').system('dangerous -xy')"),
    ("python3 -", "import subprocess as s\nc = 'dangerous -xy'; s.run(c.split())"),
    ("python3 -", "import os\nos.system('ls;' 'dangerous ' + '-xy')"),
    ("python3 -", "import subprocess\nsubprocess.run(**{'args': 'dangerous -xy', 'shell': True})"),
    ("python3 -", "import os\nv = 'dangerous'\nos.system(f'{v} -xy')"),
    ("python3 -", "import subprocess\nfor c in ('a', 'b'):\n  subprocess.run(['dangerous', c, '-xy'])"),
    ("python3 -", "import subprocess\na = ['-xy']\nsubprocess.run(['dangerous', *a])"),
    ("python3 -", "import sh; sh.dangerous('-xy')"),
    ("python3 -", "c = 'import os\\nos.system(\"dangerous -xy\")'; exec(compile(c, 'x', 'exec'))"),
    ("perl -", "$v = \"dangerous\"; $o = \"-xy\"; system \"$v $o a\""),
    ("ruby -", "puts open(\"|dangerous -xy\").read"),
    ("node - --check", "require('child_process').execSync('dangerous -xy')"),
    ("node -", "const {exec: run} = require('child_process'); run('dangerous -xy')"),
    ("node -", "const c = process.argv ? 'dangerous -xy' : 'ls'; require('child_process').execSync(c)"),
    ("node -", "require('child_process').execSync('ls' && 'dangerous -xy')"),
    ("node -", "require('child_process').execSync('sh', { input: 'dangerous -xy' })"),
    ("node -", "require('child_process')['exec' + 'Sync']('dangerous -xy')"),
    ("node -", "const cp = require('child_process'); const { execSync: e } = cp; e('dangerous -xy')"),
    ("node -", "require('child_process').spawnSync('dangerous', ['-xy'], { shell: true })"),
    ("node -", "require('child_process').spawn('dangerous -xy', { shell: true })"),
    ("node -", "require('child_process').execSync(['x', 'dangerous -xy'].pop())"),
    (
        "node -",
        "const { execSync } = await import('child_process'); ['dangerous -xy'].forEach(c => execSync(c))",
    ),
    ("bun -e", "$`dangerous -xy`"),
    ("node -", "const x = /[/]/; require('child_process').execSync('dangerous -xy') // ]"),
];

#[test]
fn an_alias_of_git_and_a_message_of_tmux_may_run() {
    for text in [
        "git -c alias.x='!dangerous -xy' x",
        "git -c alias.x='!dangerous -xy' $Y",
        "tmux display-message hi \\; run-shell 'dangerous -xy'",
    ] {
        assert!(is_dangerous(text), "{text}");
    }
    assert!(!is_dangerous("git -c alias.x='!dangerous -xy' status"));
}

fn command(program: &str, code: &str) -> String {
    match program {
        "bun -e" | "perl -ne" | "awk" => format!("{program} '{code}'"),
        program => format!("{program} <<'END'\n{code}\nEND\n"),
    }
}

#[test]
fn strings_beside_literal_calls_are_no_commands() {
    let wrong = LITERAL.iter().filter(|(program, code)| is_dangerous(&command(program, code)));
    assert_effects(&wrong.map(|(_, code)| (*code).to_owned()).collect::<Vec<_>>());
}

#[test]
fn where_a_call_is_not_literal_each_string_may_be_a_command() {
    let missed = COMPUTED.iter().filter(|(program, code)| !is_dangerous(&command(program, code)));
    assert_effects(&missed.map(|(_, code)| (*code).to_owned()).collect::<Vec<_>>());
}
