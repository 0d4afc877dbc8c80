//! Folders of results, `output/<scenario>/<fingerprint>/`: whole or not at all.
//!
//! Knows folders and their names. Must not know what is kept in them.

use std::path::{Path, PathBuf};

use super::output;
use crate::error::Fault;

/// The folder of a run or a sweep.
pub(super) fn folder(scenario: &str, fingerprint: &str) -> PathBuf {
    Path::new("output").join(file_name(scenario)).join(file_name(fingerprint))
}

/// Fills a temporary folder and gives it its name; what stood there before is gone only then.
pub(super) fn whole(folder: &Path, fill: impl FnOnce(&Path) -> Result<(), Fault>) -> Result<(), Fault> {
    let parent = folder.parent().unwrap_or(Path::new("."));
    output::make_folder(parent)?;
    let fault = |error: std::io::Error| output::fault(folder, &error);
    let draft = tempfile::Builder::new().prefix(".hopsim-").tempdir_in(parent).map_err(fault)?;
    fill(draft.path())?;
    readable(draft.path()).map_err(fault)?;
    if folder.exists() {
        let old = tempfile::Builder::new().prefix(".hopsim-old-").tempdir_in(parent).map_err(fault)?;
        std::fs::rename(folder, old.path().join("old")).map_err(fault)?;
        std::fs::rename(draft.keep(), folder).map_err(fault)
    } else {
        std::fs::rename(draft.keep(), folder).map_err(fault)
    }
}

/// A temporary folder is private; this one becomes a result, which others may read.
fn readable(folder: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755))?;
    }
    let _ = folder;
    Ok(())
}

/// A name that is safe as a folder's: nothing in it leads elsewhere.
pub(super) fn file_name(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+') { c } else { '_' };
    let name: String = name.chars().map(safe).collect();
    if name.trim_start_matches('.').is_empty() { "_".to_string() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_cannot_be_saved_outside_its_folder() {
        assert_eq!(file_name("../../etc/passwd"), ".._.._etc_passwd");
        assert_eq!(file_name(".."), "_");
    }

    #[test]
    fn a_folder_is_replaced_as_a_whole_and_kept_where_filling_fails() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("scenario/fingerprint");
        whole(&folder, |inside| output::whole(&inside.join("a"), b"1")).unwrap();
        assert!(whole(&folder, |_| Err(Fault::new("no"))).is_err());
        assert!(folder.join("a").exists());
        whole(&folder, |inside| output::whole(&inside.join("b"), b"2")).unwrap();
        assert!(!folder.join("a").exists() && folder.join("b").exists());
        assert_eq!(std::fs::read_dir(top.path().join("scenario")).unwrap().count(), 1);
    }
}
