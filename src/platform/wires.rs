//! Which wire leads to a target, and what a path is called over it.
//!
//! Knows words of targets and names of paths. Must not know what is in a segment.

/// The wire of a path that names none, to a target that tells none.
pub(super) const DEFAULT: &str = "nvme-rdma";

/// The wire to a target, by what it says of itself: the wire, the transport, the file system.
pub(super) fn of_target(wire: Option<&str>, transport: Option<&str>, filesystem: Option<&str>) -> String {
    let named = match (transport, filesystem) {
        (Some("local"), _) => "nvme-local",
        (_, Some("tmpfs" | "ramfs")) => "memory",
        (Some("tcp"), Some("nfs" | "nfs4")) => "nfs-tcp",
        (_, Some("nfs" | "nfs4")) => "nfs-rdma",
        (Some("tcp"), _) => "nvme-tcp",
        (_, Some("lustre")) => "lustre",
        (_, Some("wekafs")) => "weka",
        _ => DEFAULT,
    };
    wire.unwrap_or(named).to_string()
}

/// What a path is called over a wire: `gds-read` over `nvme-local` is `gds-local-read`; over the default wire, itself.
pub(super) fn over(path: &str, wire: &str) -> String {
    if wire == DEFAULT {
        return path.to_string();
    }
    let word = wire.strip_prefix("nvme-").unwrap_or(wire);
    let at = ["-read", "-write"].iter().filter_map(|way| path.find(way)).min().unwrap_or(path.len());
    format!("{}-{word}{}", &path[..at], &path[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_over_another_wire_says_so_before_its_direction() {
        let names = ["gds-read", "gds-write-staged", "host-upload"].map(|path| over(path, "nvme-tcp"));
        assert_eq!(names, ["gds-tcp-read", "gds-tcp-write-staged", "host-upload-tcp"]);
        assert_eq!(over("gds-read", DEFAULT), "gds-read");
    }

    #[test]
    fn a_target_tells_its_wire_by_transport_and_file_system() {
        assert_eq!(of_target(None, Some("local"), Some("ext4")), "nvme-local");
        assert_eq!(of_target(None, Some("tcp"), Some("nfs")), "nfs-tcp");
        assert_eq!(of_target(None, Some("rdma"), Some("lustre")), "lustre");
        assert_eq!(of_target(Some("mine"), Some("tcp"), None), "mine");
        assert_eq!(of_target(None, None, None), DEFAULT);
    }
}
