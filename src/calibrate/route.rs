//! Which measured figures speak of a path: the same direction, and the same way between storage and the GPU.
//!
//! Knows directions, routes and methods. Must not know values.

use crate::format::{Method, Path};
use crate::import::{Figure, Route};
use engine::Station;

/// Whether a figure was measured on such a path, as far as both say.
pub fn is_of(figure: &Figure, path: &Path) -> bool {
    let direction = figure.direction.is_none_or(|direction| direction == path.direction);
    let at_gpu =
        path.legs.iter().flat_map(|leg| &leg.hops).any(|hop| [hop.from.value, hop.to.value].contains(&Station::Hbm));
    let at_storage = path
        .legs
        .iter()
        .flat_map(|leg| &leg.hops)
        .any(|hop| [hop.from.value, hop.to.value].contains(&Station::Storage));
    direction
        && match figure.route {
            Route::Gds => path.method != Method::Bounce,
            Route::Bounce | Route::Cached => path.method != Method::Gds && at_gpu,
            // Without a GPU: no part of a path that ends in one.
            Route::Storage => path.method != Method::Gds && at_storage && !at_gpu,
            Route::Copy => at_gpu && !at_storage,
            Route::Peer | Route::Network => false,
        }
}
