//! Sizes of memory.

use std::fs;
use std::path::{Path, PathBuf};

use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};

/// Parses a size in bytes, with k, M or G for 2^10, 2^20 or 2^30 of them; at least 1M.
///
/// # Errors
/// Says what a size looks like, if `value` is none.
pub fn parse_memory(value: &str) -> Result<usize, String> {
    let (number, shift) = match value.char_indices().next_back() {
        Some((at, 'k' | 'K')) => (&value[..at], 10),
        Some((at, 'M')) => (&value[..at], 20),
        Some((at, 'G')) => (&value[..at], 30),
        _ => (value, 0),
    };
    let size = number.parse().ok().and_then(|number: usize| number.checked_mul(1 << shift));
    match size {
        None => Err("not a size such as 768M or 4G".to_owned()),
        Some(size) if size < 1 << 20 => Err("less than the minimum, 1M".to_owned()),
        Some(size) => Ok(size),
    }
}

/// The memory in bytes that this process may still take: what the system has without swapping, and what its control groups
/// (of a container, or of a job of Slurm) and its limit of address space allow. `None` if the system does not say.
pub fn available_memory() -> Option<usize> {
    let of_system = available(&fs::read_to_string("/proc/meminfo").ok()?)?;
    let address_space = address_space_limit().unwrap_or(usize::MAX);
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let of_groups = group_files(&groups).into_iter().filter_map(|file| {
        // A group without a limit says "max".
        fs::read_to_string(file).ok()?.trim().parse::<usize>().ok()
    });
    Some(of_groups.fold(of_system.min(address_space), usize::min))
}

/// The bytes of address space that this process may have (`ulimit -v`), if they are limited. It allocates nothing, so the allocator
/// can ask.
pub fn address_space_limit() -> Option<usize> {
    let (soft, _) = getrlimit(Resource::RLIMIT_AS).ok()?;
    if soft == RLIM_INFINITY { None } else { usize::try_from(soft).ok() }
}

/// The files that may have the limits of memory of the control groups which the text of `/proc/self/cgroup` names, and of
/// the groups around them, for both versions of control groups.
fn group_files(text: &str) -> Vec<PathBuf> {
    let of_line = |line: &str| {
        let (_, line) = line.split_once(':')?;
        let (controllers, group) = line.split_once(':')?;
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|it| it == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => return None,
        };
        let group = Path::new(group.trim_start_matches('/'));
        // In a container the group's path may be that of the host, and the root is the group itself.
        Some(group.ancestors().map(|group| Path::new(root).join(group).join(file)).collect())
    };
    text.lines().filter_map(of_line).collect::<Vec<Vec<PathBuf>>>().concat()
}

/// The available memory that the text of `/proc/meminfo` names, in bytes.
fn available(text: &str) -> Option<usize> {
    let kilobytes = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    kilobytes.trim().strip_suffix(" kB")?.parse::<usize>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::{available, group_files, parse_memory};

    #[test]
    fn groups_and_those_around_them_have_limits() {
        let files = group_files("0::/job/step\n4:cpu,memory:/a\n3:cpuset:/b\n");
        let expected = [
            "/sys/fs/cgroup/job/step/memory.max",
            "/sys/fs/cgroup/job/memory.max",
            "/sys/fs/cgroup/memory.max",
            "/sys/fs/cgroup/memory/a/memory.limit_in_bytes",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        ];
        assert_eq!(files, expected.map(std::path::PathBuf::from));
    }

    #[test]
    fn available_memory_is_found_in_its_line() {
        let text = "MemTotal:       24600000 kB\nMemAvailable:   20000000 kB\nBuffers: 1 kB\n";
        assert_eq!(available(text), Some(20_480_000_000));
        assert_eq!(available("MemTotal: 1 kB\n"), None);
    }

    #[test]
    fn memory_has_units() {
        assert_eq!(
            ["1M", "2048k", "3G", "1048577"].map(parse_memory).map(Result::unwrap_or_default),
            [1 << 20, 2 << 20, 3 << 30, (1 << 20) + 1]
        );
        let bad = ["", "M", "1.5G", "-1M", "1023k", "99999999999999999999", "20000000000000G"];
        assert!(bad.iter().all(|value| parse_memory(value).is_err()));
    }
}
