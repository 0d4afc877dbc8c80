//! The file of a sweep's journal: opened, gone on with, read back in the order of points.
//!
//! Knows files. Must not know what a line of the journal says.

use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::output;
use crate::error::Fault;
use crate::study::Row;
use crate::study::journal::{self, Found, Header, Place};

/// What to do about a journal that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Refuse unless it is finished.
    Fresh,
    /// Go on with it.
    Resume,
    /// Begin anew.
    Restart,
}

/// An open journal.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    header: Header,
    file: Mutex<File>,
    /// Points that were finished before.
    pub done: Vec<Place>,
}

impl Journal {
    /// Opens a journal for a part of a sweep that has `wanted` points.
    pub(super) fn open(path: &Path, header: Header, wanted: u64, manner: Manner) -> Result<Journal, Fault> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            output::make_folder(folder)?;
        }
        let found = match manner {
            Manner::Restart => Found::default(),
            Manner::Resume => look(path, &header)?,
            Manner::Fresh => refuse_unfinished(path, &header, wanted)?,
        };
        let fault = |error: std::io::Error| output::fault(path, &error);
        let mut options = File::options();
        let mut file = options.create(true).truncate(false).read(true).write(true).open(path).map_err(fault)?;
        file.set_len(found.whole).map_err(fault)?;
        file.seek(SeekFrom::End(0)).map_err(fault)?;
        if found.whole == 0 {
            journal::begin(&mut file, &header).map_err(fault)?;
        }
        Ok(Journal { path: path.to_path_buf(), header, file: Mutex::new(file), done: found.places })
    }

    /// Writes a finished point.
    pub(super) fn keep(&self, row: &Row) -> Result<(), Fault> {
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        journal::append(&mut *file, row).map_err(|error| {
            output::fault(&self.path, &error).help("what is finished is kept: make room, then go on with --resume")
        })
    }

    /// Hands over the lines of all finished points in their order.
    pub(super) fn lines(&self, mut each: impl FnMut(&str) -> Result<(), Fault>) -> Result<u64, Fault> {
        let found = look(&self.path, &self.header)?;
        let fault = |error: std::io::Error| output::fault(&self.path, &error);
        let mut file = BufReader::new(File::open(&self.path).map_err(fault)?);
        let mut line = String::new();
        for place in &found.places {
            line.clear();
            file.seek(SeekFrom::Start(place.start)).map_err(fault)?;
            file.read_line(&mut line).map_err(fault)?;
            each(line.trim_end_matches('\n'))?;
        }
        Ok(found.places.len() as u64)
    }
}

/// What is in a journal; nothing where there is none, or none with a whole first line.
fn look(path: &Path, header: &Header) -> Result<Found, Fault> {
    match File::open(path) {
        Ok(file) => journal::read(BufReader::new(file), header, &path.display().to_string()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Found::default()),
        Err(error) => Err(Fault::new(format!("{} cannot be read: {error}", path.display()))),
    }
}

/// An unfinished journal is not thrown away unasked; a finished one can be had again.
fn refuse_unfinished(path: &Path, header: &Header, wanted: u64) -> Result<Found, Fault> {
    let done = look(path, header)?.places.len() as u64;
    if done == 0 || done == wanted {
        return Ok(Found::default());
    }
    let message = format!("{}: a sweep was interrupted here after {done} of {wanted} points", path.display());
    Err(Fault::new(message).help("go on with it: --resume; or throw it away: --restart"))
}
