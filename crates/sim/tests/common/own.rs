//! A front end for policies called `python`, in place of the Python package.

use reclaim_sim::building::BuildContext;
use reclaim_sim::own::{Named, OwnPolicy, register};

/// The first candidate, the plane of the page's number; yes to everything else, or whatever its name says.
struct First {
    kind: &'static str,
    named: String,
    planes: i64,
}

impl OwnPolicy for First {
    fn ask(&self, numbers: &[i64], rows: &[i64]) -> Result<i64, String> {
        match (self.named.as_str(), self.kind) {
            ("fails", _) => Err("it was asked".to_owned()),
            (_, "gc.victim") => Ok(rows[0]),
            (_, "ftl.allocation") => Ok(numbers[0] % self.planes),
            _ => Ok(1),
        }
    }

    fn save(&self) -> Result<Vec<u8>, String> {
        Ok(Vec::new())
    }

    fn load(&mut self, state: &[u8]) -> bool {
        state.is_empty()
    }
}

fn make(kind: &'static str, named: &Named, context: &BuildContext) -> Result<Box<dyn OwnPolicy>, String> {
    let planes = i64::from(context.geometry.planes());
    Ok(Box::new(First { kind, named: named.function.clone(), planes }))
}

/// The value that chooses such a policy, once there is who makes it.
pub fn choice(function: &str) -> String {
    register(make);
    format!("{{ kind = \"python\", function = \"{function}\" }}")
}
