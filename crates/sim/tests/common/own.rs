//! A front end for policies called `python`, in place of the Python package.

use std::cell::RefCell;

use reclaim_sim::building::BuildContext;
use reclaim_sim::own::{Named, OwnPolicy, register};

/// The first candidate; the plane of the page's number, or none while none has room, and its class; a job for each
/// channel; and collection at any time.
struct First {
    kind: &'static str,
    named: String,
    planes: i64,
}

/// Numbers, and columns one behind the other.
pub type Question = (Vec<i64>, Vec<i64>);

thread_local! {
    static ASKED: RefCell<Vec<(&'static str, Question)>> = const { RefCell::new(Vec::new()) };
}

/// What policies of a kind were asked on this thread since this was called last.
pub fn asked(kind: &str) -> Vec<Question> {
    let all = ASKED.take();
    all.into_iter().filter(|(of, _)| *of == kind).map(|(_, question)| question).collect()
}

impl OwnPolicy for First {
    fn ask(&self, numbers: &[i64], columns: &[&[i64]]) -> Result<i64, String> {
        if self.named.starts_with("noted") {
            ASKED.with_borrow_mut(|all| all.push((self.kind, (numbers.to_vec(), columns.concat()))));
        }
        match (self.named.as_str(), self.kind) {
            ("fails", _) => Err("it was asked".to_owned()),
            ("never" | "noted_never" | "notes_never", _) => Ok(0),
            ("nowhere", _) => Ok(-1),
            ("sixty_each", _) => Ok((numbers[0] / 60).min(1)),
            ("when_idle", _) => Ok(if columns[0][0] == 0 { 0 } else { -1 }),
            (_, "gc.victim") => Ok(columns[0][0]),
            (_, "ftl.allocation") if columns[1].iter().all(|room| *room == 0) => Ok(-1),
            (_, "ftl.allocation") => Ok(numbers[0] % self.planes),
            (_, "gc.concurrency") => Ok(i64::from(columns[0][numbers[1] as usize] == 0)),
            _ => Ok(1),
        }
    }

    /// The class of a page is what its number leaves of how many there are.
    fn ask_each(&self, numbers: &[i64], columns: &[&[i64]]) -> Result<Vec<u8>, String> {
        if self.named.starts_with("noted") {
            ASKED.with_borrow_mut(|all| all.push((self.kind, (numbers.to_vec(), columns.concat()))));
        }
        let classes = *numbers.last().ok_or("no classes")?;
        Ok(columns[0].chunks(3).map(|page| (page[0] % classes) as u8).collect())
    }

    /// A victim policy is told all that there is, and a limit what happens if its name says so.
    fn answers(&self, question: &str) -> bool {
        self.kind == "gc.victim" || (question == "note" && self.named.starts_with("notes"))
    }

    fn ask_further(&self, _: &str, numbers: &[i64], columns: &[&[i64]]) -> Result<i64, String> {
        ASKED.with_borrow_mut(|all| all.push((self.kind, (numbers.to_vec(), columns.concat()))));
        Ok(0)
    }

    fn save(&self) -> Result<Vec<u8>, String> {
        Ok(Vec::new())
    }

    fn load(&mut self, state: &[u8]) -> bool {
        state.is_empty()
    }
}

#[allow(clippy::unnecessary_wraps)] // as the core takes it
fn make(kind: &'static str, named: &Named, context: &BuildContext) -> Result<Box<dyn OwnPolicy>, String> {
    let planes = i64::from(context.geometry.planes());
    Ok(Box::new(First { kind, named: named.function.clone(), planes }))
}

/// The value that chooses such a policy, once there is who makes it.
pub fn choice(function: &str) -> String {
    register(make);
    format!("{{ kind = \"python\", function = \"{function}\" }}")
}

/// The settings of a hostile drive with one policy of this kind, or arithmetic, in place of another.
pub fn instead(mut set: Vec<(String, String)>, seed: u64) -> Vec<(String, String)> {
    let key = ["gc.victim", "gc.trigger", "gc.concurrency", "ftl.allocation"][(seed / 2 % 4) as usize];
    let value = if key == "gc.victim" && (seed / 8).is_multiple_of(2) {
        "{ kind = \"score\", score = \"valid / since_sealed - erases\" }".to_owned()
    } else {
        choice("any")
    };
    set.retain(|(existing, _)| !existing.starts_with(key));
    set.push((key.to_owned(), value));
    set
}

/// The same drive with a separation that a user writes where it has SepBIT with means of two lifespans.
pub fn in_place_of_sepbit(mut set: Vec<(String, String)>) -> Vec<(String, String)> {
    let of_two = ("ftl.separation.lifespans".to_owned(), "2".to_owned());
    if set.contains(&of_two) {
        set.retain(|(key, _)| !key.starts_with("ftl.separation"));
        set.push(("ftl.separation".to_owned(), choice("any")));
        set.push(("ftl.separation.relocated_open_blocks".to_owned(), "4".to_owned()));
    }
    set
}
