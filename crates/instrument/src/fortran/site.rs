//! What a file consists of: its constructs, its program units and procedures, and the order in
//! which things happen. Found by [`super::nest`], and not changed by what comes behind it.

/// One construct: a directive and what belongs to it.
#[derive(Debug, Clone)]
pub(super) struct Site {
    /// Index of the directive.
    pub directive: usize,
    /// Index of its statement.
    pub opened: usize,
    /// Its end.
    pub close: Close,
    /// The construct around it, if that is in the same procedure.
    pub parent: Option<usize>,
    /// The program unit or procedure that it is in.
    pub unit: usize,
    /// The sections of a `sections` construct.
    pub sections: Vec<Section>,
    /// A `cancel` in the body ends it.
    pub cancelled: bool,
    /// The body of the loop that it is about, if its iterations can get events.
    pub body: Option<Body>,
    /// Why no events are possible.
    pub blocked: Option<&'static str>,
    /// The unit in which inserted calls need an EXTERNAL declaration, if they do.
    pub external: Option<usize>,
    /// The construct of another preprocessor branch that this one is an alternative of.
    pub alias: Option<usize>,
    /// It is there in some preprocessor branches only, and its end is outside of them.
    pub conditional: bool,
}

/// One section of a `sections` construct.
#[derive(Debug, Clone, Copy)]
pub(super) struct Section {
    /// Statement index of its directive; of the `sections` directive for an implicit first one.
    pub opened: usize,
    /// Statement index of the directive that ends it.
    pub closed: usize,
}

/// How a construct ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Close {
    /// Not yet.
    Open,
    /// It is a statement of its own.
    Itself,
    /// With this END directive (statement index).
    Directive(usize),
    /// Behind this statement.
    After(usize),
    /// Inside of a statement that ends an outer loop as well: nothing can be put there.
    Nowhere,
}

/// What happens, in the order of the text. Numbers are indices of sites.
#[derive(Debug, Clone, Copy)]
pub(super) enum Event {
    /// A construct opens.
    Open(usize),
    /// A construct closes.
    Close(usize),
    /// This section of a construct begins.
    SectionBegin(usize, usize),
    /// This section ends.
    SectionEnd(usize, usize),
    /// The body of the loop of a construct begins.
    BodyBegin(usize),
    /// It ends with this statement, which is the loop's last one.
    BodyEnd(usize, usize),
    /// This CYCLE statement ends an iteration of the loop of a construct.
    Cycle(usize, usize),
    /// A directive of ours.
    User(Own),
}

/// Where a declaration can be put in a program unit or procedure.
#[derive(Debug, Clone)]
pub(super) struct UnitSite {
    /// Its name in lower case, if it is a procedure.
    pub name: String,
    /// The names of its hosts and its own, as reports show them: `module::procedure`.
    pub path: String,
    /// Its first statement.
    pub first: usize,
    /// The last one of its USE, IMPORT, IMPLICIT and INCLUDE; its opening one if there are none.
    pub preamble: Option<usize>,
    /// It says itself that it is compiled for devices, or is listed so.
    pub device: bool,
    /// No other statement was seen yet.
    pub leading: bool,
    /// Where events of the procedure can be put, if it has actions and they are asked for.
    pub procedure: Option<Procedure>,
}

/// What a file consists of.
#[derive(Debug, Default)]
pub(super) struct Nest {
    /// All program units and procedures.
    pub units: Vec<UnitSite>,
    /// All constructs in the order of their directives.
    pub sites: Vec<Site>,
    /// What happens.
    pub events: Vec<Event>,
    /// Directives that nobody knows (statement indices).
    pub unknown: Vec<usize>,
    /// The unit that statements from one (index) on are in, in the order of the text.
    pub changes: Vec<(usize, usize)>,
}

impl Nest {
    /// Nothing, with room for so many directives.
    pub fn for_directives(count: usize) -> Nest {
        let (sites, events) = (Vec::with_capacity(count), Vec::with_capacity(2 * count));
        Nest { sites, events, ..Nest::default() }
    }

    /// The unit that a statement is in.
    pub fn unit_at(&self, at: usize) -> usize {
        let behind = self.changes.partition_point(|(from, _)| *from <= at);
        behind.checked_sub(1).map_or(0, |change| self.changes[change].1)
    }
}

/// A nesting that cannot be: at which statement, what is wrong and what was expected.
#[derive(Debug)]
pub(super) struct Broken {
    /// Statement index.
    pub at: usize,
    /// What is wrong.
    pub message: String,
    /// What was expected.
    pub expected: String,
}

/// The body of the innermost loop that belongs to a construct.
#[derive(Debug, Clone)]
pub(super) struct Body {
    /// Its DO statement.
    pub begin: usize,
    /// The DO statements of the construct's loops that end with the label that it ends with.
    pub labelled: Vec<usize>,
    /// Whether the end was found.
    pub ended: bool,
}

/// A main program, subroutine or function with a body in this file.
#[derive(Debug, Clone)]
pub(super) struct Procedure {
    /// The names of its hosts and its own.
    pub path: Vec<String>,
    /// The last statement of its specification part; for a main program without PROGRAM statement
    /// that has none, `None`.
    pub declared: Option<usize>,
    /// Its first action.
    pub body: Option<usize>,
    /// Its ways out, in the order of the text: RETURN, STOP, CONTAINS and END.
    pub exits: Vec<usize>,
    /// ENTRY statements among its actions.
    pub entries: Vec<usize>,
    /// Its END.
    pub end: Option<usize>,
    /// Nothing can be put into it, or shall be.
    pub closed: bool,
    /// Calls need an EXTERNAL declaration.
    pub external: bool,
    /// How many preprocessor branches it is in.
    pub(super) depth: usize,
    /// CONTAINS was seen.
    pub(super) contains: bool,
}

/// A directive of the measurement, and what holds where it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Own {
    /// Its statement.
    pub at: usize,
    /// The unit that it is in.
    pub unit: usize,
    /// See [`Site::external`].
    pub external: Option<usize>,
    /// Why nothing may be called there.
    pub blocked: Option<&'static str>,
}
