//! Content of a simulated disk after a power loss.

use std::sync::{Arc, Mutex};

use super::{File, SECTOR, SimDisk, World};

impl SimDisk {
    /// Returns a copy of the disk in one of the many states that a power loss may leave.
    pub(crate) fn after_power_cut(&self, seed: u64) -> Self {
        let mut world = self.world().clone();
        world.dice = seed;
        world.cut_names();
        for number in 0..world.files.len() {
            let file = world.files[number].clone();
            world.files[number] = world.cut_file(file);
        }
        world.restart();
        Self(Arc::new(Mutex::new(world)))
    }
}

impl World {
    fn cut_names(&mut self) {
        let done = self.roll(self.renamed.len() as u64 + 1) as usize;
        let mut names = self.durable_names.clone();
        for name in &self.renamed[..done] {
            match name.now {
                Some(node) => names.insert(name.path.clone(), node),
                None => names.remove(&name.path),
            };
        }
        self.names = names.clone();
        self.durable_names = names;
        self.renamed.clear();
    }

    fn cut_file(&mut self, file: File) -> File {
        let File { seen, durable, dirty, is_broken } = file;
        if dirty.is_empty() {
            return File { seen: durable.clone(), durable, dirty, is_broken };
        }
        let (short, long) = (seen.len().min(durable.len()), seen.len().max(durable.len()));
        let length = short + self.roll((long - short) as u64 + 1) as usize;
        // Some images lose nearly nothing, some nearly all.
        let kept = self.roll(5) * 250;
        let mut content = durable;
        content.resize(length, 0);
        for sector in dirty {
            let range = sector * SECTOR..((sector + 1) * SECTOR).min(length).min(seen.len());
            if range.is_empty() {
                continue;
            }
            if self.roll(1_000) < kept {
                content[range.clone()].copy_from_slice(&seen[range]);
            } else if self.roll(4) == 0 && range.start >= short {
                // A sector with stale content.
                let from = self.roll((seen.len() - range.len()) as u64 + 1) as usize;
                content[range.clone()].copy_from_slice(&seen[from..from + range.len()]);
            }
        }
        File { seen: content.clone(), durable: content, is_broken, ..File::default() }
    }
}
