//! The ways to save: what each does while training waits and what it does after, as works of a scenario.
//!
//! Knows works and paths by name. Must not know how long they take.

use serde::Serialize;

use crate::error::{Fault, nearest};

/// A way to save.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// Training waits while NICs fetch from the GPUs (GPUDirect Storage).
    Gds,
    /// Training waits while bytes go through system memory.
    Bounce,
    /// Training waits for a copy into pinned memory; the rest goes on beside it.
    Pinned,
    /// The same into pageable memory.
    Pageable,
    /// Training waits for local drives that fetch from the GPUs; then these drain to the target.
    LocalGds,
    /// The same through system memory.
    LocalBounce,
}

/// The paths of all schemes, of restores and of training: those of `scenarios/paths` that a checkpoint can take.
pub(super) const PATHS: [&str; 14] = [
    "gds-write",
    "bounce-write",
    "stage-write",
    "stage-write-pageable",
    "local-gds-write",
    "local-bounce-write",
    "local-commit-write",
    "local-host-read",
    "drain-write",
    "commit-write",
    "gds-read",
    "bounce-read",
    "warm-read",
    "host-upload",
];

/// A work of a scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Its name.
    pub(super) name: &'static str,
    /// The path that it takes.
    pub(super) path: &'static str,
    /// The work that it comes after.
    pub(super) after: Option<&'static str>,
    /// What it meets and moves.
    pub(super) kind: Kind,
    /// Whether training waits for it.
    pub(super) stalls: bool,
}

/// What a work of a scheme meets and moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// All bytes, to or from the target.
    Bytes,
    /// All bytes, to or from a node's own drives.
    Local,
    /// fsync, barrier and a manifest, at the target.
    Commit,
    /// The same on a node's own drives.
    LocalCommit,
}

const fn part(name: &'static str, path: &'static str, after: Option<&'static str>, kind: Kind, stalls: bool) -> Part {
    Part { name, path, after, kind, stalls }
}

impl Scheme {
    /// All of them, in the order of a sheet.
    pub const ALL: [Scheme; 6] =
        [Scheme::Gds, Scheme::Bounce, Scheme::Pinned, Scheme::Pageable, Scheme::LocalGds, Scheme::LocalBounce];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Scheme::Gds => "gds",
            Scheme::Bounce => "bounce",
            Scheme::Pinned => "pinned",
            Scheme::Pageable => "pageable",
            Scheme::LocalGds => "local-gds",
            Scheme::LocalBounce => "local-bounce",
        }
    }

    /// The one of that name.
    ///
    /// # Errors
    /// A [`Fault`] that names the known ones.
    pub fn named(name: &str) -> Result<Scheme, Fault> {
        let known = Scheme::ALL.map(Scheme::name);
        Scheme::ALL.into_iter().find(|scheme| scheme.name() == name).ok_or_else(|| {
            let near = nearest(name, known).map(|near| format!("did you mean \"{near}\"? ")).unwrap_or_default();
            Fault::new(format!("there is no scheme \"{name}\"")).help(format!("{near}known: {}", known.join(", ")))
        })
    }

    /// Whether the whole state rests in system memory while it drains.
    pub fn stages(self) -> bool {
        matches!(self, Scheme::Pinned | Scheme::Pageable)
    }

    /// Whether it needs drives of the node's own.
    pub fn is_local(self) -> bool {
        matches!(self, Scheme::LocalGds | Scheme::LocalBounce)
    }

    /// Whether it asks for GPUDirect Storage.
    pub fn asks_gds(self) -> bool {
        matches!(self, Scheme::Gds | Scheme::LocalGds)
    }

    /// Its works in order. Where drives drain, they are read into memory and sent from there at once; the slower of the two
    /// sets the pace.
    pub(super) fn parts(self) -> Vec<Part> {
        let commit = |after| part("commit", "commit-write", Some(after), Kind::Commit, true);
        let late = |after| Part { stalls: false, ..commit(after) };
        let drain = |after| part("drain", "drain-write", Some(after), Kind::Bytes, false);
        match self {
            Scheme::Gds => vec![part("save", "gds-write", None, Kind::Bytes, true), commit("save")],
            Scheme::Bounce => vec![part("save", "bounce-write", None, Kind::Bytes, true), commit("save")],
            Scheme::Pinned => {
                vec![part("stage", "stage-write", None, Kind::Bytes, true), drain("stage"), late("drain")]
            }
            Scheme::Pageable => {
                vec![part("stage", "stage-write-pageable", None, Kind::Bytes, true), drain("stage"), late("drain")]
            }
            Scheme::LocalGds => local("local-gds-write"),
            Scheme::LocalBounce => local("local-bounce-write"),
        }
    }
}

fn local(path: &'static str) -> Vec<Part> {
    vec![
        part("save", path, None, Kind::Local, true),
        part("local-commit", "local-commit-write", Some("save"), Kind::LocalCommit, true),
        part("reload", "local-host-read", Some("local-commit"), Kind::Local, false),
        part("drain", "drain-write", Some("local-commit"), Kind::Bytes, false),
        part("commit", "commit-write", Some("drain"), Kind::Commit, false),
    ]
}
