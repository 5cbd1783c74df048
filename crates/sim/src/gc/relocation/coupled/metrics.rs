//! What `coupled` counts beside what all policies of the odd/even rule count.

use crate::metric::Metric;

pub(super) const FILLED: Metric = Metric {
    name: "filled_pages",
    unit: "pages",
    about: "Pages of coupled blocks that filled what would have been wasted.",
};

pub(super) const CHANGED: Metric = Metric {
    name: "filled_pages_changed",
    unit: "pages",
    about: "Of these, pages that the host overwrote or trimmed before the block that they left was \
            collected: the rest of filled_pages is CoupledCB's accuracy.",
};

pub(super) const CHANGED_SOON: Metric = Metric {
    name: "filled_pages_changed_soon",
    unit: "pages",
    about: "Of these, pages that the host changed before the next job of their plane.",
};

pub(super) const CANDIDATES: Metric = Metric {
    name: "candidates_examined",
    unit: "blocks",
    about: "Candidates that were looked at to find coupled blocks.",
};

pub(super) const ADMITTED: Metric = Metric {
    name: "coupled_blocks",
    unit: "blocks",
    about: "Candidates that were admitted as coupled blocks.",
};

pub(super) const PREDICTIONS: Metric = Metric {
    name: "predictions",
    unit: "predictions",
    about: "Predictions of the regression whose outcome became known.",
};

pub(super) const RIGHT: Metric = Metric {
    name: "right_predictions",
    unit: "predictions",
    about: "Of these, those that were right: above or below a half, as it came.",
};

pub(super) const TRAININGS: Metric = Metric {
    name: "trainings",
    unit: "trainings",
    about: "Times the regression was trained, at the end of a window of requests.",
};
