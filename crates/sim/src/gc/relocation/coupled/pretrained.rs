//! The model that `coupled` begins with where none is given: trained beforehand.

use super::regression::Model;

pub(super) const MODEL: Model = Model::EMPTY;
