//! `hopsim serve`: the workshop page, served or written as static files.
//!
//! Knows what was asked, and puts lessons and page together. Must not know how either works.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use serde_json::json;

use super::{Outcome, World, output};
use crate::error::Fault;
use crate::lesson;
use crate::platform::Library;
use crate::workshop::{self, Desk, Doors, Lessons};

/// Serve the workshop page: move sliders, see the bytes move and what binds.
///
/// One page without assets from outside, for this machine alone unless --address says otherwise. It prints its address
/// and serves until it is interrupted (Ctrl-C).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  hopsim serve\n  hopsim serve --port 8080\n  hopsim serve --export workshop/")]
pub(super) struct Args {
    /// Listen on this port (default: a free one)
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Listen on this address, such as 0.0.0.0 for everybody in the network
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// Write the page with the lessons' runs inside into this new folder instead of serving it
    #[arg(long, value_name = "DIR", conflicts_with_all = ["port", "address"])]
    export: Option<PathBuf>,
}

/// Serves, or exports.
pub(super) fn run(args: &Args, world: &World) -> Result<Outcome, Fault> {
    let lessons = lessons(&world.library)?;
    match &args.export {
        Some(folder) => export(folder, &lessons, world)?,
        None => {
            let cores = std::thread::available_parallelism().map_or(2, usize::from);
            let doors = Doors { address: args.address, port: args.port };
            workshop::serve(Desk::new(world.library.clone(), lessons, cores), doors, |address| {
                announce(address, world)
            })?;
        }
    }
    Ok(Outcome::Fine)
}

fn announce(address: SocketAddr, world: &World) {
    // Whoever reads this may stop reading; the page is served all the same.
    let _ = output::print(format!("http://{address}/\n").as_bytes());
    world.say("open this address in a browser; Ctrl-C ends it");
}

/// The lessons, told by those who know how.
fn lessons(library: &Library) -> Result<Lessons, Fault> {
    let all = lesson::list(library)?;
    let title = |read: &lesson::Read| {
        let lesson = &read.lesson;
        json!({ "name": read.name, "title": lesson.title, "aim": lesson.aim, "minutes": lesson.minutes })
    };
    let titles = all.iter().map(title).collect();
    let library = library.clone();
    let tell = move |name: &str| {
        let read = all.iter().find(|read| read.name == name);
        let read = read.ok_or_else(|| Fault::new(format!("there is no lesson called \"{name}\"")))?;
        let told = lesson::tell(read, &library, None)?;
        // Plain structs with text keys cannot fail to become JSON.
        Ok(serde_json::to_value(told).unwrap_or_default())
    };
    Ok(Lessons { titles, tell: Box::new(tell) })
}

fn export(folder: &Path, lessons: &Lessons, world: &World) -> Result<(), Fault> {
    output::whole_folder(folder, || workshop::pages(&world.library, lessons))?;
    world.say(&format!("written to {}; open index.html in it", folder.display()));
    Ok(())
}
