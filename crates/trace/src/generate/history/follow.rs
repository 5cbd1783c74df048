//! What can continue other requests, exactly or nearly, and where such a request begins.

use super::law::{Able, Place, Request};

/// A byte at which a stream goes on, what such a request is, and the shape of the one that it continues.
pub(super) type Follow = (u64, Place, u16);

/// A unit near the end of a request, how many units lie between, the shape of that request, and whether what follows
/// there is live.
pub(super) type Near = (u32, i8, u16, bool);

/// What can go on now.
pub(super) fn able(follows: &[Follow], nearly: &[Near]) -> Vec<Able> {
    let mut able = Vec::new();
    let mut add = |each: Able| {
        if !able.contains(&each) {
            able.push(each);
        }
    };
    for (_, place, shape) in follows {
        add((*place, *shape));
    }
    for (_, skip, shape, all_live) in nearly {
        add((if *all_live { Place::Beyond(*skip) } else { Place::Empty(*skip) }, *shape));
    }
    able
}

/// Where a request goes on that continues another: best in the same half of its zone, and behind one whose shape fits.
pub(super) fn followed(follows: &[Follow], request: Request) -> Option<u64> {
    let place = request.place;
    let fits = |each: &&Follow| request.goes_on_at((place, each.2));
    let exact = || follows.iter().filter(|each| each.1 == place);
    let near = || follows.iter().filter(|each| each.1.alike(place));
    let found = exact().find(fits).or_else(|| near().find(fits));
    found.or_else(|| exact().next()).or_else(|| near().next()).map(|each| each.0)
}
