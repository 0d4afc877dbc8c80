//! desim: the only file that names it. It owns the processes and resumes them; the order of events is the world's.
//!
//! Knows processes and the one event that is next. Must not know what the asks mean.
//!
//! desim orders events of equal time arbitrarily and keeps time in floating point, so its heap never holds more
//! than one event: a process yields an ask, which reaches the world through desim's own `Resource` port, and the world
//! answers with the one process that goes on next.

use std::cell::RefCell;
use std::ops::Coroutine;
use std::rc::Rc;

use desim::resources::Resource;
use desim::{Effect, Event, SimContext, SimState, Simulation};

use super::process::{Call, worker};
use super::world::World;

/// What a process is resumed with.
pub type Wake = SimContext<Call>;

/// A process.
pub type Process = Box<dyn Coroutine<Wake, Yield = Call, Return = ()> + Unpin>;

impl SimState for Call {
    fn get_effect(&self) -> Effect {
        Effect::Request(0)
    }
    fn set_effect(&mut self, _: Effect) {}
    fn should_log(&self) -> bool {
        false
    }
}

/// The world as desim sees it: a resource that is asked for everything.
struct Port(Rc<RefCell<World>>);

impl Resource<Call> for Port {
    fn allocate_or_enqueue(&mut self, event: Event<Call>) -> Option<Event<Call>> {
        let mut world = self.0.borrow_mut();
        let next = world.call(event.process() as u32, *event.state())?;
        Some(event_of(next, world.answer(next.1)))
    }
    fn release_and_schedule_next(&mut self, _: Event<Call>) -> Option<Event<Call>> {
        None
    }
}

fn event_of((time, who): (u64, u32), answer: Call) -> Event<Call> {
    Event::new(time as f64, who as usize, answer)
}

/// Runs a world until nothing is left to happen, or its observer has seen enough.
pub fn drive(world: World) -> World {
    let world = Rc::new(RefCell::new(world));
    let mut simulation = Simulation::new();
    simulation.create_resource(Box::new(Port(world.clone())));
    let mut created = 0;
    let first = world.borrow_mut().begin().map(|first| event_of(first, Call::Open));
    if let Some(event) = first {
        simulation.schedule_event(event.time(), event.process(), Call::Open);
    }
    while !world.borrow().is_over() && !world.borrow().is_stopped() {
        // The world may have hired the worker that it wants resumed.
        while created < world.borrow().worker_count() {
            let in_parts = world.borrow().goes_in_parts(created);
            simulation.create_process(worker(in_parts));
            created += 1;
        }
        simulation.step();
    }
    drop(simulation);
    Rc::into_inner(world)
        .map(RefCell::into_inner)
        .unwrap_or_else(|| unreachable!("the simulation held the only other handle"))
}
