//! What is wrong with a description.

/// A key and what is wrong with its value.
pub(super) type Fault = (String, String);
