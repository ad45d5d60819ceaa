//! Commands under the rules that `hooks init` writes, in a repository on a real disk.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A repository with the first rules and some files.
struct Repository {
    folder: TempDir,
}

impl Repository {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let repository = Self { folder };
        for (name, text) in [
            ("home/.ssh/id_ed25519", "key"),
            ("work/.git/HEAD", "ref: refs/heads/main"),
            ("work/.gitignore", ".env\ntarget/\n"),
            ("work/.env", "TOKEN=1"),
            ("work/.env.example", "TOKEN="),
            ("work/src/main.rs", "fn main() {}"),
            ("work/src/lib.rs", ""),
            ("work/docs/notes.md", "# Notes"),
            ("work/config/.env", "TOKEN=2"),
            ("work/good.txt", "src/main.rs\nsrc/lib.rs\n"),
            ("work/bad.txt", "src/main.rs\n.env\n"),
            ("work/zero.txt", "src/main.rs\0.env\0"),
            ("work/names.txt", "main.rs\nlib.rs\n"),
            ("work/hidden.txt", "notes\n.env\n"),
            ("work/columns.csv", "1,src/main.rs\n2,.env\n"),
        ] {
            let path = repository.folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        repository.hooks(&["init", "claude", "--scope", "project"], "");
        repository
    }

    fn work(&self) -> std::path::PathBuf {
        self.folder.path().join("work")
    }

    fn hooks(&self, args: &[&str], input: &str) -> String {
        run(&self.work(), &self.folder.path().join("home"), args, input)
    }

    /// Returns the effect of the rules on each command, with the reason.
    fn verdicts(&self, commands: &[&str]) -> Vec<(String, String)> {
        let event = |command: &&str| {
            let call =
                json!({"event": "pre_tool_use", "tool_name": "bash", "tool_args": {"command": command}});
            format!("{call}\n")
        };
        let answers =
            self.hooks(&["eval", "--config", "hooks.yaml"], &commands.iter().map(event).collect::<String>());
        let verdict = |line: &str| {
            let answer: Value = serde_json::from_str(line).unwrap();
            (answer["decision"].to_string(), line.to_owned())
        };
        answers.lines().map(verdict).collect()
    }
}

