//! The requests of one kind in one zone that are still to come.

use rand::RngExt;
use rand_pcg::Pcg64;

use super::law::{Able, Place, Request};

#[derive(Debug, Clone, Default)]
pub(super) struct Pool {
    left: Vec<(Request, u64)>,
    again: f64,
    last: Option<Place>,
    skips: bool,
}

impl Pool {
    /// `again` is the chance that a request is of the same kind of place as the one before it.
    pub(super) fn new(law: &[(Request, u64)], again: f64) -> Self {
        let skips = law.iter().any(|(request, _)| request.place.skips().is_some());
        Self { left: law.to_vec(), again, last: None, skips }
    }

    /// One of the requests that are left, of those that continue a stream only such as `able` has, and of the others
    /// none if it `must` continue one. What is wanted gives way to what is left.
    pub(super) fn draw(&mut self, able: &[Able], must: bool, random: &mut Pcg64) -> Request {
        let can =
            |request: &Request| !request.place.streams() || able.iter().any(|each| request.goes_on_at(*each));
        let nearly_can = |request: &Request| able.iter().any(|each| each.0.alike(request.place));
        let fits = |request: &Request| can(request) && (!must || request.place.streams());
        let again = random.random::<f64>() < self.again;
        let last = self.last.filter(|_| again);
        let wanted = |request: &Request| fits(request) && last.is_none_or(|place| place == request.place);
        let sum_of = |chosen: &dyn Fn(&Request) -> bool| -> u64 {
            self.left.iter().filter(|(request, _)| chosen(request)).map(|(_, count)| count).sum()
        };
        let all = |_: &Request| true;
        let choices: [&dyn Fn(&Request) -> bool; 5] = [&wanted, &fits, &can, &nearly_can, &all];
        let (chosen, sum) = choices
            .into_iter()
            .map(|chosen| (chosen, sum_of(chosen)))
            .find(|(_, sum)| *sum > 0)
            .expect("laws have as many requests as slots");
        let mut ticket = random.random_range(0..sum);
        let mut index = 0;
        for (at, (request, count)) in self.left.iter().enumerate() {
            if chosen(request) {
                index = at;
                if ticket < *count {
                    break;
                }
                ticket -= count;
            }
        }
        let request = self.left[index].0;
        self.left[index].1 -= 1;
        self.last = Some(request.place);
        request
    }

    /// Whether any of them nearly continues another.
    pub(super) fn skips(&self) -> bool {
        self.skips
    }

    /// Share of what is left that continues a stream.
    pub(super) fn streaming(&self) -> f64 {
        let (mut streams, mut all) = (0, 0);
        for (request, count) in &self.left {
            all += count;
            streams += if request.place.streams() { *count } else { 0 };
        }
        if all == 0 { 0.0 } else { streams as f64 / all as f64 }
    }
}
