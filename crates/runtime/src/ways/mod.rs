//! The interface of the core for adapters: each common event in its ways, in the order in which they
//! are tried. An adapter gives a construct, as [`Given`](crate::descriptor::Given) names it, and says
//! what happens to it; it need not know which way the event takes, and where its regions are.
//!
//! All ways but the first are functions of their own, so that the first needs no frame; what it has
//! found out is handed on in the registers where it is. The suffix of a function says which way it
//! tries first; where that declines, it goes on to a later one:
//!
//! | suffix | way |
//! |---|---|
//! | none | the fast one ([`crate::fast`]), which is inlined into the function of the API |
//! | `_guarded` | that of a visit which the guard may sum, or of its body ([`crate::fast::guarded`]) |
//! | `_around_guarded` | the fast one, where other call paths of the location are guarded |
//! | `_unless_filtered` | none for a region that the filter leaves out |
//! | `_general` | that of the core, which any event may take |
//!
//! Tasks ([`tasks`]) and parallel regions ([`teams`]) have more fast ways, by what the event has to
//! find, and each with records (`_traced`) and without.

pub mod regions;
