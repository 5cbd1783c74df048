//! Arithmetic that a user writes, such as `valid / age`: read once, then computed for many things at a time.
//!
//! Every machine gives the same bits: operations are those that IEEE 754 rounds exactly, and a power is computed from
//! them in software.

use std::collections::{BTreeMap, BTreeSet};

use crate::settings::suggest;

/// Nested deeper than this, a text is refused.
const DEEPEST: usize = 32;
const FUNCTIONS: [&str; 6] = ["min", "max", "pow", "sqrt", "abs", "floor"];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Number(f64),
    Name(usize),
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Min,
    Max,
    Power,
    Sqrt,
    Abs,
    Floor,
}

/// A text that was read: steps on a stack.
#[derive(Debug, Clone)]
pub struct Expression {
    steps: Vec<Step>,
    depth: usize,
}

impl Expression {
    /// Read `text`, in which `names` stand for numbers of things, and `constants` for one number each.
    ///
    /// Knows `+ - * /`, brackets, `min(a, b)`, `max(a, b)`, `pow(a, b)`, `sqrt(a)`, `abs(a)` and `floor(a)`.
    ///
    /// # Errors
    /// What is wrong at which character, and what is valid there.
    pub fn read(text: &str, names: &[&str], constants: &BTreeMap<String, f64>) -> Result<Self, String> {
        if let Some(name) =
            constants.keys().find(|name| names.contains(&&***name) || FUNCTIONS.contains(&&***name))
        {
            return Err(format!("params.{name}: \"{name}\" has a meaning already; use another name"));
        }
        let mut reader = Reader {
            text,
            at: 0,
            names,
            constants,
            steps: Vec::new(),
            nested: 0,
            unused: constants.keys().collect(),
        };
        reader.sum()?;
        if reader.peek().is_some() {
            return Err(reader.expected("an operator (+ - * /, powers are pow(a, b)) or the end"));
        }
        match reader.unused.first() {
            None => Ok(Self { depth: deepest(&reader.steps), steps: reader.steps }),
            Some(name) => {
                let words: Vec<_> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
                Err(format!("params.{name}: \"{text}\" has no such name{}", suggest(name, &words)))
            }
        }
    }

    /// Which of the names it was read with it uses, by their positions.
    pub fn uses(&self, name: usize) -> bool {
        self.steps.contains(&Step::Name(name))
    }

    /// Compute it for `count` things; `column(name, into)` appends what a name stands for, for each of them.
    /// `stack` is room that is used again. The values lie in its first column.
    pub fn compute<'s>(
        &self,
        count: usize,
        stack: &'s mut Vec<Vec<f64>>,
        mut column: impl FnMut(usize, &mut Vec<f64>),
    ) -> &'s [f64] {
        stack.resize_with(self.depth.max(stack.len()), Vec::new);
        let mut top = 0;
        for step in &self.steps {
            match step {
                Step::Number(number) => {
                    stack[top].clear();
                    stack[top].resize(count, *number);
                    top += 1;
                }
                Step::Name(name) => {
                    stack[top].clear();
                    column(*name, &mut stack[top]);
                    top += 1;
                }
                Step::Negate => each(&mut stack[top - 1], |a| -a),
                Step::Sqrt => each(&mut stack[top - 1], f64::sqrt),
                Step::Abs => each(&mut stack[top - 1], f64::abs),
                Step::Floor => each(&mut stack[top - 1], f64::floor),
                Step::Add => both(stack, &mut top, |a, b| a + b),
                Step::Subtract => both(stack, &mut top, |a, b| a - b),
                Step::Multiply => both(stack, &mut top, |a, b| a * b),
                Step::Divide => both(stack, &mut top, |a, b| a / b),
                Step::Min => both(stack, &mut top, f64::min),
                Step::Max => both(stack, &mut top, f64::max),
                Step::Power => both(stack, &mut top, libm::pow),
            }
        }
        &stack[0]
    }
}

#[inline]
fn each(column: &mut [f64], of: impl Fn(f64) -> f64) {
    for value in column {
        *value = of(*value);
    }
}

#[inline]
fn both(stack: &mut [Vec<f64>], top: &mut usize, of: impl Fn(f64, f64) -> f64) {
    *top -= 1;
    let (below, above) = stack.split_at_mut(*top);
    below[*top - 1].iter_mut().zip(&above[0]).for_each(|(a, b)| *a = of(*a, *b));
}

