//! Names of block devices.

use crate::globs::Gap;

/// Names below `/dev` that are no block devices; a name that ends with a star is a beginning.
const CHARACTERS: &[&str] = table!("effect_words_characters");

/// Returns whether a name is that of a block device, or may be one: an unknown name below `/dev` may.
pub(super) fn is_device(name: &str) -> bool {
    let windows = name.get(..4).is_some_and(|start| matches!(start, r"\\.\" | r"\\?\" | "//./"));
    if windows {
        return name.to_ascii_lowercase().contains("physicaldrive") || name.len() == r"\\.\C:".len();
    }
    let Some(rest) = plain(name) else { return false };
    if rest.is_empty() || rest.starts_with(['-', '.']) {
        return false;
    }
    let is_character = |known: &&str| match known.strip_suffix('*') {
        Some(start) => rest.starts_with(start),
        None => rest == **known,
    };
    !CHARACTERS.iter().any(is_character) && !rest.starts_with(|c| Gap::from_char(c) == Some(Gap::Folders))
}

/// Returns the part of a path below `/dev`, without steps that lead nowhere.
fn plain(name: &str) -> Option<String> {
    if !name.starts_with('/') || !name.contains("dev") {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let (first, rest) = parts.split_first()?;
    (*first == "dev").then(|| rest.join("/"))
}

#[cfg(test)]
mod tests {
    use super::is_device;

    #[test]
    fn devices_and_others() {
        for name in [
            "/dev/sda",
            "//dev/./sdb1",
            "/tmp/../dev/nvme0n1",
            "/dev/mapper/a",
            "/dev/disk/by-id/x",
            "/dev/rdisk2",
        ] {
            assert!(is_device(name), "{name}");
        }
        for name in [
            "/dev/null",
            "/dev/tty1",
            "/dev/fd/3",
            "/dev/shm/a",
            "dev/sda",
            "/device/x",
            "/dev",
            "/dev/tcp/a/1",
        ] {
            assert!(!is_device(name), "{name}");
        }
    }
}
