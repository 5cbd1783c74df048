//! How often a scout finds a way at its first try, by the number of output ports that routers try (GC bypass, Table 1).
//!
//! A mesh without a drive. Each trial begins with an idle mesh, in which scouts from the nearest idle controllers to
//! random chips set up some circuits; then one further scout goes, and is counted.

use std::ops::ControlFlow;

use serde::Serialize;

use crate::engine::Progress;
use crate::interconnect::routers::{Grid, Network};
use crate::random::RandomStream;
use crate::settings::ConfigError;
use crate::sim_error::SimError;

/// One experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Experiment {
    /// Rows of routers, each with a chip.
    pub rows: u32,
    /// Columns of routers.
    pub columns: u32,
    /// Controllers, at the first routers of the first rows.
    pub controllers: u32,
    /// Circuits in use while the scout that counts looks for its way.
    pub others: u32,
    /// Output ports that a router tries for the scout that counts.
    pub ports_tried: u32,
    /// Scouts that count.
    pub trials: u64,
    /// Of every random draw.
    pub seed: u64,
}

/// What became of the scouts that count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// Scouts that count.
    pub scouts: u64,
    /// Those that found a way.
    pub found: u64,
    /// Links of the ways that they found.
    pub hops: u64,
    /// Links of the shortest ways there.
    pub shortest: u64,
    /// Links that all of them travelled, forwards and back.
    pub travelled: u64,
    /// All scouts sent, those that set the stage included.
    pub all_scouts: u64,
}

/// Output ports that routers try for the scouts that set the stage.
const PORTS_TRIED_BEFORE: u32 = 3;
/// Scouts for a circuit that is to be in use; after so many the trial begins anew.
const ATTEMPTS: u32 = 50;
const TRIALS_PER_LOOK: u64 = 1 << 14;

impl Experiment {
    fn check(&self) -> Result<(), ConfigError> {
        let refuse = |key: &str, reason: String| Err(ConfigError::at(key, &reason));
        let most = u64::from(self.rows) * u64::from(self.columns);
        if most == 0 || most > 1 << 16 {
            return refuse(
                "rows",
                format!("{} rows of {} routers; from 1 to 65536 routers", self.rows, self.columns),
            );
        }
        if self.controllers == 0 || self.controllers > self.rows {
            return refuse("controllers", format!("{}; from 1 to the {} rows", self.controllers, self.rows));
        }
        if self.others >= self.controllers || u64::from(self.others) >= most {
            let reason =
                format!("{}; fewer than the controllers ({}) and chips", self.others, self.controllers);
            return refuse("others", reason);
        }
        if self.ports_tried == 0 {
            return refuse("ports_tried", "0; at least 1".to_owned());
        }
        Ok(())
    }
}

/// Circuits in use, and who has them.
struct Stage {
    grid: Grid,
    network: Network,
    random: RandomStream,
    /// Chips to which circuits lead, and their controllers.
    in_use: Vec<(u32, u32)>,
    scouts: u64,
}

impl Stage {
    /// A chip to which no circuit leads, all equally likely, and the nearest idle controller, either of two that are
    /// as near.
    fn draw(&mut self) -> (u32, u32) {
        let chip = loop {
            let chip = self.random.below(self.grid.routers());
            if self.in_use.iter().all(|(_, taken)| *taken != chip) {
                break chip;
            }
        };
        let is_idle = |controller: &u32| self.in_use.iter().all(|(busy, _)| busy != controller);
        let distance = |controller: u32| self.grid.distance(self.grid.controllers[controller as usize], chip);
        let idle = || (0..self.grid.of_host).filter(is_idle);
        let least = idle().map(distance).min().expect("fewer circuits than controllers are in use");
        let mut nearest = idle().filter(|controller| distance(*controller) == least);
        let count = nearest.clone().count() as u32;
        let number = if count > 1 { self.random.below(count) } else { 0 };
        (nearest.nth(number as usize).expect("there is one"), chip)
    }

    /// Sets up so many circuits; tells whether all found a way.
    fn set(&mut self, circuits: u32) -> bool {
        self.network.set_ports_tried(PORTS_TRIED_BEFORE);
        (0..circuits).all(|_| {
            (0..ATTEMPTS).any(|_| {
                let (controller, chip) = self.draw();
                self.scouts += 1;
                let found =
                    self.network.send_scout(controller, self.grid.controllers[controller as usize], chip);
                if found.is_ok() {
                    self.in_use.push((controller, chip));
                }
                found.is_ok()
            })
        })
    }

    fn clear(&mut self) {
        for (controller, _) in self.in_use.drain(..) {
            self.network.clear(controller, self.grid.controllers[controller as usize]);
        }
    }
}

/// Runs an experiment.
///
/// # Errors
/// When it is impossible, or the caller interrupts.
pub fn run(
    experiment: &Experiment,
    control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Counted, SimError> {
    experiment.check()?;
    let Experiment { rows, columns, controllers, others, ports_tried, trials, seed } = *experiment;
    let grid = Grid {
        rows,
        columns,
        chips: (0..rows * columns).collect(),
        controllers: (0..controllers).map(|row| row * columns).collect(),
        of_host: controllers,
    };
    let mut random = RandomStream::new(seed, "scouts");
    let network = Network::new(&grid, controllers, ports_tried, &mut random);
    let mut stage = Stage { grid, network, random, in_use: Vec::new(), scouts: 0 };
    let mut counted = Counted::default();
    for trial in 0..trials {
        while !stage.set(others) {
            stage.clear();
        }
        let (controller, chip) = stage.draw();
        let from = stage.grid.controllers[controller as usize];
        stage.network.set_ports_tried(ports_tried);
        match stage.network.send_scout(controller, from, chip) {
            Ok(way) => {
                counted.found += 1;
                counted.hops += u64::from(way.hops);
                counted.shortest += u64::from(stage.grid.distance(from, chip));
                counted.travelled += u64::from(way.travelled);
                stage.network.clear(controller, from);
            }
            Err(turned) => counted.travelled += u64::from(turned.travelled),
        }
        counted.scouts += 1;
        stage.clear();
        debug_assert!(stage.network.is_idle(), "links are still reserved");
        if trial.is_multiple_of(TRIALS_PER_LOOK) {
            let progress = Progress::of("scouts", trial, trials);
            if control(&progress).is_break() {
                return Err(SimError::Interrupted);
            }
        }
    }
    counted.all_scouts = counted.scouts + stage.scouts;
    if stage.network.is_idle() {
        Ok(counted)
    } else {
        Err(SimError::Audit("links of the mesh are still reserved".to_owned()))
    }
}
