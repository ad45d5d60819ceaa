//! Known programs that are made to have another effect: by a script in a file, by an option that names a
//! program, by a variable.

use super::*;

#[test]
fn a_script_that_nobody_read_may_not_name_the_files() {
    says(
        Strength::Deny,
        &[
            "bash evil.sh FILE",
            "bash -x evil.sh FILE",
            "sh ./evil.sh FILE",
            "zsh evil.sh DIR",
            ". ./evil.sh FILE",
            "source evil.sh FILE",
            "bash -s FILE < evil.sh",
            "cat evil.sh | bash -s FILE",
            "bash --rcfile evil.sh -ic 'cat FILE'",
            "cd DIR && bash ../evil.sh",
            "find DIR -name '*.jsonl' -exec bash evil.sh {} +",
            "echo FILE | xargs bash evil.sh",
            "awk -f evil.awk FILE",
            "awk -nfevil.awk FILE",
            "gawk -E evil.awk FILE",
            "gawk -i evil.awk 1 FILE",
            "gawk -l ./x.so 1 FILE",
            "gawk --load=./x.so 1 FILE",
            "awk -v f=FILE 'BEGIN { system(\"rm \" f) }'",
            "awk -v f=FILE 'BEGIN { \"rm \" f | getline }'",
            "awk '{ print $1 | \"x\" }' FILE",
            "sed -f evil.sed FILE",
            "sed -nf evil.sed FILE",
            "sed --file=evil.sed FILE",
        ],
    );
}

#[test]
fn an_option_may_not_bring_a_program() {
    says(
        Strength::Deny,
        &[
            "sort --compress-program='rm FILE' x",
            "sort --compress-prog x FILE",
            "bat --pager 'rm -rf' FILE",
            "ag --pager /tmp/x y FILE",
            "rg --pre /tmp/x y FILE",
            "rg --hostname-bin /tmp/x y FILE",
            "split --filter='/tmp/x FILE' y",
            "complete -C '/tmp/x FILE' y",
            "man -P '/tmp/x FILE' ls",
            "less +'!/tmp/x %' FILE",
            "sdiff --diff-program=/tmp/x FILE y",
            "hyperfine -p '/tmp/x FILE' true",
            "git grep -O/tmp/x y FILE",
            "git grep --open-files-in-pager=/tmp/x y FILE",
            "git -c core.pager=/tmp/x log FILE",
            "git -c diff.x.textconv=/tmp/x diff FILE",
            "git --exec-path=/tmp log FILE",
            "tar -I /tmp/x -cf y FILE",
            "tar --to-command=/tmp/x -xf y FILE",
            "rsync -e /tmp/x FILE host:",
            "ssh -o 'ProxyCommand=/tmp/x FILE' host",
            "strace -o '|/tmp/x FILE' ls",
            "rename 'unlink \"FILE\"' x",
            "rename 's/a/b/' FILE",
        ],
    );
}

#[test]
fn a_variable_may_not_bring_a_program() {
    says(
        Strength::Deny,
        &[
            "PATH=/tmp/x:$PATH cat FILE",
            "env PATH=/tmp cat FILE",
            "sudo PATH=/tmp cat FILE",
            "export PATH=/tmp; cat FILE",
            "declare -x PATH=/tmp; cat FILE",
            "LD_PRELOAD=./x.so cat FILE",
            "DYLD_INSERT_LIBRARIES=x cat FILE",
            "BASH_ENV=/tmp/x bash -c 'cat FILE'",
            "GIT_EXTERNAL_DIFF=/tmp/x git diff FILE",
            "GIT_PAGER=/tmp/x git log FILE",
            "PAGER=/tmp/x git log FILE",
            "LESSOPEN='|/tmp/x %s' less FILE",
            "RIPGREP_CONFIG_PATH=/tmp/x rg y FILE",
            "TAR_OPTIONS=--to-command=/tmp/x tar xf y FILE",
            "hash -p /tmp/x cat; cat FILE",
            "enable -f /tmp/x cat; cat FILE",
            "for PATH in /tmp; do cat FILE; done",
        ],
    );
}

/// Ordinary uses of the same programs: they read the files, or name none of them.
#[test]
fn every_day_goes_on() {
    says(
        Strength::NoOpinion,
        &[
            "bash -c 'cat FILE'",
            "bash -n FILE",
            "echo 'cat FILE' | bash",
            "bash scripts/build.sh src",
            "bash -x scripts/build.sh .",
            ". ./venv/bin/activate && pytest tests",
            "source ~/.nvm/nvm.sh && npm test",
            "curl -sS https://example.com/a -o a.sh && cat a.sh",
            "true; PATH=/tmp/x:$PATH make",
            "export PATH=\"$HOME/.cargo/bin:$PATH\"; cargo test && git status",
            "export PATH=/tmp/x; rm -rf build; cp -r src /tmp/y; find . -name '*.o'",
            "env PATH=/tmp/x git add .",
            "LD_LIBRARY_PATH=target cargo test",
            "true; GIT_PAGER=cat git log FILE",
            "GIT_TERMINAL_PROMPT=0 git fetch",
            "true; PAGER=cat git diff hooks.yaml",
            "CC=clang make; cat FILE",
            "git -c color.ui=always log FILE",
            "git -c core.pager=cat diff hooks.yaml",
            "git -c user.name=x commit -m y",
            "awk -f scripts/x.awk src/a",
            "awk '/deny|ask/ { print $1 }' FILE",
            "awk -F: -vlimit=5 '$1 > 5 || $2 == 1 { print }' FILE",
            "awk '{ print $1 \"|\" $2 }' FILE",
            "sed -f scripts/x.sed src/a",
            "sed -e's/foo/bar/' FILE",
            "sort --compress-program=zstd src/a",
            "sort -k2,2 --check FILE",
            "rg --pretty deny FILE",
            "less +G FILE",
            "less +/deny FILE",
            "rename s/a/b/ src/a",
            "tar -I zstd -cf x.tar.zst src",
            "tar -czf /tmp/x.tgz DIR",
            "rsync -e ssh src host:",
            "ssh -o StrictHostKeyChecking=no host ls DIR",
            "strace -o /tmp/x cat FILE",
            "alias ls='ls -l'; ls DIR",
        ],
    );
}
