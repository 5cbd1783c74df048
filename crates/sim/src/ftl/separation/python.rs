//! Python: a function or class of the user's says of which class a page is (`reclaim.separation_policy`).

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Build, CONFLICTS, HOST_ELSEWHERE, Knows, OPEN_BLOCKS, RELOCATED_ELSEWHERE, Separation, Terms};
use crate::ids::Lpn;
use crate::mapping::{PageMove, PageWrite, UNKNOWN_CLASS};
use crate::metric::{Metric, Reading};
use crate::own::{Named, OwnPolicy, make, or_end};
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::{Exemption, exempt, unprinted};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Parameters {
    /// File and name of a function or class, as in `mine.py:classes`; from the folder of the file that names it, if
    /// any.
    #[schemars(extend("x-alternatives" = exempt(Exemption::Path)))]
    function: String,
    /// Digest of the file, filled in when the configuration is read: a file that has changed since is refused.
    #[schemars(extend("x-alternatives" = exempt(Exemption::Path)))]
    code: Option<String>,
    /// What it takes as arguments, by their names, as in `params = { base = 4 }`: numbers, text, true or false.
    #[serde(default)]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Identity)))]
    params: serde_json::Map<String, serde_json::Value>,
    /// Classes of what the host writes, from 2 to 8: each has an open block in every plane. Default: 2.
    #[schemars(extend("x-alternatives" = unprinted(
        &["4", "8"],
        "How many classes a drive keeps apart is seldom printed."
    )))]
    open_blocks: Option<u32>,
    /// Classes of what collection relocates, from 2 to 8: each has an open block in every plane. Default: 1, all
    /// together, and the function is not asked about them.
    #[schemars(extend("x-alternatives" = unprinted(
        &["1", "4"],
        "Whether collection keeps classes apart is seldom printed."
    )))]
    relocated_open_blocks: Option<u32>,
}

pub const MEMBER: Member<Build> = Member {
    name: "python",
    about: "an open block for each class; a function or class of your own says of which a page is, in Python",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: CONFLICTS,
    metrics: &[HOST_ELSEWHERE, RELOCATED_ELSEWHERE, CALLS],
    build: |choice, context| {
        let Parameters { function, code, params, open_blocks, relocated_open_blocks } = parameters(choice);
        let (classes, relocated) = (open_blocks.unwrap_or(2), relocated_open_blocks.unwrap_or(1));
        let terms = Terms { classes, relocated, knows: Knows::Blocks }.checked()?;
        if relocated == 0 || relocated > *OPEN_BLOCKS.end() {
            let most = OPEN_BLOCKS.end();
            return Err(format!("relocated_open_blocks = {relocated}; from 1 to {most} can be open"));
        }
        let own = make("ftl.separation", &Named { function, code, params }, context)?;
        let hears_of_victims = own.answers(NOTE);
        Ok(Box::new(Python { own, terms, hears_of_victims, rows: Vec::new(), known: Vec::new(), calls: 0 }))
    },
};

const CALLS: Metric = Metric {
    name: "python_calls",
    unit: "calls",
    about: "Times that the function was asked for the classes of one page or several.",
};

/// What a class may have beside its answers.
const NOTE: &str = "note";

struct Python {
    own: Box<dyn OwnPolicy>,
    terms: Terms,
    hears_of_victims: bool,
    /// What is shown of each page.
    rows: Vec<i64>,
    /// Classes of pages that were asked for together, the next one last.
    known: Vec<(Lpn, u8)>,
    calls: u64,
}

/// What a page's quantity is where there is none.
const NONE: i64 = -1;

impl Python {
    /// The classes of the pages whose rows are collected: each is below `count`.
    fn ask(&mut self, numbers: [i64; 4], count: u32) -> Vec<u8> {
        self.calls += 1;
        or_end(self.own.ask_each(&[&numbers[..], &[i64::from(count)]].concat(), &[&self.rows]))
    }

    fn show_relocated(&mut self, page: &PageMove) {
        let age = page.age.map_or(NONE, i64::from);
        self.rows.extend([i64::from(page.lpn.0), age, i64::from(page.class)]);
    }

    fn ask_of_relocated(&mut self, block_class: u8) -> Vec<u8> {
        let of_block = if block_class == UNKNOWN_CLASS { NONE } else { i64::from(block_class) };
        self.ask([1, NONE, of_block, NONE], self.terms.relocated)
    }
}

impl Separation for Python {
    fn terms(&self) -> Option<Terms> {
        Some(self.terms)
    }

    fn unwritten(&self) -> u8 {
        self.terms.classes as u8 - 1
    }

    fn class(&mut self, write: &PageWrite) -> u8 {
        self.rows.clear();
        let age = write.since_last.map_or(NONE, i64::from);
        self.rows.extend([i64::from(write.lpn.0), age, i64::from(write.class)]);
        let numbers = [0, i64::from(write.stream), NONE, write.valid_pages.cast_signed()];
        self.ask(numbers, self.terms.classes)[0]
    }

    fn relocated_class(&mut self, page: &PageMove) -> u8 {
        if self.terms.relocated == 1 {
            return 0;
        }
        if let Some((_, class)) = self.known.pop_if(|(lpn, _)| *lpn == page.lpn) {
            return class;
        }
        self.rows.clear();
        self.show_relocated(page);
        self.ask_of_relocated(page.block_class)[0]
    }

    fn wants_pages_of_victim(&self) -> bool {
        self.terms.relocated > 1
    }

    fn see_pages_of_victim(&mut self, pages: &[PageMove]) {
        let Some(first) = pages.first().filter(|_| self.wants_pages_of_victim()) else { return };
        self.rows.clear();
        for page in pages {
            self.show_relocated(page);
        }
        let classes = self.ask_of_relocated(first.block_class);
        self.known.clear();
        self.known.extend(pages.iter().map(|page| page.lpn).zip(classes).rev());
    }