fn run(folder: &Path, home: &Path, args: &[&str], input: &str) -> String {
    #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
    command.args(args).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
    command.env_clear().env("HOME", home).env("SHELL", "/bin/sh");
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

#[track_caller]
fn assert_verdict(wanted: &str, commands: &[&str]) {
    let verdicts = Repository::new().verdicts(commands);
    assert_eq!(verdicts.len(), commands.len());
    let wrong: Vec<_> = commands.iter().zip(verdicts).filter(|(_, (verdict, _))| verdict != wanted).collect();
    assert!(wrong.is_empty(), "not {wanted}: {wrong:#?}");
}

#[test]
fn names_in_a_list_are_read() {
    assert_verdict(
        "\"deny\"",
        &[
            "xargs cat < bad.txt",
            "cat bad.txt | xargs cat",
            "xargs -a bad.txt cat",
            "xargs -I{} cat {} < bad.txt",
            "xargs -0 cat < zero.txt",
            "cat $(cat bad.txt)",
            "cat $(<bad.txt)",
            "cat `cat bad.txt`",
            "for f in $(cat bad.txt); do cat \"$f\"; done",
            "while read -r f; do cat \"$f\"; done < bad.txt",
            "while IFS= read -r f; do cat \"$f\"; done < bad.txt",
            "cat bad.txt | while read f; do head -n 1 $f; done",
            "mapfile -t all < bad.txt; cat \"${all[@]}\"",
            "parallel cat :::: bad.txt",
            "parallel -a bad.txt cat",
            "cat bad.txt | parallel cat {}",
            "tar -cf x.tar -T bad.txt",
            "tar -czf x.tgz --files-from=bad.txt",
            "tar -cf - -T - < bad.txt",
            "rsync -a --files-from=bad.txt . /tmp/x",
            "rsync -a --files-from bad.txt ./ /tmp/x",
            "zip x.zip -@ < bad.txt",
            "cat bad.txt | cpio -o > x.cpio",
            "sort bad.txt | xargs cat",
            "sort -u < bad.txt | xargs -n 1 cat",
            "grep -v '^#' bad.txt | xargs cat",
            "head -n 2 bad.txt | xargs cat",
            "sed -n '2p' bad.txt | xargs cat",
            "tail -n 1 bad.txt | xargs base64",
            "cut -d, -f2 columns.csv | xargs cat",
            "awk -F, '{print $2}' columns.csv | xargs cat",
            "while IFS=, read -r n f; do cat $f; done < columns.csv",
            "cd config && xargs cat < ../hidden.txt",
            "xargs -I{} cat config/{} < hidden.txt",
            "(cd src && cat ../bad.txt) | xargs cat",
            // What the command itself prints, line by line.
            "printf 'src/lib.rs\\n.env\\n' | while read f; do cat $f; done",
            "printf 'src/lib.rs\\n.env\\n' | xargs -I{} cat {}",
            "printf '.env\\n' > made.txt; tar -cf x.tar -T made.txt",
            "find . -name '.env' > made.txt; cat made.txt | xargs cat",
            "ls -a | while read f; do cat $f; done",
        ],
    );
}

#[test]
fn names_in_a_list_that_are_no_secrets_may_be_read() {
    assert_verdict(
        "\"no_opinion\"",
        &[
            "xargs cat < good.txt",
            "xargs -a good.txt wc -l",
            "cat $(cat good.txt)",
            "while read f; do cat \"$f\"; done < good.txt",
            "tar -czf x.tgz -T good.txt",
            "rsync -a --files-from=good.txt . /tmp/x",
            "cd src && xargs cat < ../names.txt",
            "xargs -I{} cat src/{} < names.txt",
            "parallel cat :::: good.txt",
            // The list itself is only shown, and names are no content.
            "cat bad.txt",
            "xargs ls -l < bad.txt",
            "while read f; do test -f \"$f\" && echo \"$f\"; done < bad.txt",
            "while read -r line; do echo \"$line\"; done < .gitignore",
            "xargs -I{} git check-ignore {} < bad.txt",
            "grep -c . bad.txt",
            // Lists that are not there yet, or come from elsewhere, are not known.
            "xargs cat < missing.txt",
            "git ls-files | xargs wc -l",
            "git diff --name-only | xargs cat",
            "cat $(git ls-files '*.rs')",
            "docker build -t app:$(cat VERSION) .",
            "VERSION=$(cat VERSION); echo \"$VERSION\"",
        ],
    );
}

#[test]
fn files_that_code_lists_are_read() {
    assert_verdict(
        "\"deny\"",
        &[
            "python3 -c \"import os; [print(open(f).read()) for f in os.listdir('.')]\"",
            "python3 -c \"import os\nfor f in os.listdir(): print(open(f).read())\"",
            "python3 - <<'EOF'\nimport glob\nfor f in glob.glob('.*'):\n    print(open(f).read())\nEOF",
            "python3 -c \"from pathlib import Path; [print(p.read_text()) for p in Path('.').rglob('*') if p.is_file()]\"",
            "python3 -c \"from pathlib import Path; [print(p.read_text()) for p in Path('.').iterdir() if p.is_file()]\"",
            "python3 -c \"import pathlib; [print(p.read_text()) for p in pathlib.Path().glob('*')]\"",
            "python3 - <<'EOF'\nimport os\nfor root, d, files in os.walk('.'):\n    for f in files:\n        print(open(os.path.join(root, f)).read())\nEOF",
            "python3 - <<'EOF'\nimport os\nfor f in os.scandir('config'):\n    print(open(f.path).read())\nEOF",
            "node -e \"const fs=require('fs'); for (const f of fs.readdirSync('.')) console.log(fs.readFileSync(f,'utf8'))\"",
            "node -e \"require('fs').readdirSync('config').forEach(f => console.log(require('fs').readFileSync('config/'+f)+''))\"",
            "ruby -e 'Dir.children(\".\").each { |f| puts File.read(f) }'",
            "ruby -e 'Dir.entries(\"config\").each { |f| puts File.read(\"config/\" + f) if File.file?(\"config/\" + f) }'",
            "ruby -e 'Dir.glob(\"*\", File::FNM_DOTMATCH).each { |f| puts File.read(f) }'",
            "php -r 'foreach (scandir(\".\") as $f) echo file_get_contents($f);'",
            "perl -e 'opendir(D, \".\"); while ($f = readdir D) { open(F, $f); print <F>; }'",
            "python3 -c \"import os; [print(open(f).read()) for f in os.listdir('.') if f.endswith('env')]\"",
            "docker compose config",
            "docker-compose -f docker-compose.yml config",
        ],
    );
}

#[test]
fn a_listing_of_other_files_and_settings_that_a_tool_loads_are_no_reads_of_secrets() {
    assert_verdict(
        "\"no_opinion\"",
        &[
            "python3 -c \"import os; print(os.listdir('.'))\"",
            "python3 -c \"import os; [print(open('src/'+f).read()) for f in os.listdir('src')]\"",
            "python3 -c \"import os; [print(open(f).read()) for f in os.listdir('.') if f.endswith('.txt')]\"",
            "python3 -c \"import glob; [print(open(f).read()) for f in glob.glob('*.txt')]\"",
            "python3 -c \"import glob; [print(open(f).read()) for f in glob.glob('src/**/*.rs', recursive=True)]\"",
            "python3 -c \"from pathlib import Path; [print(p.read_text()) for p in Path('src').rglob('*.rs')]\"",
            "python3 -c \"from pathlib import Path; [print(p.name) for p in Path('.').glob('.env*')]\"",
            "python3 - <<'EOF'\nimport os\nfor root, d, files in os.walk('.'):\n    for f in files:\n        if f.endswith(('.rs', '.toml')):\n            print(open(os.path.join(root, f)).read())\nEOF",
            "node -e \"const fs=require('fs'); for (const f of fs.readdirSync('src')) console.log(fs.readFileSync('src/'+f,'utf8'))\"",
            "node -e \"const fs=require('fs'); console.log(fs.readdirSync('.').length)\"",
            "node -e \"const fs=require('fs'),path=require('path'); for (const f of fs.readdirSync('.')) if (path.extname(f) === '.md') console.log(fs.readFileSync(f,'utf8'))\"",
            "ruby -e 'Dir.glob(\"src/*.rs\").each { |f| puts File.read(f) }'",
            "ruby -e 'Dir[\"docs/*.md\"].each { |f| puts File.read(f) }'",
            "python3 - <<'EOF'\nimport os\nfor name in os.listdir('src'):\n    with open(os.path.join('out', name), 'w') as f:\n        f.write('x')\nEOF",
            "docker compose config --services",
            "docker compose config -q",
            "uv run --env-file .env python manage.py runserver",
            "node --env-file=.env server.js",
            "docker run --rm --env-file .env app:dev npm test",
            "docker compose --env-file .env up -d",
            "docker compose --env-file .env.production config --quiet",
            "dotenv -f .env run -- python app.py",
            "dotenv -e .env -- npm test",
            "bun --env-file=.env run dev",
            "flask --env-file .env run",
            "uvicorn app:app --env-file .env --reload",
            "deno run --env-file=.env main.ts",
            "pytest --envfile .env tests",
            "podman run --env-file .env app",
            "honcho -e .env start",
            "uv run --env-file=.env -- pytest",
            "npx dotenv -e .env -- node app.js",
            "npx dotenv-cli -e .env -- next build",
            "pnpm exec dotenv -e .env -- vitest",
            "node -r dotenv/config app.js dotenv_config_path=.env",
            "env-cmd -f .env npm start",
            "tsx --env-file=.env src/seed.ts",
            "npx tsx --env-file=.env src/seed.ts",
            "node --watch --env-file .env --env-file .env.local src/index.js",
        ],
    );
}

#[test]
fn own_files_and_sources_are_guarded_behind_a_search_and_a_bare_redirection() {
    assert_verdict(
        "\"deny\"",
        &[
            "grep -rl foo --include=hooks.yaml . | xargs sed -i 's/deny/allow/'",
            "rg -l foo -g hooks.yaml | xargs sed -i 's/deny/allow/'",
            "grep -rl TOKEN --include='.env*' . | xargs cat",
        ],
    );
    assert_verdict("\"ask\"", &["> src/main.rs", ">| src/lib.rs"]);
}
