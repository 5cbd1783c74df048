//! The model that `coupled` begins with where none is given: trained beforehand with all stand-ins and recordings that
//! come with the source (`python -m reclaim.papers.coupled.training`; papers/coupled-copyback/models.md).

use crate::gc::relocation::regression::Model;

#[allow(clippy::unreadable_literal, reason = "as the trainer writes them")]
pub(super) const MODEL: Model = Model {
    bias: -3.76313392324046,
    weights: [
        0.09979322566123887,
        -0.08847247859200769,
        0.019623324788693518,
        0.11952368729737982,
        -0.03369584211745999,
        -0.13167218596922892,
        0.005279046838562335,
        -0.17182411782688536,
    ],
    means: [
        0.3271244567027389,
        0.29416505778215357,
        0.161789165614169,
        0.1720361332094473,
        0.811285336968102,
        0.8032243428759005,
        0.9834055930934562,
        0.982119064060932,
    ],
    deviations: [
        0.1222146047304884,
        0.1441464819272319,
        0.026599158511222454,
        0.02614675115601333,
        0.19637277557191649,
        0.19921224287166922,
        0.06139582848115906,
        0.06907828956762364,
    ],
};
