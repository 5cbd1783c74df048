//! The model that `coupled` begins with where none is given: trained beforehand with all stand-ins and recordings that
//! come with the source (`python -m coupled.training` in papers/coupled-copyback; models.md there).

use crate::gc::relocation::regression::Model;

#[allow(clippy::unreadable_literal, reason = "as the trainer writes them")]
pub(super) const MODEL: Model = Model {
    bias: -3.5104025495531497,
    weights: [
        0.025169089946984812,
        -0.034558623088591006,
        0.04175826940087194,
        0.16078403280878723,
        0.01680540504038843,
        -0.08475907840912911,
        0.018297999179652316,
        -0.1856800571070945,
    ],
    means: [
        0.3321370803197233,
        0.2990130498872658,
        0.163275357662079,
        0.17323868295859174,
        0.8081954245885332,
        0.7974894254108655,
        0.9819897624403758,
        0.9804781914700217,
    ],
    deviations: [
        0.13020604649769513,
        0.1488370104792483,
        0.028030751981686808,
        0.02805043923532114,
        0.20316067264408685,
        0.20535226565313694,
        0.0635978602299427,
        0.07198791544989834,
    ],
};
