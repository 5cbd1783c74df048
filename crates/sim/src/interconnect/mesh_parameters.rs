//! Parameters that meshes have in common, each declared once: a policy names those that it has beside them.

/// Declares the `Parameters` of a mesh, with their defaults.
///
/// - `circuits { … }`: a router for each chip.
/// - `packets`: routers may be more than chips.
/// - `scouted { … }`: the same, and what scouts go by; gives the network's `Options` and `Places`, too.
/// - `scouted { … } { … }`: the same, where the first say which controller collection has.
macro_rules! mesh_parameters {
    (circuits { $($network:tt)* }) => { mesh_parameters! { @gc {} {} { $($network)* } {} } };
    (packets) => { mesh_parameters! { @chips @whole {} {} {} } };
    (scouted { $($own:tt)* }) => {
        mesh_parameters! { @scouted @gc {} { $($own)* } }

        impl Parameters {
            fn places(self) -> super::routers::Places {
                let Self { rows, columns, chips, controllers, gc_controllers, .. } = self;
                super::routers::Places { rows, columns, chips, controllers, gc_controllers }
            }
        }
    };
    (scouted { $($of_collector:tt)* } { $($own:tt)* }) => {
        mesh_parameters! { @scouted @whole { $($of_collector)* } { $($own)* } }
    };
    (@scouted @$next:ident { $($of_collector:tt)* } { $($own:tt)* }) => {
        mesh_parameters! { @chips @$next { $($of_collector)* } {
            /// Output ports that a router tries for one scout at most, from 1 (GC bypass, Table 1).
            #[schemars(extend("x-alternatives" = $crate::settings::alternatives::reading(
                &["1", "2", "3", "4"],
                "How many ports a router tries can be read from a table in several ways."
            )))]
            ports_tried: u32 = 3,
            /// Which of several ports that lead on as well a router takes.
            #[schemars(extend("x-alternatives" = $crate::settings::alternatives::reading(
                &["register", "first"],
                "Routers pick at random by a register, whose start is not printed; the first port needs none."
            )))]
            picks: super::scout_options::Picks = super::scout_options::Picks::Register,
            /// When a scout that found no way goes again.
            #[schemars(extend("x-alternatives" = $crate::settings::alternatives::reading(
                &["on-change", "at-once"],
                "Scouts go again at once, or when something has changed."
            )))]
            resend: super::scout_options::Resend = super::scout_options::Resend::OnChange,
            /// Which of several idle controllers that are as near to the chip sends the scout.
            #[schemars(extend("x-alternatives" = $crate::settings::alternatives::unprinted(
                &["rotating", "lowest", "random"],
                "Which of several equally near controllers is taken is not printed."
            )))]
            ties: $crate::settings::Ties = $crate::settings::Ties::Lowest,
        } { $($own)* } }

        impl Parameters {
            /// What they say of the network, which has one circuit for a transfer unless its policy says otherwise.
            fn options(&self) -> super::scout_options::Options {
                super::scout_options::Options {
                    hop: self.hop.0,
                    ports_tried: self.ports_tried,
                    picks: self.picks,
                    paths: 1,
                    resend: self.resend,
                    ties: self.ties,
                    order: self.order,
                    count_scout_hops: false,
                    elevation: None,
                }
            }
        }
    };
    (@chips @$next:ident { $($of_collector:tt)* } { $($network:tt)* } { $($own:tt)* }) => {
        mesh_parameters! { @$next {
            /// Router of each chip, `[row, column]`. Default: one after the other along the rows. Others only pass
            /// things on.
            #[schemars(extend("x-alternatives" = $crate::settings::alternatives::exempt(
                $crate::settings::alternatives::Exemption::Identity
            )))]
            chips: Option<Vec<[u32; 2]>> = None,
        } { $($of_collector)* } { $($network)* } { $($own)* } }
    };
    (@gc { $($before:tt)* } {} { $($network:tt)* } { $($own:tt)* }) => {
        mesh_parameters! { @whole { $($before)* } {
            /// Routers at which further controllers hang, for collection and wear levelling alone, which then use no
            /// others. Without any, the host and collection share the `controllers`.
            #[schemars(extend("x-alternatives" = $crate::settings::alternatives::reading(
                &["[]", "[[3, 7]]"],
                "Collection has a controller of its own, or shares those of the host."
            )))]
            gc_controllers: Vec<[u32; 2]> = Vec::new(),
        } { $($network)* } { $($own)* } }
    };
    (@whole
        { $($(#[$b:meta])* $before:ident: $b_type:ty = $b_default:expr,)* }
        { $($(#[$c:meta])* $of_collector:ident: $c_type:ty = $c_default:expr,)* }
        { $($(#[$n:meta])* $network:ident: $n_type:ty = $n_default:expr,)* }
        { $($(#[$o:meta])* $own:ident: $o_type:ty = $o_default:expr,)* }
    ) => {
        #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        struct Parameters {
            /// Rows of routers. Default: as many as channels.
            #[schemars(extend("x-alternatives" = $crate::settings::alternatives::scope(
                &["8"],
                "A mesh can have routers that only pass things on."
            )))]
            rows: Option<u32>,
            /// Columns of routers. Default: as many as a channel has chips.
            #[schemars(extend("x-alternatives" = $crate::settings::alternatives::scope(
                &["16"],
                "A mesh can have routers that only pass things on."
            )))]
            columns: Option<u32>,
            $($(#[$b])* $before: $b_type,)*
            /// Routers at which a controller hangs, `[row, column]` each. Default: the first of every row.
            #[schemars(extend("x-alternatives" = $crate::settings::alternatives::reading(
                &["[[0, 0], [1, 0]]", "[[0, 0], [1, 0], [2, 0], [3, 0]]"],
                "At which routers and how many controllers hang is drawn, not printed."
            )))]
            controllers: Option<Vec<[u32; 2]>>,
            $($(#[$c])* $of_collector: $c_type,)*
            /// Time that each link on the way of a transfer adds to it.
            #[schemars(extend("x-alternatives" = $crate::settings::alternatives::unprinted(
                &["0ns", "×4"],
                "What a link adds to a transfer is seldom printed."
            )))]
            hop: $crate::settings::Time,
            $($(#[$n])* $network: $n_type,)*
            /// Who asks first when dies that wait are served: those who wait, in the order of their lines, or whoever
            /// comes at that instant.
            #[schemars(extend("x-alternatives" = $crate::settings::alternatives::reading(
                super::ORDERS,
                super::ORDER_IS_READ
            )))]
            order: super::Order,
            $($(#[$o])* $own: $o_type,)*
        }

        impl Default for Parameters {
            fn default() -> Self {
                Self {
                    rows: None,
                    columns: None,
                    $($before: $b_default,)*
                    controllers: None,
                    $($of_collector: $c_default,)*
                    hop: $crate::settings::Time($crate::time::Nanos(1)),
                    $($network: $n_default,)*
                    order: super::Order::default(),
                    $($own: $o_default,)*
                }
            }
        }
    };
}
