//! Which logical pages are filled before anything else is written (docs/model.md, 7.3).

use reclaim_trace::{Op, Trace};

use crate::flash::Geometry;
use crate::host::AddressMapper;
use crate::ids::Lpn;
use crate::page_accesses::for_each_page;
use crate::settings::{ConfigError, WarmupConfig};
use crate::sim_error::SimError;

/// The logical pages that a warm-up fills, in ascending order.
#[derive(Debug)]
pub enum Fill {
    /// So many of them, from the first on.
    First(u32),
    /// Numbers of the pages, ascending.
    Listed(Box<[u32]>),
}

impl Fill {
    /// Every logical page; with `warmup.valid_share`, as many as give that share of valid pages, whatever a trace does
    /// that warm-up does not play.
    ///
    /// # Errors
    /// When the drive has fewer logical pages, or that is none at all.
    pub fn of(warmup: &WarmupConfig, geometry: &Geometry) -> Result<Self, ConfigError> {
        let Some(share) = warmup.valid_share else { return Ok(Self::First(geometry.logical_pages)) };
        let pages = (u64::from(share.ppm) * u64::from(geometry.pages()) + 500_000) / 1_000_000;
        if pages > u64::from(geometry.logical_pages) {
            let most = f64::from(geometry.logical_pages) / f64::from(geometry.pages());
            let reason = format!(
                "{share} of all pages are more than the user capacity, which is {:.2}% of them; ask for \
                 less, or raise the user capacity (geometry.spare_factor)",
                most * 100.0
            );
            return Err(ConfigError::at("warmup.valid_share", &reason));
        }
        if pages == 0 {
            let reason = format!(
                "{share} of {} pages is not one page, so nothing would be filled; ask for more, or for an \
                 empty drive (warmup.kind = \"empty\", --warmup empty)",
                geometry.pages()
            );
            return Err(ConfigError::at("warmup.valid_share", &reason));
        }
        Ok(Self::First(pages as u32))
    }

    /// The same where warm-up plays the trace: what one play of it leaves written, and as many others as are missing,
    /// none of which it trims.
    ///
    /// # Errors
    /// When the trace cannot be read, or it alone leaves more, or it trims so many that too few are left.
    pub(crate) fn beside(
        self,
        warmup: &WarmupConfig,
        trace: &Trace,
        mapper: &AddressMapper,
        geometry: &Geometry,
    ) -> Result<Self, SimError> {
        let Self::First(wanted) = self else { return Ok(self) };
        if warmup.valid_share.is_none() || !warmup.fills() {
            return Ok(self);
        }
        // Pages get their places as in the first play, which must not find them there already.
        let mut mapper = mapper.untouched();
        let mut touched: Vec<Option<bool>> = vec![None; geometry.logical_pages as usize];
        for_each_page(trace, &mut mapper, |op, lpn| match op {
            Op::Write => touched[lpn.index()] = Some(true),
            Op::Trim => touched[lpn.index()] = Some(false),
            Op::Read | Op::Flush => {}
        })?;
        let left = touched.iter().filter(|page| **page == Some(true)).count() as u32;
        let mut missing = i64::from(wanted) - i64::from(left);
        let fills = |(page, touched): (usize, &Option<bool>)| {
            let is_filled = match touched {
                Some(written) => *written,
                None => missing > 0,
            };
            missing -= i64::from(is_filled && touched.is_none());
            is_filled.then_some(page as u32)
        };
        let pages: Box<[u32]> = touched.iter().enumerate().filter_map(fills).collect();
        if pages.len() as u32 == wanted {
            return Ok(Self::Listed(pages));
        }
        let share = |count: u32| f64::from(count) * 100.0 / f64::from(geometry.pages());
        let reason = format!(
            "{:.2}%: {} leaves {:.2}% of all pages valid by itself, and with all that it does not touch \
             {:.2}%; ask for a share between them",
            share(wanted),
            trace.name(),
            share(left),
            share(left + touched.iter().filter(|page| page.is_none()).count() as u32)
        );
        Err(ConfigError::at("warmup.valid_share", &reason).into())
    }

    /// Number of pages.
    pub fn count(&self) -> u32 {
        match self {
            Self::First(count) => *count,
            Self::Listed(pages) => pages.len() as u32,
        }
    }

    /// The page at a place of the list.
    #[inline]
    pub fn page(&self, at: u32) -> Lpn {
        match self {
            Self::First(_) => Lpn(at),
            Self::Listed(pages) => Lpn(pages[at as usize]),
        }
    }
}
