//! Where each station stands in a diagram, and along which line a hop goes.
//!
//! Knows a grid of two rows and four columns: system memory above, the way over PCIe below. Must not know characters or
//! pixels.

use super::scene::{Scene, Way};
use engine::Station;

/// The way over PCIe, by column.
const LOWER: [Station; 4] = [Station::Storage, Station::Nic, Station::Pcie, Station::Hbm];
/// Buffers, in the order that a read comes by; they stand from the second column on. No path has all: the bounce buffer, of
/// the GPU's memory, comes to stand above the HBM.
const UPPER: [Station; 4] = [Station::SocketBuffer, Station::KernelBuffer, Station::UserBuffer, Station::BounceBuffer];
/// Buffers that are drawn where a path does not touch them too.
const USUAL: [Station; 2] = [Station::KernelBuffer, Station::UserBuffer];

/// A column and a row; row 0 is above.
pub(super) type Cell = (usize, usize);

/// Where the CPU stands.
pub(super) const CPU: Cell = (0, 0);

/// The line of a hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Along a row, between two columns.
    Along {
        /// The row.
        row: usize,
        /// From this column.
        from: usize,
        /// To that.
        to: usize,
    },
    /// Between the rows, from a column below to one above or back.
    Across {
        /// The column below.
        low: usize,
        /// The column above.
        high: usize,
        /// Whether it goes up, into system memory.
        up: bool,
        /// Whether it keeps to one side, since another goes beside it.
        aside: bool,
    },
}

/// The stations to draw: those of the path, and those that it leaves alone.
pub(super) fn stations(scene: &Scene) -> Vec<Station> {
    let shown = |station: &Station| USUAL.contains(station) || on_path(scene, *station);
    let lower = LOWER.into_iter().filter(|station| on_path(scene, *station) || !passed(scene, cell(scene, *station)));
    lower.chain(UPPER.into_iter().filter(shown)).collect()
}

/// The cell of a station.
pub(super) fn cell(scene: &Scene, station: Station) -> Cell {
    if let Some(column) = LOWER.iter().position(|lower| *lower == station) {
        return (column, 1);
    }
    let before = UPPER.iter().take_while(|upper| **upper != station);
    (1 + before.filter(|upper| USUAL.contains(upper) || on_path(scene, **upper)).count(), 0)
}

/// The line of a hop.
pub(super) fn line(scene: &Scene, way: &Way) -> Line {
    let ((from, from_row), (to, to_row)) = (cell(scene, way.from), cell(scene, way.to));
    let up = from_row > to_row;
    let (low, high) = if up { (from, to) } else { (to, from) };
    match from_row == to_row {
        true => Line::Along { row: from_row, from, to },
        false => Line::Across { low, high, up, aside: low != high || crowded(scene, way, low) },
    }
}

/// Whether another hop goes up or down at the same column.
fn crowded(scene: &Scene, way: &Way, low: usize) -> bool {
    let between = |other: &Way| {
        let cells = [cell(scene, other.from), cell(scene, other.to)];
        cells[0].1 != cells[1].1 && cells.contains(&(low, 1))
    };
    scene.ways.iter().any(|other| other.number != way.number && between(other))
}

fn on_path(scene: &Scene, station: Station) -> bool {
    scene.places.iter().any(|place| place.station == station)
}

/// Whether a line along a row goes through a cell.
fn passed(scene: &Scene, (column, row): Cell) -> bool {
    scene.ways.iter().any(|way| {
        let ((from, from_row), (to, to_row)) = (cell(scene, way.from), cell(scene, way.to));
        from_row == row && to_row == row && from.min(to) < column && column < from.max(to)
    })
}

/// A station's name.
pub(super) fn name(station: Station) -> &'static str {
    match station {
        Station::Storage => "storage",
        Station::Nic => "NIC",
        Station::Pcie => "PCIe",
        Station::SocketBuffer => "socket buffer",
        Station::KernelBuffer => "kernel buffer",
        Station::UserBuffer => "user buffer",
        Station::BounceBuffer => "bounce buffer",
        Station::Hbm => "HBM",
    }
}
