//! Commands that end the processes of the hooks, and those that end others.

use super::*;

#[test]
fn the_processes_of_the_hooks_are_not_ended() {
    says(
        Strength::Deny,
        &[
            "pkill hooks",
            "pkill -9 -x hooks",
            "pkill -f 'hooks run'",
            "pkill -f '[h]ooks run'",
            "pkill 'hoo.*'",
            "pkill -u root ook",
            "pkill -n hooks",
            "killall -9 hooks",
            "killall -g hooks",
            "killall -r 'ho+ks'",
            "killall5 -9",
            "kill $(pgrep hooks)",
            "kill -9 `pidof hooks`",
            "pgrep -f 'hooks run' | xargs -r kill -9",
            "ps aux | grep '[h]ooks' | awk '{print $2}' | xargs kill",
            "ps -ef | awk '/hooks/ {print $2}' | xargs kill -STOP",
            "pkill -f /usr/local/bin/hooks",
            "pkill -f 'hooks run claude'",
            "pkill -xf '/home/me/.cargo/bin/hooks exec --shell'",
            "pkill -f '^/opt/x/hooks.*claude'",
            "pkill -i HOOKS",
            "killall -I Hooks",
            "pkill --inverse -f vite",
            "pkill -KILL -u root",
            "killall -u root",
            "pkill -u $(whoami) -9",
            "pkill -uroot",
            "pgrep -v node | xargs kill",
            "kill -9 -1",
            "kill -KILL -- -1",
        ],
    );
}

#[test]
fn other_processes_are() {
    says(
        Strength::NoOpinion,
        &[
            "pkill -f vite",
            "pkill node",
            "pkill -f react-hooks-server",
            "pkill -f 'node scripts/hooks.js'",
            "pkill -f scripts/hooks.js",
            "pkill -f src/hooks/server",
            "pkill -u root node",
            "pkill -u root $name",
            "killall -v node",
            "pkill -x hook",
            "pkill -f 'npm run dev'",
            "killall node",
            "killall hook",
            "kill 123",
            "kill -1 123",
            "kill $(lsof -t -i:3000)",
            "kill $(cat server.pid)",
            "pgrep hooks",
            "ps aux | grep hooks",
            "grep -rn hooks src && kill 123",
            "ps aux | grep node | awk '{print $2}' | xargs kill",
        ],
    );
}

/// The patterns of a command are bounded: a command with more of them is denied.
#[test]
fn many_patterns_end() {
    let many: String = (0..2_000).map(|n| format!("pkill 'a{n}.*b'; ")).collect();
    let request = call("bash", json!({ "command": many }));
    assert_eq!(verdict_on(&IN_THE_TEAM.policy(), &request).0, Strength::Deny);
}