    fn on_victim(&mut self, block_class: u8, lived: u32) {
        if self.hears_of_victims {
            let _ = or_end(self.own.ask_further(NOTE, &[i64::from(block_class), i64::from(lived)], &[]));
        }
    }

    fn save(&self) -> Vec<u8> {
        or_end(self.own.save())
    }

    fn load(&mut self, state: &[u8]) -> bool {
        self.own.load(state)
    }

    fn metrics(&self, elsewhere: [u64; 2]) -> Vec<Reading> {
        vec![HOST_ELSEWHERE.is(elsewhere[0]), RELOCATED_ELSEWHERE.is(elsewhere[1]), CALLS.is(self.calls)]
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    type Questions = Arc<Mutex<Vec<(Vec<i64>, Vec<i64>)>>>;

    /// Answers with the last two bits of each page's number, and keeps what it was asked.
    struct Fake(Questions);

    impl OwnPolicy for Fake {
        fn ask(&self, _: &[i64], _: &[&[i64]]) -> Result<i64, String> {
            Err("one answer is not enough".to_owned())
        }

        fn ask_each(&self, numbers: &[i64], columns: &[&[i64]]) -> Result<Vec<u8>, String> {
            self.0.lock().unwrap().push((numbers.to_vec(), columns.concat()));
            Ok(columns[0].chunks(3).map(|row| row[0] as u8 & 3).collect())
        }

        fn ask_further(&self, question: &str, numbers: &[i64], _: &[&[i64]]) -> Result<i64, String> {
            assert_eq!(question, NOTE);
            self.0.lock().unwrap().push((numbers.to_vec(), vec![]));
            Ok(0)
        }

        fn save(&self) -> Result<Vec<u8>, String> {
            Ok(vec![7])
        }

        fn load(&mut self, state: &[u8]) -> bool {
            state == [7]
        }
    }

    fn of(relocated: u32, hears_of_victims: bool) -> (Python, Questions) {
        let asked = Questions::default();
        let terms = Terms { classes: 5, relocated, knows: Knows::Blocks };
        let own = Box::new(Fake(Arc::clone(&asked)));
        (Python { own, terms, hears_of_victims, rows: Vec::new(), known: Vec::new(), calls: 0 }, asked)
    }

    fn moved(lpn: u32, block_class: u8) -> PageMove {
        PageMove { lpn: Lpn(lpn), class: 4, age: (lpn > 8).then_some(lpn), block_class }
    }

    #[test]
    fn a_write_is_shown_with_what_is_known_of_it() {
        let (mut policy, asked) = of(1, false);
        let write = PageWrite { lpn: Lpn(6), stream: 3, class: 1, since_last: Some(9), valid_pages: 70 };
        assert_eq!(policy.class(&write), 2);
        assert_eq!(policy.class(&PageWrite { since_last: None, ..write }), 2);
        let expected = [[6, 9, 1], [6, -1, 1]].map(|row| (vec![0, 3, -1, 70, 5], row.to_vec()));
        assert_eq!(*asked.lock().unwrap(), expected);
        assert_eq!(policy.metrics([0, 0])[2], CALLS.is(2));
    }

    #[test]
    fn pages_of_a_victim_are_asked_for_together_and_others_one_by_one() {
        let (mut policy, asked) = of(3, false);
        assert!(policy.wants_pages_of_victim());
        policy.see_pages_of_victim(&[moved(9, 6), moved(10, 6)]);
        assert_eq!([9, 10].map(|lpn| policy.relocated_class(&moved(lpn, 6))), [1, 2]);
        assert_eq!(policy.relocated_class(&moved(3, UNKNOWN_CLASS)), 3, "of no victim that was seen");
        let expected =
            [(vec![1, -1, 6, -1, 3], vec![9, 9, 4, 10, 10, 4]), (vec![1, -1, -1, -1, 3], vec![3, -1, 4])];
        assert_eq!(*asked.lock().unwrap(), expected);
        policy.see_pages_of_victim(&[]);
        assert_eq!(policy.calls, 2);
    }

    #[test]
    fn an_answer_for_a_page_that_was_not_relocated_is_not_taken_for_another() {
        let (mut policy, asked) = of(2, false);
        policy.see_pages_of_victim(&[moved(9, 6), moved(10, 6)]);
        assert_eq!(policy.relocated_class(&moved(11, 6)), 3);
        policy.see_pages_of_victim(&[moved(12, 6)]);
        assert_eq!(policy.relocated_class(&moved(12, 6)), 0);
        assert_eq!(asked.lock().unwrap().len(), 3);
    }

    #[test]
    fn where_relocated_pages_lie_together_nothing_is_asked_about_them() {
        let (mut policy, asked) = of(1, false);
        assert!(!policy.wants_pages_of_victim());
        policy.see_pages_of_victim(&[moved(9, 6)]);
        assert_eq!(policy.relocated_class(&moved(9, 6)), 0);
        policy.on_victim(2, 44);
        assert!(asked.lock().unwrap().is_empty());
        let (mut hears, asked) = of(1, true);
        hears.on_victim(2, 44);
        assert_eq!(*asked.lock().unwrap(), [(vec![2, 44], vec![])]);
    }

    #[test]
    fn its_state_is_that_of_the_function() {
        let (mut policy, _) = of(2, false);
        assert_eq!(policy.save(), [7]);
        assert!(policy.load(&[7]) && !policy.load(&[]));
        assert_eq!(policy.unwritten(), 4);
    }
}
