//! Own files and the own program behind words that have to be followed.

use super::*;
use crate::ProtectedFiles;

/// As a configuration in `/repo` protects itself, the clients' settings and the program.
const PATTERNS: &[&str] = &[
    "/repo/hooks.yaml",
    "**/hooks.yaml",
    "**/.claude/settings.json",
    "/repo/.claude/settings.json",
    "/home/dev/.claude/settings.json",
    "/usr/local/bin/hooks",
];

/// Returns the strongest answer of the two policies that protect files.
fn answer(command: &str) -> Strength {
    let mut context = context("a", FakeFileSystem::default());
    context.environment.home = Some("/home/dev".into());
    let request = HookRequest::new(context, PreToolUse::new("bash", json!({ "command": command })));
    let own = OwnState::new(PATTERNS, &CallReader::default()).unwrap();
    let files = ProtectedFiles::new(PATTERNS, &CallReader::default()).unwrap();
    verdict_on(&own, &request).0.max(verdict_on(&files, &request).0)
}

#[track_caller]
fn all_are(wanted: Strength, commands: &[&str]) {
    let wrong: Vec<_> = commands.iter().filter(|command| answer(command) != wanted).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_program_is_found_by_what_prints_its_place() {
    all_are(
        Strength::Deny,
        &[
            "cp /bin/true $(which hooks)",
            "cp /bin/true \"$(which hooks)\"",
            "cp /bin/true `which hooks`",
            "H=$(which hooks); cp /bin/true $H",
            "H=`command -v hooks` && cp /bin/true \"$H\"",
            "which hooks | xargs -I{} cp /bin/true {}",
            "which hooks | xargs cp /bin/true",
            "cp /bin/true $(command -v hooks)",
            "cp /bin/true $(type -p hooks)",
            "cp /bin/true $(type -P hooks)",
            "cp /bin/true `readlink -f $(which hooks)`",
            "cp /bin/true $(realpath \"$(command -v hooks)\")",
            "ln -sf /bin/true $(which -a hooks | head -n1)",
            "echo > $(which hooks)",
            "rm -f $(which hooks)",
            "mv $(which hooks) /tmp/h",
            "chmod -x $(which hooks)",
            "dd if=/bin/true of=$(which hooks)",
            "cp /bin/true $(dirname $(which hooks))/hooks",
            "for h in $(which -a hooks); do cp /bin/true $h; done",
            "which hooks | while read h; do cp /bin/true $h; done",
        ],
    );
    all_are(
        Strength::NoOpinion,
        &[
            "which hooks",
            "ls -l $(which hooks)",
            "cp build/tool $(which tool)",
            "$(which python3) -m pytest",
            "cp $(which node) bin/",
            "file $(command -v cargo)",
            "readlink -f $(which java)",
        ],
    );
}

#[test]
fn downloads_into_a_folder_are_found() {
    all_are(
        Strength::Deny,
        &[
            "wget -P ~/.claude https://a.example/settings.json",
            "wget -P ~/.claude a.example/settings.json",
            "wget --directory-prefix=.claude https://a.example/settings.json",
            "wget --directory-prefix .claude https://a.example/settings.json",
            "cd ~/.claude && wget https://a.example/settings.json",
            "cd .claude && wget https://a.example/settings.json?x=1",
            "cd ~/.claude && curl -O https://a.example/settings.json",
            "cd ~/.claude && curl -sSLO a.example/settings.json",
            "cd ~/.claude && curl --remote-name-all https://a.example/settings.json",
            "curl --output-dir ~/.claude -O https://a.example/settings.json",
            "curl --output-dir=.claude -o settings.json https://a.example/x",
            "curl -O --output-dir ~/.claude https://a.example/settings.json",
            "aria2c -d ~/.claude https://a.example/settings.json",
            "aria2c --dir=.claude -o settings.json https://a.example/x",
            "aria2c --dir .claude -o settings.json https://a.example/x",
            "axel -o ~/.claude/settings.json https://a.example/x",
            "http --download -o .claude/settings.json https://a.example/x",
            "wget -P ~/.claude $URL",
            "wget -P .claude -i list",
            "cd .claude && curl -O $URL",
            "curl --output-dir .claude -OJ https://a.example/x",
            "wget -P .claude --content-disposition https://a.example/x",
        ],
    );
    all_are(
        Strength::NoOpinion,
        &[
            "wget https://a.example/settings.json",
            "wget -P downloads https://a.example/x.tar.gz",
            "wget $URL",
            "wget -q -O - $URL",
            "cd tools && wget $URL",
            "wget -P vendor -i list",
            "curl -fsSL https://a.example/x | jq .",
            "curl -O https://a.example/x.tgz",
            "curl --output-dir out -O $URL",
            "aria2c -d downloads https://a.example/x.iso",
            "aria2c https://a.example/x.iso",
        ],
    );
}

#[test]
fn searches_for_the_files_are_found() {
    all_are(
        Strength::Deny,
        &[
            "find / -name hooks.yaml | xargs sed -i s/deny/allow/",
            "find / -name hooks.yaml -exec sed -i s/deny/allow/ {} +",
            "find / -name hooks.yaml -exec sed -i s/deny/allow/ {} \\;",
            "find . -name 'hooks.y*' -exec rm {} +",
            "find / -name hooks.yaml -delete",
            "find ~ -name settings.json -path '*claude*' -exec rm {} \\;",
            "find / -name hooks.yaml | while read f; do echo > $f; done",
            "for f in $(find / -name hooks.yaml); do sed -i d $f; done",
            "find / -name hooks.yaml -print0 | xargs -0 -n1 rm",
            "find / -name hooks.yaml | xargs -I{} mv {} {}.bak",
            "find / -type f -name hooks -exec cp /bin/true {} \\;",
            "locate hooks.yaml | xargs rm",
            "fd hooks.yaml / -x rm",
            "rm $(find / -name hooks.yaml)",
        ],
    );
    all_are(
        Strength::NoOpinion,
        &[
            "find / -name hooks.yaml",
            "find . -name hooks.yaml | xargs cat",
            "find . -name '*.pyc' -delete",
            "find . -name '*.rs' | xargs sed -i s/a/b/",
            "find . -name '*.orig' -exec rm {} +",
            "grep -rl old src | xargs sed -i s/old/new/",
        ],
    );
}

#[test]
fn code_that_asks_for_the_home_is_read() {
    all_are(
        Strength::Deny,
        &[
            "node -e \"fs.writeFileSync(process.env.HOME+'/.claude/settings.json','{}')\"",
            "node -e \"fs.writeFileSync(os.homedir()+'/.claude/settings.json','{}')\"",
            "node -e \"fs.writeFileSync(path.join(os.homedir(),'.claude','settings.json'),'{}')\"",
            "node -e 'fs.writeFileSync(`${os.homedir()}/.claude/settings.json`, \"{}\")'",
            "node -e 'const h = os.homedir(); fs.rmSync(h + \"/.claude/\" + \"settings.json\")'",
            "ruby -e \"File.write(Dir.home + '/.claude/settings.json', '{}')\"",
            "ruby -e 'File.write(ENV[\"HOME\"] + \"/.claude/settings.json\", \"{}\")'",
            "ruby -e 'File.write(\"#{Dir.home}/.claude/settings.json\", \"{}\")'",
            "ruby -e 'File.write(File.join(Dir.home, \".claude\", \"settings.json\"), \"{}\")'",
            "python3 -c \"open(os.path.expanduser('~/.claude/settings.json'),'w').write('{}')\"",
            "python3 -c \"(Path.home()/'.claude'/'settings.json').write_text('{}')\"",
            "python3 -c \"Path.home().joinpath('.claude/settings.json').unlink()\"",
            "python3 -c \"open(os.environ['HOME']+'/.claude/settings.json','w')\"",
            "python3 -c \"open(f'{Path.home()}/.claude/settings.json','w')\"",
            "python3 -c \"open('hooks' + '.yaml', 'w')\"",
            "python3 -c \"open('hooks\\x2eyaml', 'w')\"",
            "perl -e 'unlink \"$ENV{HOME}/.claude/settings.json\"'",
            "perl -e 'open(F, \">\", $ENV{HOME}.\"/.claude/settings.json\")'",
            "php -r 'unlink(getenv(\"HOME\").\"/.claude/settings.json\");'",
        ],
    );
    all_are(
        Strength::NoOpinion,
        &[
            "node -e \"fs.writeFileSync(os.homedir()+'/.cache/x.json','{}')\"",
            "python3 -c \"open(os.path.expanduser('~/notes.txt'),'w').write('x')\"",
            "python3 -c \"print(open('hooks.yaml').read())\"",
            "ruby -e 'puts Dir.home'",
        ],
    );
}

#[test]
fn commands_of_clients_that_change_their_settings_are_for_people() {
    all_are(
        Strength::Deny,
        &[
            "claude config set disableAllHooks true",
            "claude config set -g disableAllHooks true",
            "claude config add hooks x",
            "claude config remove hooks",
            "npx @anthropic-ai/claude-code config set disableAllHooks true",
            "gemini hooks disable x",
            "codex features enable x",
        ],
    );
    all_are(
        Strength::NoOpinion,
        &["claude config list", "claude config get theme", "claude -p 'config set x'"],
    );
}
