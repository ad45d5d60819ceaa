//! Wildcards of a shell and of searches, compared with names.

use crate::globs::Gap;

/// Returns whether a name with wildcards may stand for a name, component by component.
pub(super) fn stands_for(outline: &str, name: &str) -> bool {
    let (outline, name) = (outline.trim_start_matches("./"), name.trim_start_matches("./"));
    match outline.split_once(Gap::Folders.stand_in()) {
        Some((before, last)) => {
            name.starts_with(before.trim_start_matches("./"))
                && name.rsplit('/').next().is_some_and(|name| is_name(last, name, true))
        }
        None => {
            let (outline, name): (Vec<_>, Vec<_>) = (outline.split('/').collect(), name.split('/').collect());
            outline.len() == name.len()
                && outline.iter().zip(name).all(|(part, name)| is_name(part, name, false))
        }
    }
}

/// Returns whether a pattern with gaps of one component matches a name. For the shell, a wildcard does not stand for a dot at
/// the start.
pub(super) fn is_name(pattern: &str, name: &str, finds_hidden: bool) -> bool {
    if !finds_hidden && name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    // A search that leaves out hidden files begins with one character.
    if name.starts_with('.') && Gap::from_char(pattern.chars().next().unwrap_or_default()) == Some(Gap::One) {
        return false;
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let mut alive = vec![false; pattern.len() + 1];
    enter(&pattern, &mut alive, 0);
    for c in name.chars() {
        let mut next = vec![false; pattern.len() + 1];
        for (at, expected) in pattern.iter().enumerate() {
            if !alive.get(at).copied().unwrap_or_default() {
                continue;
            }
            match Gap::from_char(*expected) {
                Some(Gap::One) => enter(&pattern, &mut next, at + 1),
                Some(_) => enter(&pattern, &mut next, at),
                None if *expected == c => enter(&pattern, &mut next, at + 1),
                None => {}
            }
        }
        alive = next;
    }
    alive.last().copied().unwrap_or_default()
}

fn enter(pattern: &[char], alive: &mut [bool], at: usize) {
    let mut at = at;
    loop {
        if let Some(place) = alive.get_mut(at) {
            *place = true;
        }
        match pattern.get(at).and_then(|c| Gap::from_char(*c)) {
            Some(Gap::Name | Gap::Folders | Gap::Any | Gap::Listed) => at += 1,
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_are_compared_as_the_shell_does() {
        let (one, any, folders) = (Gap::One.stand_in(), Gap::Name.stand_in(), Gap::Folders.stand_in());
        for (pattern, name, wanted) in [
            (format!("*{any}").replace('*', ""), "a", true),
            (format!("{any}"), ".env", false),
            (format!(".{any}"), ".env", true),
            (format!("{any}.pem"), "a.pem", true),
            (format!("{any}.pem"), "a.pe", false),
            (format!("a{one}c"), "abc", true),
            (format!("a{one}c"), "ac", false),
        ] {
            assert_eq!(is_name(&pattern, name, false), wanted, "{name}");
        }
        assert!(is_name(&format!("{any}"), ".env", true));
        assert!(!is_name(&format!("{one}{any}"), ".env", true));
        assert!(stands_for(&format!("src/{any}.rs"), "./src/a.rs"));
        assert!(!stands_for(&format!("src/{any}.rs"), "src/b/a.rs"));
        assert!(stands_for(&format!("./{folders}{any}.rs"), "src/b/a.rs"));
    }
}
