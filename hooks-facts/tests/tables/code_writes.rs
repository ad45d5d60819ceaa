//! Files that code changes: each row of the table, and code in several languages.

use hooks_facts::globs::shown;

use crate::{analysis, assert_effects, example, keys, table};

fn written(text: &str) -> Vec<String> {
    let mut names: Vec<String> =
        analysis(text).writes().iter().map(|write| shown(&write.target.outline())).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[test]
fn every_call_changes_its_file_and_other_names_change_none() {
    let table = table(include_str!("../../data/write_calls.tsv"));
    let mut failed = Vec::new();
    for (row, call) in keys(&table) {
        let (text, other) = (example(&table, row, call), example(&table, row, "zzz"));
        let (found, none) = (written(&text), written(&other));
        if !found.iter().any(|name| name == "a") || none.iter().any(|name| name == "a") {
            failed.push(format!("{}: {text}: {found:?}; other: {none:?}", row.line));
        }
    }
    assert_effects(&failed);
}

#[test]
fn literal_names_are_followed_and_others_are_unknown() {
    let mut failed = Vec::new();
    for (program, code, names) in [
        ("python3 -", "open('setup.cfg','w').write('[x]')", &["setup.cfg"][..]),
        ("python3 -", "open('a').read(); open('b', 'r'); open('c', mode='rb')", &[]),
        ("python3 -", "(Path('lib')/'gen.py').write_text('x = 1')", &["lib/gen.py"]),
        ("python3 -", "p = 'src'\nopen(p + '/' + 'x.ts', 'a')", &["src/x.ts"]),
        ("python3 -", "open(os.path.join('src', 'a', 'b.py'), 'w')", &["src/a/b.py"]),
        ("python3 -", "for n in ['a', 'b']:\n  open(f'src/{n}.py', 'w')", &["src/a.py", "src/b.py"]),
        ("python3 -", "[os.remove(f) for f in glob.glob('src/*.o')]", &["src/*.o"]),
        (
            "python3 -",
            "for p in Path('src').rglob('*.ts'): p.write_text(p.read_text().replace('a', 'b'))",
            &["src/**/*.ts"],
        ),
        (
            "python3 -",
            "for d, s, fs in os.walk('src'):\n  for f in fs: os.remove(os.path.join(d, f))",
            &["src/**/*"],
        ),
        ("python3 -", "open(sys.argv[1], 'w')", &["…"]),
        ("python3 - a b", "open(sys.argv[2], 'w').write(open(sys.argv[1]).read())", &["b"]),
        ("python3 - a b", "for f in sys.argv[1:]: open(f, 'w')", &["a", "b"]),
        ("python3 -", "open(name + '.txt', 'w')", &["….txt"]),
        (
            "python3 -",
            "import os as o; from shutil import move as m\no.remove('a'); m('b', 'c')",
            &["a", "b", "c"],
        ),
        ("python3 -", "with open('a', 'w') as f, open('b') as g: f.write(g.read())", &["a"]),
        (
            "python3 -",
            "x = ['a']; x.remove('a'); 'a'.replace('b', 'c'); d.copy(); sys.stdout.write('w')",
            &[],
        ),
        ("python3 -", "Path.home().joinpath('.bashrc').open('a')", &["~/.bashrc"]),
        ("python3 -", "open(os.environ['HOME'] + '/x', 'w')", &["~/x"]),
        ("python3 -", "for line in fileinput.input('a', inplace=True): print(line)", &["a"]),
        ("python3 -", "os.chdir('src'); open('a', 'w'); open('/b', 'w')", &["/b", "src/a"]),
        ("python3 -", "tempfile.NamedTemporaryFile('w', dir='/var/lib')", &["/var/lib/*"]),
        ("python3 -", "for i in range(3):\n  open(f'a{i}', 'w')", &["a*"]),
        ("python3 -", "subprocess.run(['true'], stdout=open(os.devnull, 'w'))", &["/dev/null"]),
        ("python3 -", "json.dump(x, open('a.json', 'w'))", &["a.json"]),
        ("python3 -", "df.to_csv('out.csv')", &["out.csv"]),
        ("python3 -", "# open('a', 'w')\nprint(\"open('b', 'w')\")", &[]),
        ("node", "require('fs').writeFileSync('cfg.json', '{}')", &["cfg.json"]),
        (
            "node",
            "const fs = require('fs'); const p = ['lib', 'gen.js'].join('/'); fs.writeFileSync(p, 'x')",
            &["lib/gen.js"],
        ),
        ("node", "import {appendFileSync as a} from 'node:fs'; a('notes.txt','x')", &["notes.txt"]),
        ("node", "const {writeFileSync: w} = require('fs'); w('a', 'x')", &["a"]),
        ("node", "['a','b'].forEach(f => fs.unlinkSync(`src/${f}.js`))", &["src/a.js", "src/b.js"]),
        ("node", "const d = 'src'; fs.promises.mkdir(path.join(d, 'x'), {recursive: true})", &["src/x"]),
        ("node", "fs.createReadStream('a').pipe(fs.createWriteStream('b'))", &["b"]),
        ("node", "fs.writeFileSync(process.argv[2] || 'x.txt', 'y')", &["…"]),
        ("node", "fs.writeSync(1, 'x'); fs.writeFileSync('/dev/stdout', 'x')", &["/dev/stdout"]),
        ("perl", "open(my $f, '>', 'x.txt') or die; close $f", &["x.txt"]),
        ("perl", "open F, '>>lib/log.txt'; open(G, '<', 'y'); open H, 'z'", &["lib/log.txt"]),
        ("perl", "unlink glob('migrations/0*.sql')", &["migrations/0*.sql"]),
        ("perl", "my $d = \"src\"; mkdir \"$d/x\"; rename \"a\", \"b\"", &["a", "b", "src/x"]),
        ("ruby", "File.write(\"Gemfile.local\", \"x\")", &["Gemfile.local"]),
        ("ruby", "FileUtils.mv(\"a\", \"b\"); File.open(\"c\", \"w\") { |f| f.puts 1 }", &["a", "b", "c"]),
        ("ruby", "%w[a b].each { |f| File.delete(f) }", &["a", "b"]),
        (
            "php",
            "<?php $d = \"internal/gen\"; touch(\"$d/x.go\"); file_put_contents('a' . '.php', 1);",
            &["a.php", "internal/gen/x.go"],
        ),
        ("lua -", "local f = io.open(\"conf.lua\", \"w\"); f:write(\"x\")", &["conf.lua"]),
        ("tclsh", "file copy src/a.txt lib/a.txt; file delete x", &["lib/a.txt", "x"]),
    ] {
        let text = format!("{program} <<'END'\n{code}\nEND\n");
        let found = written(&text);
        if found != names {
            failed.push(format!("{program}: {code}: {found:?}"));
        }
    }
    for (text, names) in [
        ("awk '{print > \"out.txt\"}' src/a.txt", &["out.txt"][..]),
        ("awk '$1 > 5 {print $2}' a", &[]),
        ("awk '{ if ($1 > $2) print $1; printf(\"%s\", $2) >> \"b\" \".c\" }' a", &["b.c"]),
        ("emacs --batch --eval '(write-region \"x\" nil \"init.txt\")'", &["init.txt"]),
        ("printf 'w lib/ed.txt\\nq\\n' | ed -s src/a.txt", &["lib/ed.txt", "src/a.txt"]),
        ("vim -es -c 'saveas other.txt' -c 'qa!' src/a.txt", &["other.txt"]),
        ("vim -es -c 'w other.txt' -c 'wq' src/a.txt", &["other.txt", "src/a.txt"]),
        ("sqlite3 :memory: '.output dump.sql' 'select 1'", &["dump.sql"]),
        ("sqlite3 test/x.db \"vacuum into 'v.db'\"", &["test/x.db", "v.db"]),
        ("sqlite3 app.db 'create table t(x)'", &["app.db"]),
        ("sqlite3 app.db 'select 1; .tables'", &[]),
        ("perl -e 'open(my $f, \">>\", \"a\"); print $f \"x > y\\n\"'", &["a"]),
        ("zstd -q a -o b.zst", &["b.zst"]),
        ("zstd --rm a", &["a", "a.zst"]),
        ("gzip a", &["a"]),
        ("chmod +x a", &["a"]),
        ("docker cp web:/etc/a b", &["b"]),
        ("cmake -S src -B build", &["build"]),
        ("protoc --python_out=gen a.proto", &["gen"]),
        ("cd a && cd - && touch b", &["b"]),
        ("psql -c \"\\copy t TO 'x.csv'\"", &["x.csv"]),
    ] {
        let found = written(text);
        if found != names {
            failed.push(format!("{text}: {found:?}"));
        }
    }
    assert_effects(&failed);
}
