//! Policies in the language of a front end: it says once how they are made, and members called `python` use it.
//!
//! The core knows nothing of that language. A policy that fails ends the run: see [`Fault`].

use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::building::BuildContext;
use crate::settings::alternatives::{Exemption, exempt};

/// Which policy is meant.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Named {
    /// File and name of a function or class, as in `mine.py:fewest_valid`; from the folder of the file that names it,
    /// if any.
    #[schemars(extend("x-alternatives" = exempt(Exemption::Path)))]
    pub function: String,
    /// Digest of the file, filled in when the configuration is read: a file that has changed since is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Path)))]
    pub code: Option<String>,
    /// What it takes as arguments, by their names, as in `params = { exponent = 2 }`: numbers, text, true or false.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Identity)))]
    pub params: serde_json::Map<String, serde_json::Value>,
}

/// A policy of the front end's.
pub trait OwnPolicy: Send {
    /// Its answer to a question of its kind: `numbers` is what there is once, each of `columns` what there is of many
    /// things. Both are as the adapter of the kind takes them apart (`python/reclaim/policy`).
    ///
    /// # Errors
    /// What went wrong, for the user.
    fn ask(&self, numbers: &[i64], columns: &[&[i64]]) -> Result<i64, String>;

    /// Whether it answers a question, or looks at a quantity, that not every policy of its kind does: see the members
    /// called `python`.
    fn answers(&self, question: &str) -> bool {
        let _ = question;
        false
    }

    /// Its answer to a question that it [answers](Self::answers).
    ///
    /// # Errors
    /// What went wrong, for the user.
    fn ask_further(&self, question: &str, numbers: &[i64], columns: &[&[i64]]) -> Result<i64, String> {
        let _ = (numbers, columns);
        Err(format!("it does not answer {question}"))
    }

    /// Its answers where one question is asked of several things: one for each.
    ///
    /// # Errors
    /// What went wrong, for the user.
    fn ask_each(&self, numbers: &[i64], columns: &[&[i64]]) -> Result<Vec<u8>, String> {
        let _ = (numbers, columns);
        Err("it answers for one thing at a time".to_owned())
    }

    /// The message for the user where an answer leaves the drive nothing to do: whose it was, what it was, and why.
    fn blame(&self, answer: i64, why: &str) -> String {
        format!("the answer {answer} leaves nothing to do: {why}")
    }

    /// Its state.
    ///
    /// # Errors
    /// What went wrong, for the user.
    fn save(&self) -> Result<Vec<u8>, String>;

    /// Take up a state. Tells whether it was understood.
    fn load(&mut self, state: &[u8]) -> bool;
}

/// Makes a policy of a kind, as `gc.victim`, for a drive; an error says why not.
pub type Make = fn(&'static str, &Named, &BuildContext) -> Result<Box<dyn OwnPolicy>, String>;

static FRONT: OnceLock<Make> = OnceLock::new();

/// Say how policies are made. Only the first says so.
pub fn register(make: Make) {
    let _ = FRONT.set(make);
}

/// Make a policy of a kind.
///
/// # Errors
/// If there is no front end, or it says why not.
pub(crate) fn make(
    kind: &'static str,
    named: &Named,
    context: &BuildContext,
) -> Result<Box<dyn OwnPolicy>, String> {
    let Some(make) = FRONT.get() else {
        return Err("policies in Python run in the Python package alone".to_owned());
    };
    make(kind, named, context)
}

/// Ends the thread of a run, as a panic without a message on standard error: what a policy of the user's did wrong, or
/// that there is no memory.
#[derive(Debug)]
pub struct Fault(pub String);

/// Gives the value; ends the run where there is none.
pub(crate) fn or_end<T>(answer: Result<T, String>) -> T {
    answer.unwrap_or_else(|message| end(message))
}

/// Ends the run: a policy of the user's did something wrong, or there is no memory.
pub(crate) fn end(message: String) -> ! {
    std::panic::resume_unwind(Box::new(Fault(message)))
}
