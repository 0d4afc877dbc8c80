//! Where results go: standard output, or a file that appears whole or not at all.
//!
//! Knows streams and files. Must not know what is written.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::Fault;

/// Writes a result to a file if one is named, else to standard output.
pub(super) fn result(text: &str, file: Option<&Path>) -> Result<(), Fault> {
    match file {
        Some(file) => whole(file, text.as_bytes()),
        None => print(text.as_bytes()),
    }
}

/// Prints to standard output; whoever reads may stop reading.
pub(super) fn print(bytes: &[u8]) -> Result<(), Fault> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Fault::new(format!("standard output cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Says something on standard error.
pub(super) fn message(text: &str) {
    // There is nowhere left to complain to.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Whether files can be made where they are to go: nobody waits for results that cannot be kept.
pub(super) fn places<'a>(files: impl IntoIterator<Item = &'a Path>) -> Result<(), Fault> {
    files.into_iter().try_for_each(|file| draft(file, "").map(drop))
}

/// Writes a file whole: to a temporary name in the same folder, then renamed.
pub(super) fn whole(file: &Path, bytes: &[u8]) -> Result<(), Fault> {
    let mut draft = draft(file, "")?;
    draft.write_all(bytes).map_err(|error| fault(file, &error))?;
    keep(draft, file)
}

/// Makes a new folder of files: to a temporary name beside it, then renamed. The files are made once there is a place for
/// them, so that nobody waits for what cannot be kept.
pub(super) fn whole_folder(
    path: &Path,
    files: impl FnOnce() -> Result<Vec<(&'static str, String)>, Fault>,
) -> Result<(), Fault> {
    let is_free = std::fs::read_dir(path).map_or(!path.exists(), |mut inside| inside.next().is_none());
    if !is_free {
        let fault = Fault::new(format!("{} exists, and is left as it is", path.display()));
        return Err(fault.help("move it away, or name another folder"));
    }
    let mut builder = tempfile::Builder::new();
    let draft = builder.prefix(".hopsim-").tempdir_in(folder(path)).map_err(|error| fault(path, &error))?;
    for (name, text) in files()? {
        std::fs::write(draft.path().join(name), text).map_err(|error| fault(path, &error))?;
    }
    open_to_readers(draft.path()).map_err(|error| fault(path, &error))?;
    let draft = draft.keep();
    std::fs::rename(&draft, path).map_err(|error| {
        // Nothing half-made stays behind; that it cannot be removed either changes nothing of what is said.
        let _ = std::fs::remove_dir_all(&draft);
        fault(path, &error)
    })
}

/// A temporary folder is private; this one becomes a result, which others may read.
#[cfg(unix)]
fn open_to_readers(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn open_to_readers(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// A temporary file beside `file`; its name ends as asked.
pub(super) fn draft(file: &Path, ending: &str) -> Result<NamedTempFile, Fault> {
    if file.is_dir() {
        return Err(Fault::new(format!("{} is a folder", file.display())).help("name a file in it"));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".hopsim-").suffix(ending).permissions_of_a_new_file();
    builder.tempfile_in(folder(file)).map_err(|error| fault(file, &error))
}

/// Gives a temporary file its name.
pub(super) fn keep(draft: NamedTempFile, file: &Path) -> Result<(), Fault> {
    draft.persist(file).map(drop).map_err(|error| fault(file, &error.error))
}

/// Gives a temporary file its name unless there is a file of that name.
pub(super) fn keep_new(draft: NamedTempFile, file: &Path) -> Result<(), Fault> {
    draft.persist_noclobber(file).map(drop).map_err(|error| match error.error.kind() {
        ErrorKind::AlreadyExists => Fault::new(format!("{} exists, and is left as it is", file.display()))
            .help("move it away, or name another folder"),
        _ => fault(file, &error.error),
    })
}

/// Makes a folder and those above it.
pub(super) fn make_folder(folder: &Path) -> Result<(), Fault> {
    std::fs::create_dir_all(folder).map_err(|error| fault(folder, &error))
}

fn folder(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// A file or folder that cannot be written.
pub(super) fn fault(file: &Path, error: &std::io::Error) -> Fault {
    let folder = folder(file);
    let (problem, help) = match error.kind() {
        ErrorKind::NotFound if !folder.is_dir() => {
            (format!("there is no folder {}", folder.display()), "make the folder first, or name another")
        }
        ErrorKind::PermissionDenied => ("permission denied".to_string(), "name a place that may be written to"),
        // The kind alone: the whole text names the temporary file.
        kind => (kind.to_string(), "see whether the disk is full or the place is read-only"),
    };
    Fault::new(format!("{} cannot be written: {problem}", file.display())).help(help)
}

/// Temporary files are private by default; these become results, which others may read.
trait Permissions {
    fn permissions_of_a_new_file(&mut self) -> &mut Self;
}

impl Permissions for tempfile::Builder<'_, '_> {
    #[cfg(unix)]
    fn permissions_of_a_new_file(&mut self) -> &mut Self {
        use std::os::unix::fs::PermissionsExt;
        // What the user's mask does not allow is taken away when the file is made.
        self.permissions(std::fs::Permissions::from_mode(0o666))
    }
    #[cfg(not(unix))]
    fn permissions_of_a_new_file(&mut self) -> &mut Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("report.json");
        whole(&file, b"first").unwrap();
        whole(&file, b"second").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"second");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let fault = whole(Path::new("no/such/folder/report.json"), b"").unwrap_err();
        let message = "no/such/folder/report.json cannot be written: there is no folder no/such/folder";
        assert_eq!(fault.message(), message);
    }

    #[test]
    fn a_file_that_is_there_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("node.toml");
        whole(&file, b"mine").unwrap();
        assert!(keep_new(draft(&file, "").unwrap(), &file).is_err());
        assert_eq!(std::fs::read(&file).unwrap(), b"mine");
    }
}