/// Most columns on the stack at once.
fn deepest(steps: &[Step]) -> usize {
    let mut now = 0;
    let heights = steps.iter().map(|step| {
        match step {
            Step::Number(_) | Step::Name(_) => now += 1,
            Step::Negate | Step::Sqrt | Step::Abs | Step::Floor => {}
            Step::Add
            | Step::Subtract
            | Step::Multiply
            | Step::Divide
            | Step::Min
            | Step::Max
            | Step::Power => now -= 1,
        }
        now
    });
    heights.max().unwrap_or(0)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    names: &'t [&'t str],
    constants: &'t BTreeMap<String, f64>,
    /// Constants that the text has not had yet.
    unused: BTreeSet<&'t String>,
    steps: Vec<Step>,
    nested: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&mut self) -> Option<char> {
        self.at += self.rest().len() - self.rest().trim_start().len();
        self.rest().chars().next()
    }

    /// Whether this comes next; it is passed then.
    fn take(&mut self, wanted: char) -> bool {
        let there = self.peek() == Some(wanted);
        if there {
            self.at += wanted.len_utf8();
        }
        there
    }

    fn expected(&mut self, what: &str) -> String {
        let found = self.peek().map_or("the end".to_owned(), |found| format!("\"{found}\""));
        let character = self.text[..self.at].chars().count() + 1;
        format!("\"{}\": {found} at character {character}, where {what} is expected", self.text)
    }

    fn sum(&mut self) -> Result<(), String> {
        self.nested += 1;
        if self.nested > DEEPEST {
            return Err(format!("\"{}\": nested more than {DEEPEST} deep", self.text));
        }
        self.product()?;
        loop {
            let step = if self.take('+') {
                Step::Add
            } else if self.take('-') {
                Step::Subtract
            } else {
                self.nested -= 1;
                return Ok(());
            };
            self.product()?;
            self.steps.push(step);
        }
    }

    fn product(&mut self) -> Result<(), String> {
        self.factor()?;
        loop {
            let step = if self.take('*') {
                Step::Multiply
            } else if self.take('/') {
                Step::Divide
            } else {
                return Ok(());
            };
            self.factor()?;
            self.steps.push(step);
        }
    }

    fn factor(&mut self) -> Result<(), String> {
        let mut negative = false;
        while self.take('-') {
            negative = !negative;
        }
        match self.peek() {
            Some('(') => self.bracket()?,
            Some(digit) if digit.is_ascii_digit() || digit == '.' => self.number()?,
            Some(letter) if letter.is_alphabetic() || letter == '_' => self.word()?,
            _ => return Err(self.expected("a number, a name or a bracket")),
        }
        if negative {
            self.steps.push(Step::Negate);
        }
        Ok(())
    }

    fn bracket(&mut self) -> Result<(), String> {
        self.at += 1;
        self.sum()?;
        if self.take(')') { Ok(()) } else { Err(self.expected("\")\"")) }
    }

    fn number(&mut self) -> Result<(), String> {
        let rest = self.rest();
        let mut length = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        if rest[length..].starts_with(['e', 'E']) {
            let sign = usize::from(rest[length + 1..].starts_with(['+', '-']));
            let digits = rest[length + 1 + sign..].bytes().take_while(u8::is_ascii_digit).count();
            length += if digits > 0 { 1 + sign + digits } else { 0 };
        }
        let number = rest[..length].parse().map_err(|_| self.expected("a number"))?;
        self.steps.push(Step::Number(number));
        self.at += length;
        Ok(())
    }

    fn word(&mut self) -> Result<(), String> {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let word = &rest[..length];
        if let Some(name) = self.names.iter().position(|name| *name == word) {
            self.at += length;
            self.steps.push(Step::Name(name));
            return Ok(());
        }
        if let Some((name, number)) = self.constants.get_key_value(word) {
            self.at += length;
            self.unused.remove(name);
            self.steps.push(Step::Number(*number));
            return Ok(());
        }
        let (step, arguments) = match word {
            "min" => (Step::Min, 2),
            "max" => (Step::Max, 2),
            "pow" => (Step::Power, 2),
            "sqrt" => (Step::Sqrt, 1),
            "abs" => (Step::Abs, 1),
            "floor" => (Step::Floor, 1),
            _ => {
                let character = self.text[..self.at].chars().count() + 1;
                let constants: Vec<_> = self.constants.keys().map(String::as_str).collect();
                let valid = [self.names, &constants, &FUNCTIONS].concat();
                return Err(format!(
                    "\"{}\": no \"{word}\" (character {character}); valid: {}, or a name that params gives a \
                     number{}",
                    self.text,
                    valid.join(", "),
                    suggest(word, &valid)
                ));
            }
        };
        self.at += length;
        for argument in 0..arguments {
            let opened = self.take(if argument == 0 { '(' } else { ',' });
            if !opened {
                return Err(self.expected(if argument == 0 { "\"(\"" } else { "\",\"" }));
            }
            self.sum()?;
        }
        if !self.take(')') {
            return Err(self.expected("\")\""));
        }
        self.steps.push(step);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::Expression;
    use rstest::rstest;

    /// Of three things with a = 1, 2, 3 and b = 4, 0, 8.
    fn computed(text: &str) -> Vec<f64> {
        let constants = [("half", 0.5), ("three", 3.0)].map(|(name, number)| (name.to_owned(), number));
        let constants = constants.into_iter().filter(|(name, _)| text.contains(name)).collect();
        let expression = Expression::read(text, &["a", "b"], &constants).unwrap();
        let columns = [[1.0, 2.0, 3.0], [4.0, 0.0, 8.0]];
        let mut stack = Vec::new();
        expression.compute(3, &mut stack, |name, into| into.extend(columns[name])).to_vec()
    }

    #[rstest]
    #[case("a", [1.0, 2.0, 3.0])]
    #[case("7", [7.0, 7.0, 7.0])]
    #[case("1 + a * b", [5.0, 1.0, 25.0])]
    #[case("(1 + a) * b", [8.0, 0.0, 32.0])]
    #[case("b - a - 1", [2.0, -3.0, 4.0])]
    #[case("b / a / 2", [2.0, 0.0, 8.0 / 3.0 / 2.0])]
    #[case("a / b", [0.25, f64::INFINITY, 0.375])]
    #[case("-a + --b", [3.0, -2.0, 5.0])]
    #[case("min(a, b) - max(a, 2)", [-1.0, -2.0, 0.0])]
    #[case("sqrt(b) + abs(-a) + floor(a / 2)", [3.0, 3.0, 8.0_f64.sqrt() + 4.0])]
    #[case("1.5e1 * a + .5", [15.5, 30.5, 45.5])]
    #[case("pow(a, 2) - pow(b, 0)", [0.0, 3.0, 8.0])]
    #[case("pow(b, -1)", [0.25, f64::INFINITY, 0.125])]
    #[case("three * a + pow(half, a)", [3.5, 6.25, 9.125])]
    #[case("pow(b, half) * three", [6.0, 0.0, 8.0_f64.sqrt() * 3.0])]
    #[case("pow(10, 0.3) + 0 * a", [1.995_262_314_968_879_5; 3])]
    fn arithmetic_is_what_one_learns_at_school(#[case] text: &str, #[case] expected: [f64; 3]) {
        assert_eq!(computed(text), expected);
    }

    #[rstest]
    #[case("", "the end at character 1, where a number, a name or a bracket is expected")]
    #[case("a +", "the end at character 4, where a number")]
    #[case(
        "a b",
        "\"b\" at character 3, where an operator (+ - * /, powers are pow(a, b)) or the end is expected"
    )]
    #[case("(a", "the end at character 3, where \")\" is expected")]
    #[case("min(a)", "\")\" at character 6, where \",\" is expected")]
    #[case("sqrt a", "\"a\" at character 6, where \"(\" is expected")]
    #[case("a ^ 2", "\"^\" at character 3, where an operator (+ - * /, powers are pow(a, b))")]
    #[case("pow(a)", "\")\" at character 6, where \",\" is expected")]
    #[case("aa", "no \"aa\" (character 1); valid: a, b, min, max, pow, sqrt, abs, floor, or a name")]
    #[case("1..2", "\"1\" at character 1, where a number is expected")]
    #[case("é", "no \"é\" (character 1)")]
    fn what_is_wrong_is_shown_where_it_is(#[case] text: &str, #[case] message: &str) {
        let error = Expression::read(text, &["a", "b"], &BTreeMap::new()).unwrap_err();
        assert!(error.contains(message), "{error}");
    }

    #[rstest]
    #[case("a * c", "c", None)]
    #[case("a * d", "c", Some("\"a * d\": no \"d\" (character 5); valid: a, c, min"))]
    #[case("a * weight", "wieght", Some("no \"weight\" (character 5); valid: a, wieght, min"))]
    #[case("a * 2", "c", Some("params.c: \"a * 2\" has no such name"))]
    #[case("a", "a", Some("params.a: \"a\" has a meaning already"))]
    #[case("pow(a, 2)", "pow", Some("params.pow: \"pow\" has a meaning already"))]
    fn a_constant_has_a_name_of_its_own_and_is_used(
        #[case] text: &str,
        #[case] constant: &str,
        #[case] message: Option<&str>,
    ) {
        let read = Expression::read(text, &["a"], &BTreeMap::from([(constant.to_owned(), 2.0)]));
        let error = read.err();
        match message {
            None => assert_eq!(error, None),
            Some(message) => assert!(error.as_ref().is_some_and(|each| each.contains(message)), "{error:?}"),
        }
    }

    #[test]
    fn a_tower_of_brackets_is_refused() {
        let text = format!("{}a{}", "(".repeat(10_000), ")".repeat(10_000));
        assert!(
            Expression::read(&text, &["a"], &BTreeMap::new())
                .unwrap_err()
                .ends_with("nested more than 32 deep")
        );
    }

    #[test]
    fn it_knows_what_it_uses() {
        let expression = Expression::read("2 * b", &["a", "b"], &BTreeMap::new()).unwrap();
        assert!(expression.uses(1) && !expression.uses(0));
    }
}
