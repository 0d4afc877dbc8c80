//! What a diagram shows at each step: which stations there are, where the bytes sit, which hops they cross now.
//!
//! Knows a story's steps. Must not know how a diagram is drawn.

use serde::Serialize;

use super::{Hop, Step, Story};
use engine::Station;

/// The picture at one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Scene {
    /// The number of the step that it shows, from 1; 0 before the first.
    pub step: usize,
    /// The stations of the path, in the order that the bytes come by.
    pub places: Vec<Place>,
    /// The hops in order.
    pub ways: Vec<Way>,
    /// Who acts, in words: whoever takes time and moves nothing, or the CPU where a thread copies.
    pub actor: Option<String>,
}

/// A station.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Which.
    pub station: Station,
    /// The part of the machine that it is: `nic0`.
    pub part: String,
    /// Bytes that sit in it, on their way.
    pub bytes: u64,
    /// Whether its part acts or bytes come or go.
    pub lit: bool,
}

/// A hop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Way {
    /// Its number on the path, from 1.
    pub number: usize,
    /// Where the bytes come from.
    pub from: Station,
    /// Where they go.
    pub to: Station,
    /// Whether they have crossed it.
    pub state: State,
}

/// How far a hop is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// The bytes have yet to cross it.
    Ahead,
    /// They cross it now.
    Lit,
    /// They have crossed it.
    Behind,
}

/// The scene at every step, in order.
pub fn scenes(story: &Story) -> Vec<Scene> {
    let mut scene = first(story);
    let mut all = Vec::with_capacity(story.steps.len());
    for (index, step) in story.steps.iter().enumerate() {
        scene.step = index + 1;
        settle(&mut scene);
        enter(&mut scene, step, moved(story));
        all.push(scene.clone());
    }
    all
}

/// The whole path with nothing under way.
pub fn overview(story: &Story) -> Scene {
    let mut scene = first(story);
    scene.places.iter_mut().for_each(|place| place.bytes = 0);
    scene
}

/// Bytes that go along at a time: a part, where software cuts the request.
pub(super) fn moved(story: &Story) -> u64 {
    story.cut.as_ref().map_or(story.bytes, |cut| cut.part_bytes)
}

/// Before the first step: everything ahead, the bytes where they come from.
fn first(story: &Story) -> Scene {
    let hops: Vec<&Hop> = hops(story).collect();
    let stations = hops.first().map(|hop| hop.from).into_iter().chain(hops.iter().map(|hop| hop.to));
    let mut places: Vec<Place> = Vec::new();
    for station in stations {
        if !places.iter().any(|place| place.station == station) {
            let bytes = if places.is_empty() { moved(story) } else { 0 };
            places.push(Place { station, part: part(story, station), bytes, lit: false });
        }
    }
    let way = |hop: &&Hop| Way { number: hop.number, from: hop.from, to: hop.to, state: State::Ahead };
    Scene { step: 0, places, ways: hops.iter().map(way).collect(), actor: None }
}

fn hops(story: &Story) -> impl Iterator<Item = &Hop> {
    story.steps.iter().flat_map(|step| match step {
        Step::Move { hops, .. } => hops.as_slice(),
        _ => &[],
    })
}

/// What was going on before is over.
fn settle(scene: &mut Scene) {
    scene.actor = None;
    scene.places.iter_mut().for_each(|place| place.lit = false);
    scene.ways.iter_mut().filter(|way| way.state == State::Lit).for_each(|way| way.state = State::Behind);
}

fn enter(scene: &mut Scene, step: &Step, bytes: u64) {
    match step {
        Step::Control { who, .. } => {
            scene.actor = Some(who.clone());
            let station = station_of(who);
            scene.places.iter_mut().filter(|place| Some(place.station) == station).for_each(|place| place.lit = true);
        }
        Step::Move { who, hops, .. } => {
            scene.actor = who.starts_with("CPU").then(|| "CPU".to_string());
            let crossed = |way: &Way| hops.iter().any(|hop| hop.number == way.number);
            scene.ways.iter_mut().filter(|way| crossed(way)).for_each(|way| way.state = State::Lit);
            for place in &mut scene.places {
                place.lit = hops.iter().any(|hop| [hop.from, hop.to].contains(&place.station));
            }
        }
        Step::Rest { at, .. } => {
            for place in &mut scene.places {
                place.lit = place.station == *at;
                place.bytes = if place.lit { bytes } else { 0 };
            }
        }
        Step::Hold { .. } => {}
    }
}

/// Where somebody acts who is a station.
fn station_of(who: &str) -> Option<Station> {
    match who {
        "target" | "fabric" => Some(Station::Storage),
        "NIC" => Some(Station::Nic),
        "PCIe" | "socket link" => Some(Station::Pcie),
        "GPU" | "copy engine" => Some(Station::Hbm),
        _ => None,
    }
}

/// The part of the machine that a station is, by the names of what the hops beside it cross.
fn part(story: &Story, station: Station) -> String {
    let crossed = || hops(story).filter(|hop| [hop.from, hop.to].contains(&station)).flat_map(|hop| &hop.crosses);
    let named = |word: &str| crossed().find(|name| name.contains(word)).cloned();
    let head = |name: String| name.split('.').next().unwrap_or_default().to_string();
    match station {
        Station::Storage => named("target").map_or("storage".to_string(), head),
        Station::Nic => named("nic").map_or("NIC".to_string(), head),
        Station::Pcie if named("root_complex").is_some() => "root complex".to_string(),
        Station::Pcie if named("switch").is_some() => "switch".to_string(),
        Station::Pcie => "root port".to_string(),
        Station::SocketBuffer | Station::KernelBuffer | Station::UserBuffer => "memory".to_string(),
        Station::BounceBuffer | Station::Hbm => format!("gpu{}", story.gpu),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{explain, sample};
    use super::*;
    use engine::Direction;

    fn bounce() -> Vec<Scene> {
        scenes(&explain(&sample::plan(Direction::Read), Some("bounce")).unwrap()[0])
    }

    #[test]
    fn the_hops_of_a_leg_are_lit_together_and_then_lie_behind() {
        let states = |scene: &Scene| scene.ways.iter().map(|way| way.state).collect::<Vec<_>>();
        let lit: Vec<usize> =
            bounce().iter().map(|scene| states(scene).iter().filter(|state| **state == State::Lit).count()).collect();
        assert_eq!(lit.iter().filter(|count| **count > 0).collect::<Vec<_>>(), [&2, &1, &2]);
        assert_eq!(states(bounce().last().unwrap()), [State::Behind; 5]);
    }

    #[test]
    fn the_bytes_sit_in_one_place_at_a_time() {
        for scene in bounce() {
            assert_eq!(scene.places.iter().map(|place| place.bytes).sum::<u64>(), 1 << 20, "step {}", scene.step);
        }
    }
}
